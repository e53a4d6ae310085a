// What the session endpoints share: their parts, the limit on tries, and the domain's faults in terms of HTTP.

import type { Access } from '../../access/access.ts';
import { AccessFault, type AccessFaultCode } from '../../access/access-fault.ts';
import type { LoginFailure } from '../../access/failed-logins.ts';
import type { KitContext } from '../../http/context.ts';
import { Refusal } from '../../http/errors.ts';
import { gateRequestOf, type InternalGate } from '../../http/internal-auth.ts';
import type { LoginLimit } from '../../http/login-limit.ts';
import type { GatewayErrorCode } from '../gateway/errors.ts';

export interface SessionDeps {
  readonly access: Access;
  readonly gate: InternalGate;
  readonly limit: LoginLimit;
  /** Told of every try with a wrong password or code, and of those that are not looked at any more. */
  readonly onFailed: (address: string, failure: LoginFailure) => void;
}

const CODES: Readonly<Record<AccessFaultCode, GatewayErrorCode>> = {
  LOGIN_FAILED: 'LOGIN_FAILED',
  CODE_NEEDED: 'CODE_NEEDED',
  NO_PASSWORD: 'NO_PASSWORD',
  PASSWORD_TOO_WEAK: 'PASSWORD_TOO_WEAK',
  TOTP_CONFLICT: 'TOTP_CONFLICT',
  CODES_SEALED: 'CODES_SEALED',
  SESSION_NOT_FOUND: 'SESSION_NOT_FOUND',
  BUSY: 'TOO_MANY_LOGINS',
};
/** A few passwords further on. */
const BUSY_SECONDS = 5;

export const answer = (c: KitContext, result: unknown): Response =>
  c.json({ success: true, requestId: c.var.requestId, result });

/** What anybody may know of the way in. */
export const stateOf = async ({ access }: SessionDeps) => ({
  passwordSet: await access.isPasswordSet(),
  codeNeeded: await access.isCodeNeeded(),
});

/** Counts a try from this address, before the password is looked at; only wrong ones stay counted. */
export async function tried<T>(
  c: KitContext,
  { limit, onFailed }: SessionDeps,
  work: (isKnownPlace: boolean) => Promise<T> | T,
): Promise<T> {
  const { clientAddress } = c.var;
  const attempt = await limit.attempt(clientAddress);
  if (!attempt.allowed) {
    const seconds = attempt.retryAfterSeconds;
    onFailed(clientAddress, 'limited');
    throw tooMany(`too many wrong passwords; try again in ${seconds} s`, seconds);
  }
  try {
    const done = await inHttpTerms(() => work(attempt.isKnown));
    attempt.wasRight();
    return done;
  } catch (error) {
    if ((error as Refusal).code === CODES.LOGIN_FAILED) onFailed(clientAddress, 'refused');
    else attempt.giveBack();
    throw error;
  }
}

const tooMany = (words: string, seconds: number): Refusal =>
  new Refusal(CODES.BUSY, words, { headers: { 'retry-after': String(seconds) } });

export async function inHttpTerms<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AccessFault)) throw error;
    throw error.code === 'BUSY' ? tooMany(error.message, BUSY_SECONDS) : new Refusal(CODES[error.code], error.message);
  }
}

export const foreignPage = (): Refusal =>
  new Refusal(
    'FOREIGN_PAGE',
    'a page of another site sent this, or one under a name that may be anybody’s; open the dashboard by its own address, and set BASE_URL to it if it is a name of the internet, or name the proxy that brings https to it in TRUSTED_PROXIES',
  );

export const cookiePlace = (c: KitContext, { gate }: SessionDeps) => ({
  host: c.req.header('host'),
  isSecure: gate.pages.isSecure(gateRequestOf(c)),
});

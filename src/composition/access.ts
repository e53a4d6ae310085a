// Opens the owner's way in: password, sessions, and the endpoints about them; from then on a session passes the internal gate.

import { randomBytes } from 'node:crypto';
import { Access } from '../access/access.ts';
import type { AccessStore } from '../access/access-store.ts';
import { FailedLogins } from '../access/failed-logins.ts';
import { Passwords } from '../access/password.ts';
import { SessionWatch } from '../access/session-watch.ts';
import type { TotpSeal } from '../access/totp-seal.ts';
import { errorText } from '../errors/error-text.ts';
import type { App } from '../http/app.ts';
import { addressGroup, isLoopbackAddress } from '../http/client-address.ts';
import { internalGates } from '../http/internal-auth.ts';
import { createLoginLimit } from '../http/login-limit.ts';
import { mountEndpoints } from '../http/mount-endpoints.ts';
import type { SharedTokens } from '../http/shared-buckets.ts';
import { sessionEndpoints } from '../services/dashboard/session-endpoints.ts';
import type { SessionDeps } from '../services/dashboard/session-proof.ts';
import { CHANGE_WORDS, FOLDER_WORDS, withStorageWords } from '../services/gateway/storage-refusal.ts';
import { every } from '../timing/every.ts';
import { backgroundTimers } from '../timing/timers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';

interface AccessParts {
  readonly store: AccessStore;
  readonly clock?: { readonly nowMs: () => number; readonly monotonicMs: () => number };
  /** Cheaper ones are for tests. */
  readonly passwords?: Passwords;
  readonly seal?: TotpSeal;
  readonly onTrouble: (what: string, error: unknown, requestId?: string) => void;
}

export interface SessionParts extends AccessParts {
  readonly app: App;
  readonly context: Pick<ProcessContext, 'gate' | 'log'>;
  /** The tries at several processes; undefined where this one counts alone. */
  readonly sharedTokens?: SharedTokens | undefined;
}

const REAL = { nowMs, monotonicMs };

export function openAccess(parts: AccessParts): Access {
  const { store, onTrouble, seal, clock = REAL, passwords = new Passwords({ randomBytes }) } = parts;
  return new Access({ store, nowMs: clock.nowMs, randomBytes, onTrouble, passwords, seal });
}

export interface OpenedSessions {
  readonly access: Access;
  close(): Promise<void>;
}

export function openSessions(parts: SessionParts): OpenedSessions {
  const { app, context, store, clock = REAL, onTrouble } = parts;
  const { gate, log } = context;
  const watched = { store, nowMs: clock.nowMs, timers: backgroundTimers, onTrouble };
  const watch = new SessionWatch(watched);
  const failedLogins = new FailedLogins(watched);
  const access = openAccess({ ...parts, store: watch.store });
  gate.admitSessions({
    use: (cookie, from) => access.sessions.use(cookie, from),
    watch: (sessionId, onEnd) => watch.watch(sessionId, onEnd),
  });
  const isKnown = async (address: string): Promise<boolean> =>
    isLoopbackAddress(address) || (await access.sessions.list()).some((session) => session.address === address);
  const limit = createLoginLimit({ monotonicMs: clock.monotonicMs, isKnown, shared: parts.sharedTokens });
  const onFailed: SessionDeps['onFailed'] = (address, failure) => {
    if (failure === 'refused') log.warn({ clientAddress: address }, 'a wrong password or code');
    failedLogins.note(addressGroup(address), failure);
  };
  const onFault = (error: unknown, requestId: string): void =>
    onTrouble('the owner’s database failed at a session', error, requestId);
  const endpoints = sessionEndpoints({ access, gate, limit, onFailed }).map((endpoint) =>
    withStorageWords(endpoint, onFault, endpoint.method === 'get' ? FOLDER_WORDS : CHANGE_WORDS),
  );
  mountEndpoints(app, endpoints, internalGates(gate));
  return { access, close: () => failedLogins.close() };
}

const SEAL_ALARM = 'one-time codes';
const CHECK_EVERY_MS = 60_000;

/** An owner whose codes cannot be checked hears of it before he stands at the door. Returns how to stop. */
export function watchTotp(access: Access, { alarms }: Pick<ProcessContext, 'alarms'>): () => Promise<void> {
  let last = Promise.resolve();
  const check = async (): Promise<void> => {
    const words = await access.checkTotp().catch(errorText);
    if (words === undefined) alarms.over(SEAL_ALARM);
    else alarms.stand(SEAL_ALARM, `One-time codes: ${words}`);
  };
  const look = (): void => {
    last = check();
  };
  look();
  const stop = every(CHECK_EVERY_MS, look, backgroundTimers);
  return async () => {
    stop();
    await last;
  };
}

// The gate before the making of keys: the ADMIN_TOKEN in one of the headers a service allows; shut while none is set.
import { hash, timingSafeEqual } from 'node:crypto';
import type { KitContext } from './context.ts';
import { Refusal } from './errors.ts';
import { type GuessLimit, NO_GUESS_LIMIT } from './guess-limit.ts';

/** Where a token may stand: X-Admin-Token: <token>, Authorization: Bearer <token>, Authorization: AdminToken <token>. */
export type AdminForm = 'x-admin-token' | 'bearer' | 'admintoken';

export type AdminVerdict = { ok: true } | { ok: false; message: string };

export interface AdminGate {
  check(
    header: (name: string) => string | undefined,
    forms: readonly AdminForm[],
    clientAddress?: string,
  ): Promise<AdminVerdict>;
}

export interface AdminGateOptions {
  token?: string | undefined;
  /** Whose keys are made here: the switch of `signalbox keys create` that makes them on the machine itself. */
  keysOf: '--analysis' | '--scripts';
  /** Left out, guesses are not counted. */
  guesses?: GuessLimit | undefined;
}

export const ADMIN_FORMS: readonly AdminForm[] = ['x-admin-token', 'bearer', 'admintoken'];

const PASS: AdminVerdict = { ok: true };
const AUTHORIZATION = /^(bearer|admintoken) +(\S(?:.*\S)?) *$/i;

export function createAdminGate({ token, keysOf, guesses = NO_GUESS_LIMIT }: AdminGateOptions): AdminGate {
  const expected = token === undefined || token === '' ? undefined : digest(token);
  return {
    async check(header, forms, clientAddress = '') {
      if (expected === undefined) {
        return refuse(
          `Making keys is turned off here. Make them on the machine itself with "signalbox keys create ${keysOf}", or set ADMIN_TOKEN, start again, and send the token.`,
        );
      }
      const given = givenToken(header, forms);
      if (given === undefined) return refuse(`No admin token. Send ADMIN_TOKEN as ${inWords(forms)}.`);
      // Equal-length digests compared in constant time tell nothing about the token or its length.
      const isRight = await guesses.isRight(clientAddress, () => timingSafeEqual(digest(given), expected));
      if (isRight) return PASS;
      return refuse(`Wrong admin token. Send the value of ADMIN_TOKEN as ${inWords(forms)}.`);
    },
  };
}

/** The header of its own counts before Authorization: a proxy may have put something else there. */
function givenToken(header: (name: string) => string | undefined, forms: readonly AdminForm[]): string | undefined {
  const own = forms.includes('x-admin-token') ? header('x-admin-token') : undefined;
  if (own !== undefined && own !== '') return own;
  const [, scheme = '', token] = AUTHORIZATION.exec(header('authorization') ?? '') ?? [];
  return forms.includes(scheme.toLowerCase() as AdminForm) ? token : undefined;
}

function inWords(forms: readonly AdminForm[]): string {
  const words: Readonly<Record<AdminForm, string>> = {
    'x-admin-token': 'X-Admin-Token',
    bearer: 'Authorization: Bearer',
    admintoken: 'Authorization: AdminToken',
  };
  return forms.map((form) => words[form]).join(' or ');
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function refuse(message: string): AdminVerdict {
  return { ok: false, message };
}

/** Throws FORBIDDEN unless the caller shows the token. */
export async function requireAdmin(gate: AdminGate, c: KitContext, forms: readonly AdminForm[]): Promise<void> {
  const verdict = await gate.check((name) => c.req.header(name), forms, c.var.clientAddress);
  if (!verdict.ok) throw new Refusal('FORBIDDEN', verdict.message);
}

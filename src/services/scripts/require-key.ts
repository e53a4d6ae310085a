// Who is calling: the key that a request presents, and the verdict on it as an answer of this service.

import type { KitContext } from '../../http/context.ts';
import { type AuthContext, type KeyBindings, type KeyRefusal, requireApiKey } from '../../keys/script-keys.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import type { StorageGuard } from './storage-refusal.ts';

/** A Bearer header, its token cut off or not: an empty one is an empty key, and no reason to look elsewhere. */
const BEARER = /^bearer(?:\s+(.*))?$/i;

export function presentedKey(c: KitContext): string | undefined {
  const bearer = BEARER.exec(c.req.header('authorization')?.trim() ?? '');
  return bearer === null ? c.req.query('key') : (bearer[1] ?? '');
}

/** The caller, or a thrown refusal. */
export type Authenticate = (c: KitContext) => Promise<AuthContext>;

/** The gate asks first and the handler again: the store is asked once for each call. */
export function createAuthenticate(bindings: KeyBindings, stored: StorageGuard): Authenticate {
  const asked = new WeakMap<KitContext, Promise<AuthContext>>();
  const ask: Authenticate = async (c) => {
    const verdict = await stored(c, requireApiKey(bindings, presentedKey(c)));
    if (!verdict.ok) throw keyRefusal(verdict);
    return verdict.auth;
  };
  return (c) => {
    const answer = asked.get(c) ?? ask(c);
    asked.set(c, answer);
    return answer;
  };
}

export function keyRefusal({ code, status, message }: KeyRefusal): ScriptsRefusal {
  return refusal(code, message, status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {});
}

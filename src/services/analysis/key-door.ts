// The way to the keys: a store that fails is told apart from a key that is wrong, and every refusal has its headers.

import type { KitContext } from '../../http/context.ts';
import { KeysUnavailable } from '../../keys/analysis-key-store.ts';
import { type AnalysisKeys, hashOfKey, type RefusedCall } from '../../keys/analysis-keys.ts';
import type { Caller } from '../../library/caller.ts';
import { presentedKey } from './presented-key.ts';
import { type AnalysisRefusal, refusal } from './refusal.ts';

export interface KeyDeps {
  readonly keys: AnalysisKeys;
  /** Told when the key store fails: callers learn no more than that it did. */
  readonly trouble: (error: unknown, requestId: string) => void;
}

/** Stores come back within seconds. */
const RETRY_AFTER_S = '2';

/** What the store says; while it says nothing the door stays shut, and nobody is told that a key is wrong. */
export async function fromStore<T>({ trouble }: KeyDeps, requestId: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeysUnavailable) throw unavailable(error.message);
    trouble(error, requestId);
    throw unavailable();
  }
}

/** The gate before the endpoints that need a key: lets in whoever shows one that is known. Quotas are counted later. */
export const requireKey =
  (deps: KeyDeps) =>
  async (c: KitContext): Promise<void> => {
    const rawKey = presentedKey(c) ?? '';
    if ((await fromStore(deps, c.var.requestId, deps.keys.validate(rawKey))) === undefined) throw unauthorized(rawKey);
  };

/** Who a key is to the threads: its runs and its searches count as one caller's. */
export const keyCaller = (rawKey: string): Caller => ({ class: 'keyed', id: hashOfKey(rawKey) });

export const unavailable = (message?: string): AnalysisRefusal =>
  refusal('UNAVAILABLE', message, { headers: { 'retry-after': RETRY_AFTER_S } });

const UNKNOWN_KEY = 'this API key is not known: it is mistyped, of another kind, or was revoked; send another one';

/** Whoever sent a key must not look for the fault in how it was sent; who sent none has the empty one. */
export const unauthorized = (rawKey: string): AnalysisRefusal =>
  refusal('UNAUTHORIZED', rawKey === '' ? undefined : UNKNOWN_KEY, { headers: { 'www-authenticate': 'Bearer' } });

/** `limit`: the calls of its tier. Without `retryAfterS` usage never starts again, and no time can be told. */
export function quotaSpent({ message, retryAfterS }: Omit<RefusedCall, 'ok'>, limit: unknown): AnalysisRefusal {
  const wait = retryAfterS === undefined ? '' : `;t=${retryAfterS}`;
  const headers: Record<string, string> = { ratelimit: `"calls";r=0${wait}` };
  if (typeof limit === 'number') headers['ratelimit-policy'] = `"calls";q=${limit}`;
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  return refusal('RATE_LIMITED', message, { headers });
}

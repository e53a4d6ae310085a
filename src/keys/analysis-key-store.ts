// The port behind which analysis keys are kept, hash only, and the one rule by which every store counts a call.

import type { Tier } from './tiers.ts';

/** First 12 hex digits of the hash: enough to name a key, useless to guess it. */
export const KEY_ID_CHARS = 12;

export interface AnalysisKey {
  readonly keyId: string;
  /** SHA-256 of the raw key, hex. The raw key itself is stored nowhere. */
  readonly keyHash: string;
  readonly tier: Tier;
  /** Calls counted in the period of `lastUsedS`; see callsSince. */
  readonly callsUsed: number;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** Unix seconds of the last counted call; null until there is one. */
  readonly lastUsedS: number | null;
}

/** One call to be counted. */
export interface CountedCall {
  readonly atS: number;
  /** Calls before this moment belong to an earlier period. 0 where usage never starts again. */
  readonly sinceS: number;
  /** The most calls a period may hold; undefined where nothing limits them. */
  readonly limit: number | undefined;
}

export type CountResult =
  | { readonly counted: true; readonly key: AnalysisKey }
  /** Nothing was changed: the key was revoked meanwhile, or has no call left. */
  | { readonly counted: false; readonly reason: 'missing' | 'at-limit' };

/**
 * The keys cannot be used from here, because another process has them or their file is damaged. The message is for callers
 * too, and says what has to be done.
 */
export class KeysUnavailable extends Error {}

/**
 * What a call resolves with is durable; a call that rejects (StorageError) has changed nothing.
 *
 * A store over several processes (Redis) must guarantee the same: `add`, `count` and `revoke` each as one atomic script,
 * `count` with the limit checked inside it by the rule of `countCall`, and a lost connection must reject, because a key
 * that cannot be looked up does not open the door. Calls in flight are held by the process that admitted them, so
 * processes that share a store may together admit a few calls too many; `count` still never goes past the limit.
 */
export interface AnalysisKeyStore {
  find(keyHash: string): Promise<AnalysisKey | undefined>;
  /** Rejects when the hash or the id is taken, or when the store is full. */
  add(key: AnalysisKey): Promise<void>;
  count(keyHash: string, call: CountedCall): Promise<CountResult>;
  /** Removes the key and resolves with what it was; undefined when there is none with that id. */
  revoke(keyId: string): Promise<AnalysisKey | undefined>;
  /** The oldest first, no more than `limit`. */
  list(limit: number): Promise<readonly AnalysisKey[]>;
  /** Really reads and writes; for readiness. `off` where the keys cannot be used until the operator has done something. */
  probe(): Promise<'off' | undefined>;
  /** Resolves when everything taken has been written. */
  close(): Promise<void>;
}

/**
 * The calls of the current period. They belong to the period of the last counted call, so no second field can disagree
 * with it. A clock that ran ahead for a while mends itself with the next call, since `lastUsedS` always takes its time.
 */
export const callsSince = ({ callsUsed, lastUsedS }: AnalysisKey, sinceS: number): number =>
  lastUsedS === null || lastUsedS < sinceS ? 0 : callsUsed;

/** The key with one more call, or undefined when its limit leaves no room for it. */
export function countCall(key: AnalysisKey, { atS, sinceS, limit }: CountedCall): AnalysisKey | undefined {
  const before = callsSince(key, sinceS);
  if (limit !== undefined && before >= limit) return undefined;
  return { ...key, callsUsed: before + 1, lastUsedS: atS };
}

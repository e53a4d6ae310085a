// Keys of the analysis API: minted here, shown once, kept as hashes, and counted call by call against their tier.

import { hash, timingSafeEqual } from 'node:crypto';
import { type AnalysisKey, type AnalysisKeyStore, callsSince, KEY_ID_CHARS } from './analysis-key-store.ts';
import { type CallGate, createCallGates } from './call-gates.ts';
import { callLimitOf, type Tier } from './tiers.ts';
import {
  type CallOutcome,
  isKeyRateLimited,
  type TierInfo,
  tierInfo,
  type UsageBlock,
  type UsageReset,
  usageBlock,
  usagePeriod,
} from './usage.ts';

export interface MintedKey {
  readonly key: AnalysisKey;
  /** The raw key. Shown once, stored nowhere. */
  readonly apiKey: string;
}

export interface ValidatedKey {
  readonly keyId: string;
  readonly tier: Tier;
  readonly rateLimited: boolean;
  readonly tierInfo: TierInfo;
}

export interface KeyUsage {
  readonly keyId: string;
  readonly tier: Tier;
  readonly rateLimited: boolean;
  readonly usage: UsageBlock;
}

export interface AdmittedCall {
  readonly ok: true;
  /** As it was when the call came in. */
  readonly key: AnalysisKey;
  /**
   * To be called exactly when the handler is through, also when it threw; a second time changes nothing. Resolves with
   * whether the call was counted, durably. Rejects when the count could not be stored; the slot is free all the same.
   */
  done(outcome: CallOutcome): Promise<boolean>;
}

export interface RefusedCall {
  readonly ok: false;
  readonly status: 401 | 429;
  readonly code: 'UNAUTHORIZED' | 'RATE_LIMITED';
  readonly message: string;
  /** For Retry-After; only with RATE_LIMITED, and only where usage starts again. */
  readonly retryAfterS?: number;
}

export interface AnalysisKeys {
  mint(tier: Tier): Promise<MintedKey>;
  /** Undefined when there is no such key. Changes no usage. */
  validate(rawKey: string): Promise<ValidatedKey | undefined>;
  /** For the protected route that is not counted; a key at its limit is told apart by `rateLimited`. */
  usage(rawKey: string): Promise<KeyUsage | undefined>;
  admit(rawKey: string | undefined): Promise<AdmittedCall | RefusedCall>;
  /** Ends a key at once, by the raw key or its id. Undefined when there is none. */
  revoke(keyOrId: string): Promise<AnalysisKey | undefined>;
  list(limit: number): Promise<readonly AnalysisKey[]>;
}

export interface AnalysisKeysOptions {
  readonly store: AnalysisKeyStore;
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly usageReset: UsageReset;
}

const RAW_KEY_BYTES = 32;
/** Ours have 43 characters after the prefix; keys from older files may have more or fewer. Longer is not worth hashing. */
const RAW_KEY = /^pyn_[A-Za-z0-9_-]{1,252}$/;
const KEY_ID = /^[0-9a-f]{12}$/;
const MS_PER_S = 1000;

export const isRawAnalysisKey = (text: string): boolean => RAW_KEY.test(text);
export const hashOfKey = (rawKey: string): string => hash('sha256', rawKey, 'hex');

const UNAUTHORIZED: RefusedCall = {
  ok: false,
  status: 401,
  code: 'UNAUTHORIZED',
  message: 'An API key is needed; send one of ours as Authorization: Bearer <key>.',
};

export function createAnalysisKeys({ store, nowMs, randomBytes, usageReset }: AnalysisKeysOptions): AnalysisKeys {
  const gates = createCallGates();
  const nowS = () => Math.floor(nowMs() / MS_PER_S);
  const period = () => usagePeriod(nowMs(), usageReset);

  async function find(rawKey: string): Promise<AnalysisKey | undefined> {
    if (!isRawAnalysisKey(rawKey)) return undefined;
    const keyHash = hashOfKey(rawKey);
    const key = await store.find(keyHash);
    return key !== undefined && sameHash(key.keyHash, keyHash) ? key : undefined;
  }

  async function count(gate: CallGate, key: AnalysisKey): Promise<boolean> {
    const { sinceS } = period();
    const limit = callLimitOf(key.tier);
    gate.settle(true, sinceS);
    try {
      const result = await store.count(key.keyHash, { atS: nowS(), sinceS, limit });
      if (result.counted) gate.learn(callsSince(result.key, sinceS), sinceS);
      else if (result.reason === 'at-limit' && limit !== undefined) gate.learn(limit, sinceS);
      return result.counted;
    } catch (error) {
      gate.takeBack(sinceS);
      throw error;
    } finally {
      gate.leave();
    }
  }

  function admitted(gate: CallGate, key: AnalysisKey): AdmittedCall {
    let end: Promise<boolean> | undefined;
    const release = (): Promise<boolean> => {
      gate.settle(false, period().sinceS);
      gate.leave();
      return Promise.resolve(false);
    };
    return {
      ok: true,
      key,
      done: (outcome) => {
        end ??= outcome === 'counted' ? count(gate, key) : release();
        return end;
      },
    };
  }

  function rateLimited(): RefusedCall {
    const { resetAtS } = period();
    const again =
      resetAtS === null
        ? 'ask for a higher tier'
        : 'wait until reset_at (POST /auth/validate tells) or ask for a higher tier';
    return {
      ok: false,
      status: 429,
      code: 'RATE_LIMITED',
      message: `This key has used all calls of its tier; ${again}.`,
      ...(resetAtS === null ? {} : { retryAfterS: Math.max(1, resetAtS - nowS()) }),
    };
  }

  return {
    async mint(tier) {
      const apiKey = `pyn_${Buffer.from(randomBytes(RAW_KEY_BYTES)).toString('base64url')}`;
      const keyHash = hashOfKey(apiKey);
      const keyId = keyHash.slice(0, KEY_ID_CHARS);
      const key: AnalysisKey = { keyId, keyHash, tier, callsUsed: 0, createdAtS: nowS(), lastUsedS: null };
      await store.add(key);
      return { key, apiKey };
    },

    async validate(rawKey) {
      const key = await find(rawKey);
      if (key === undefined) return undefined;
      const now = period();
      return {
        keyId: key.keyId,
        tier: key.tier,
        rateLimited: isKeyRateLimited(key, now),
        tierInfo: tierInfo(key, now),
      };
    },

    async usage(rawKey) {
      const key = await find(rawKey);
      if (key === undefined) return undefined;
      const now = period();
      return {
        keyId: key.keyId,
        tier: key.tier,
        rateLimited: isKeyRateLimited(key, now),
        usage: usageBlock(key, now),
      };
    },

    async admit(rawKey) {
      if (rawKey === undefined || !isRawAnalysisKey(rawKey)) return UNAUTHORIZED;
      const gate = gates.enter(hashOfKey(rawKey));
      let admittedKey: AnalysisKey | undefined;
      try {
        const key = await find(rawKey);
        if (key === undefined) return UNAUTHORIZED;
        const { sinceS } = period();
        if (!gate.admit(callsSince(key, sinceS), sinceS, callLimitOf(key.tier))) return rateLimited();
        admittedKey = key;
      } finally {
        if (admittedKey === undefined) gate.leave();
      }
      return admitted(gate, admittedKey);
    },

    async revoke(keyOrId) {
      if (KEY_ID.test(keyOrId)) return store.revoke(keyOrId);
      const key = await find(keyOrId);
      return key === undefined ? undefined : store.revoke(key.keyId);
    },

    list: (limit) => store.list(limit),
  };
}

const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));

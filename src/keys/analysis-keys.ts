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
  type UsagePeriod,
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
  /** Of each key, the oldest first. */
  usages(limit: number): Promise<readonly KeyUsage[]>;
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

export const createAnalysisKeys = (options: AnalysisKeysOptions): AnalysisKeys => new StoredAnalysisKeys(options);

class StoredAnalysisKeys implements AnalysisKeys {
  readonly #options: AnalysisKeysOptions;
  readonly #gates = createCallGates();

  constructor(options: AnalysisKeysOptions) {
    this.#options = options;
  }

  async mint(tier: Tier): Promise<MintedKey> {
    const { store, randomBytes } = this.#options;
    const apiKey = `pyn_${Buffer.from(randomBytes(RAW_KEY_BYTES)).toString('base64url')}`;
    const keyHash = hashOfKey(apiKey);
    const keyId = keyHash.slice(0, KEY_ID_CHARS);
    const key: AnalysisKey = { keyId, keyHash, tier, callsUsed: 0, createdAtS: this.#nowS(), lastUsedS: null };
    await store.add(key);
    return { key, apiKey };
  }

  async validate(rawKey: string): Promise<ValidatedKey | undefined> {
    const key = await this.#find(rawKey);
    if (key === undefined) return undefined;
    const { keyId, tier } = key;
    const period = this.#period();
    return { keyId, tier, rateLimited: isKeyRateLimited(key, period), tierInfo: tierInfo(key, period) };
  }

  async usage(rawKey: string): Promise<KeyUsage | undefined> {
    const key = await this.#find(rawKey);
    return key && this.#usageOf(key);
  }

  async admit(rawKey: string | undefined): Promise<AdmittedCall | RefusedCall> {
    if (rawKey === undefined || !isRawAnalysisKey(rawKey)) return UNAUTHORIZED;
    const gate = this.#gates.enter(hashOfKey(rawKey));
    let admittedKey: AnalysisKey | undefined;
    try {
      const key = await this.#find(rawKey);
      if (key === undefined) return UNAUTHORIZED;
      const { sinceS } = this.#period();
      if (!gate.admit(callsSince(key, sinceS), sinceS, callLimitOf(key.tier))) return this.#rateLimited();
      admittedKey = key;
    } finally {
      if (admittedKey === undefined) gate.leave();
    }
    return this.#admitted(gate, admittedKey);
  }

  async revoke(keyOrId: string): Promise<AnalysisKey | undefined> {
    const { store } = this.#options;
    if (KEY_ID.test(keyOrId)) return store.revoke(keyOrId);
    const key = await this.#find(keyOrId);
    return key === undefined ? undefined : store.revoke(key.keyId);
  }

  list(limit: number): Promise<readonly AnalysisKey[]> {
    return this.#options.store.list(limit);
  }

  async usages(limit: number): Promise<readonly KeyUsage[]> {
    return (await this.list(limit)).map((key) => this.#usageOf(key));
  }

  #usageOf(key: AnalysisKey): KeyUsage {
    const { keyId, tier } = key;
    const period = this.#period();
    return { keyId, tier, rateLimited: isKeyRateLimited(key, period), usage: usageBlock(key, period) };
  }

  async #find(rawKey: string): Promise<AnalysisKey | undefined> {
    if (!isRawAnalysisKey(rawKey)) return undefined;
    const keyHash = hashOfKey(rawKey);
    const key = await this.#options.store.find(keyHash);
    return key !== undefined && sameHash(key.keyHash, keyHash) ? key : undefined;
  }

  #admitted(gate: CallGate, key: AnalysisKey): AdmittedCall {
    let end: Promise<boolean> | undefined;
    const done = (outcome: CallOutcome): Promise<boolean> => {
      end ??= outcome === 'counted' ? this.#count(gate, key) : this.#release(gate);
      return end;
    };
    return { ok: true, key, done };
  }

  #release(gate: CallGate): Promise<boolean> {
    gate.settle(false, this.#period().sinceS);
    gate.leave();
    return Promise.resolve(false);
  }

  async #count(gate: CallGate, key: AnalysisKey): Promise<boolean> {
    const { sinceS } = this.#period();
    const limit = callLimitOf(key.tier);
    gate.settle(true, sinceS);
    try {
      const result = await this.#options.store.count(key.keyHash, { atS: this.#nowS(), sinceS, limit });
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

  #rateLimited(): RefusedCall {
    const { resetAtS } = this.#period();
    const again =
      resetAtS === null
        ? 'ask for a higher tier'
        : 'wait until reset_at (POST /auth/validate tells) or ask for a higher tier';
    return {
      ok: false,
      status: 429,
      code: 'RATE_LIMITED',
      message: `This key has used all calls of its tier; ${again}.`,
      ...(resetAtS === null ? {} : { retryAfterS: Math.max(1, resetAtS - this.#nowS()) }),
    };
  }

  #nowS(): number {
    return Math.floor(this.#options.nowMs() / MS_PER_S);
  }

  #period(): UsagePeriod {
    return usagePeriod(this.#options.nowMs(), this.#options.usageReset);
  }
}

const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));

// Token buckets that several processes share: asked of what they have in common, and counted by this process alone while that is away.

import { type MaybePromise, whenKnown } from '../timing/maybe-promise.ts';
import {
  type BucketLimits,
  type BucketResult,
  bucketResult,
  createTokenBuckets,
  isLimitOff,
  type TokenBucketOptions,
  type TokenBuckets,
} from './token-bucket.ts';

export interface TokensSeen {
  readonly allowed: boolean;
  /** What is left. */
  readonly tokens: number;
}

/** The buckets of all processes. Undefined: they cannot be asked now. Answers come in the order of asking. */
export interface SharedTokens {
  take(bucket: string, limits: BucketLimits): MaybePromise<TokensSeen | undefined>;
  peek(bucket: string, limits: BucketLimits): MaybePromise<TokensSeen | undefined>;
  giveBack(bucket: string, limits: BucketLimits): void;
}

/** Buckets of one process, or of several. */
export interface RateBuckets extends Pick<TokenBuckets, 'giveBack' | 'configure'> {
  take(key: string): MaybePromise<BucketResult>;
  peek(key: string): MaybePromise<BucketResult>;
}

export interface RateBucketsOptions extends TokenBucketOptions {
  /** Of this limit; the buckets of several processes are found under it. */
  readonly name: string;
  /** Undefined where this process counts alone. */
  readonly shared: SharedTokens | undefined;
}

export function createRateBuckets({ name, shared, ...options }: RateBucketsOptions): RateBuckets {
  const own = createTokenBuckets(options);
  return shared ? new SharedBuckets(name, own, shared, options) : own;
}

class SharedBuckets implements RateBuckets {
  readonly #name: string;
  readonly #own: TokenBuckets;
  readonly #shared: SharedTokens;
  #limits: BucketLimits;

  constructor(name: string, own: TokenBuckets, shared: SharedTokens, limits: BucketLimits) {
    this.#name = name;
    this.#own = own;
    this.#shared = shared;
    this.#limits = limits;
  }

  take(key: string): MaybePromise<BucketResult> {
    return this.#ask('take', key, (seen) => {
      // Counted here too: should the others be lost, this process still has its limit.
      if (seen.allowed) this.#own.take(key);
    });
  }

  peek(key: string): MaybePromise<BucketResult> {
    return this.#ask('peek', key, () => {});
  }

  giveBack(key: string): void {
    this.#own.giveBack(key);
    if (!isLimitOff(this.#limits)) this.#shared.giveBack(this.#bucket(key), this.#limits);
  }

  configure(limits: BucketLimits): void {
    this.#own.configure(limits);
    this.#limits = limits;
  }

  #ask(what: 'take' | 'peek', key: string, heard: (seen: TokensSeen) => void): MaybePromise<BucketResult> {
    const limits = this.#limits;
    if (isLimitOff(limits)) return this.#own[what](key);
    return whenKnown(this.#shared[what](this.#bucket(key), limits), (seen) => {
      if (seen === undefined) return this.#own[what](key);
      heard(seen);
      return bucketResult(limits, seen.tokens, seen.allowed);
    });
  }

  #bucket(key: string): string {
    return `${this.#name}:${key}`;
  }
}

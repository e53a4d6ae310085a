// Token buckets by key: a burst up to the capacity, a steady refill, bounded memory, and the headers that tell the client.

export interface BucketLimits {
  /** Zero in either field turns the limit off. */
  capacity: number;
  refillPerMinute: number;
}

export interface TokenBucketOptions extends BucketLimits {
  /** Monotonic: a wall clock that jumps would hand out or withhold tokens. */
  nowMs: () => number;
  maxKeys: number;
}

export interface BucketResult {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly limit: number;
  readonly retryAfterSeconds: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
}

export interface TokenBuckets {
  take(key: string): BucketResult;
  peek(key: string): BucketResult;
  /** For a token that was taken and not needed. */
  giveBack(key: string): void;
  configure(limits: BucketLimits): void;
  readonly size: number;
}

interface Bucket {
  tokens: number;
  updatedMs: number;
}

const MS_PER_MINUTE = 60_000;

/** Refill is a fraction per millisecond; without this a whole token could stay a hair short of one. */
const ROUNDING = 1e-9;

/** How many of the oldest buckets are looked at for a full one before the oldest of all is dropped. */
const EVICTION_LOOKS = 8;

const UNLIMITED: BucketResult = { allowed: true, remaining: 0, limit: 0, retryAfterSeconds: 0, resetSeconds: 0 };

export const createTokenBuckets = (options: TokenBucketOptions): TokenBuckets => new Buckets(options);

class Buckets implements TokenBuckets {
  readonly #nowMs: () => number;
  readonly #maxKeys: number;
  /** Kept in order of last use, so that the buckets in front are the least recently used. */
  readonly #buckets = new Map<string, Bucket>();
  #limits: BucketLimits;

  constructor({ nowMs, maxKeys, ...limits }: TokenBucketOptions) {
    if (!Number.isInteger(maxKeys) || maxKeys < 1) throw new Error('maxKeys must be a whole number of at least 1.');
    this.#nowMs = nowMs;
    this.#maxKeys = maxKeys;
    this.#limits = checked(limits);
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(key: string): BucketResult {
    if (this.#isOff) return UNLIMITED;
    const atMs = this.#nowMs();
    const bucket = this.#buckets.get(key);
    const tokens = this.#tokensIn(bucket, atMs);
    const allowed = tokens >= 1 - ROUNDING;
    const left = allowed ? Math.max(0, tokens - 1) : tokens;
    if (bucket === undefined && this.#buckets.size >= this.#maxKeys) this.#makeRoom(atMs);
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: left, updatedMs: Math.max(bucket?.updatedMs ?? atMs, atMs) });
    return bucketResult(this.#limits, left, allowed);
  }

  peek(key: string): BucketResult {
    if (this.#isOff) return UNLIMITED;
    const tokens = this.#tokensIn(this.#buckets.get(key), this.#nowMs());
    return bucketResult(this.#limits, tokens, tokens >= 1 - ROUNDING);
  }

  giveBack(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#limits.capacity, bucket.tokens + 1);
  }

  configure(limits: BucketLimits): void {
    const wanted = checked(limits);
    const atMs = this.#nowMs();
    // What was earned so far was earned at the old rate.
    for (const bucket of this.#buckets.values()) {
      bucket.tokens = Math.min(wanted.capacity, this.#tokensIn(bucket, atMs));
      bucket.updatedMs = Math.max(bucket.updatedMs, atMs);
    }
    this.#limits = wanted;
    if (this.#isOff) this.#buckets.clear();
  }

  get #isOff(): boolean {
    return isLimitOff(this.#limits);
  }

  /** Refilled up to now. A key without a bucket was not seen for long enough to have a full one. */
  #tokensIn(bucket: Bucket | undefined, atMs: number): number {
    const { capacity, refillPerMinute } = this.#limits;
    if (bucket === undefined) return capacity;
    const elapsedMs = Math.max(0, atMs - bucket.updatedMs);
    return Math.min(capacity, bucket.tokens + (elapsedMs * refillPerMinute) / MS_PER_MINUTE);
  }

  #makeRoom(atMs: number): void {
    let looks = 0;
    for (const [key, bucket] of this.#buckets) {
      // A full bucket holds no memory of its key: dropping it changes nothing.
      if (this.#tokensIn(bucket, atMs) >= this.#limits.capacity) {
        this.#buckets.delete(key);
        return;
      }
      looks += 1;
      if (looks >= EVICTION_LOOKS) break;
    }
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}

export const isLimitOff = ({ capacity, refillPerMinute }: BucketLimits): boolean =>
  capacity === 0 || refillPerMinute === 0;

/** What a bucket with so many tokens left tells. */
export function bucketResult(
  { capacity, refillPerMinute }: BucketLimits,
  tokens: number,
  allowed: boolean,
): BucketResult {
  const perSecond = refillPerMinute / 60;
  return {
    allowed,
    remaining: Math.floor(tokens + ROUNDING),
    limit: capacity,
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond - ROUNDING)),
    resetSeconds: Math.ceil((capacity - tokens) / perSecond - ROUNDING),
  };
}

function checked({ capacity, refillPerMinute }: BucketLimits): BucketLimits {
  if (!Number.isInteger(capacity) || capacity < 0 || !Number.isFinite(refillPerMinute) || refillPerMinute < 0) {
    throw new Error('A rate limit needs a whole capacity and a refill per minute, both 0 or more (0 turns it off).');
  }
  return { capacity, refillPerMinute };
}

/** The IETF draft's structured fields; a limit that is off says nothing. */
export function rateLimitHeaders(
  result: BucketResult,
  policyName: string,
  windowSeconds: number,
): Record<string, string> {
  if (result.limit === 0) return {};
  const waitSeconds = result.allowed ? result.resetSeconds : result.retryAfterSeconds;
  const headers: Record<string, string> = {
    ratelimit: `"${policyName}";r=${result.remaining};t=${waitSeconds}`,
    'ratelimit-policy': `"${policyName}";q=${result.limit};w=${windowSeconds}`,
  };
  if (!result.allowed) headers['retry-after'] = String(result.retryAfterSeconds);
  return headers;
}

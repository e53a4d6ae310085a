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

export function createTokenBuckets({ nowMs, maxKeys, ...first }: TokenBucketOptions): TokenBuckets {
  if (!Number.isInteger(maxKeys) || maxKeys < 1) throw new Error('maxKeys must be a whole number of at least 1.');
  // Kept in order of last use, so that the buckets in front are the least recently used.
  const buckets = new Map<string, Bucket>();
  let limits = checked(first);

  const refill = (bucket: Bucket, atMs: number): number => {
    const elapsedMs = Math.max(0, atMs - bucket.updatedMs);
    return Math.min(limits.capacity, bucket.tokens + (elapsedMs * limits.refillPerMinute) / MS_PER_MINUTE);
  };

  const makeRoom = (atMs: number): void => {
    let looks = 0;
    for (const [key, bucket] of buckets) {
      // A full bucket holds no memory of its key: dropping it changes nothing.
      if (refill(bucket, atMs) >= limits.capacity) {
        buckets.delete(key);
        return;
      }
      looks += 1;
      if (looks >= EVICTION_LOOKS) break;
    }
    const oldest = buckets.keys().next();
    if (!oldest.done) buckets.delete(oldest.value);
  };

  const result = (tokens: number, allowed: boolean): BucketResult => {
    const perSecond = limits.refillPerMinute / 60;
    return {
      allowed,
      remaining: Math.floor(tokens + ROUNDING),
      limit: limits.capacity,
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond - ROUNDING)),
      resetSeconds: Math.ceil((limits.capacity - tokens) / perSecond - ROUNDING),
    };
  };

  const isOff = (): boolean => limits.capacity === 0 || limits.refillPerMinute === 0;

  return {
    take(key) {
      if (isOff()) return UNLIMITED;
      const atMs = nowMs();
      const bucket = buckets.get(key);
      const tokens = bucket === undefined ? limits.capacity : refill(bucket, atMs);
      const allowed = tokens >= 1 - ROUNDING;
      const left = allowed ? Math.max(0, tokens - 1) : tokens;
      if (bucket === undefined) {
        if (buckets.size >= maxKeys) makeRoom(atMs);
        buckets.set(key, { tokens: left, updatedMs: atMs });
      } else {
        bucket.tokens = left;
        bucket.updatedMs = Math.max(bucket.updatedMs, atMs);
        buckets.delete(key);
        buckets.set(key, bucket);
      }
      return result(left, allowed);
    },
    peek(key) {
      if (isOff()) return UNLIMITED;
      const bucket = buckets.get(key);
      const tokens = bucket === undefined ? limits.capacity : refill(bucket, nowMs());
      return result(tokens, tokens >= 1 - ROUNDING);
    },
    configure(next) {
      const wanted = checked(next);
      const atMs = nowMs();
      // What was earned so far was earned at the old rate.
      for (const bucket of buckets.values()) {
        bucket.tokens = Math.min(wanted.capacity, refill(bucket, atMs));
        bucket.updatedMs = Math.max(bucket.updatedMs, atMs);
      }
      limits = wanted;
      if (isOff()) buckets.clear();
    },
    get size() {
      return buckets.size;
    },
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

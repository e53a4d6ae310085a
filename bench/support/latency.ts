// Counts latencies in fixed buckets, so that a million samples cost four megabytes and no garbage.

// Ten microseconds fine, ten seconds wide; anything slower counts in the last bucket.
const BUCKET_MS = 0.01;
const BUCKETS = 1_000_000;

export interface Latencies {
  record(ms: number): void;
  // The latency in milliseconds that this share of the samples (0.5, 0.99) does not exceed.
  quantile(share: number): number;
  readonly maxMs: number;
  readonly count: number;
}

export function createLatencies(): Latencies {
  const buckets = new Uint32Array(BUCKETS);
  let count = 0;
  let maxMs = 0;
  return {
    record(ms) {
      const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.floor(ms / BUCKET_MS)));
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      count += 1;
      if (ms > maxMs) maxMs = ms;
    },
    quantile(share) {
      let left = Math.ceil(count * share);
      for (let i = 0; i < BUCKETS; i += 1) {
        left -= buckets[i] ?? 0;
        if (left <= 0) return (i + 1) * BUCKET_MS;
      }
      return maxMs;
    },
    get maxMs() {
      return maxMs;
    },
    get count() {
      return count;
    },
  };
}

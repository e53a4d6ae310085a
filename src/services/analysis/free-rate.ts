// The optional limit of the free routes: so many scripts per address and minute, off unless the owner sets it.

import { createTokenBuckets, rateLimitHeaders } from '../../http/token-bucket.ts';
import { refusal } from './refusal.ts';

/** More addresses than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;
const WINDOW_S = 60;
/** An editor asks with every few keys, and its questions are small. */
const EDITOR_FACTOR = 10;

/** The headers for the answer; throws the refusal when the address has to wait. */
export type TakeRate = (address: string) => Readonly<Record<string, string>>;

export interface FreeRate {
  readonly run: TakeRate;
  readonly editor: TakeRate;
}

export function createFreeRate(runsPerMinute: number, monotonicMs: () => number): FreeRate {
  return {
    run: takeFrom('free-runs', runsPerMinute, monotonicMs),
    editor: takeFrom('free-editor', runsPerMinute * EDITOR_FACTOR, monotonicMs),
  };
}

function takeFrom(policy: string, perMinute: number, nowMs: () => number): TakeRate {
  const buckets = createTokenBuckets({
    capacity: perMinute,
    refillPerMinute: perMinute,
    nowMs,
    maxKeys: MAX_ADDRESSES,
  });
  return (address) => {
    const result = buckets.take(address);
    const headers = rateLimitHeaders(result, policy, WINDOW_S);
    if (result.allowed) return headers;
    const words = `${result.limit} calls a minute are free for one address; wait ${result.retryAfterSeconds} s`;
    throw refusal('RATE_LIMITED', words, { headers });
  };
}

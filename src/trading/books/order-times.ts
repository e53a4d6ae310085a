// How long trades took on their way: received, sent, answered, filled; from what the journal stores of each.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { VenueMode } from '../venue.ts';
import type { AccountFilter } from './account-reports.ts';

export interface OrderTimes {
  readonly exchange: Exchange;
  readonly mode: VenueMode;
  readonly receivedMs: number;
  /** Its first order was written down and left. */
  readonly sentMs: number;
  /** The venue's first word on it; absent while there is none. */
  readonly answeredMs?: number;
  /** All of it was filled, of an order that does not wait for its price; absent otherwise. */
  readonly filledMs?: number;
}

export interface OrderTimesFilter extends AccountFilter {
  readonly fromMs: number;
  readonly toMs: number;
  /** The newest so many. */
  readonly limit: number;
}

/** The port. */
export interface OrderTimesHistory {
  list(filter: OrderTimesFilter): Promise<readonly OrderTimes[]>;
}

export const LATENCY_STEPS = [
  'received_to_sent',
  'sent_to_answered',
  'answered_to_filled',
  'received_to_filled',
] as const;
export type LatencyStep = (typeof LATENCY_STEPS)[number];

/** The upper ends of the bars of the histogram; what is longer is in one more. */
export const LATENCY_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] as const;

export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** One more than there are bounds. */
  readonly counts: readonly number[];
}

export function durationOf(
  step: LatencyStep,
  { receivedMs, sentMs, answeredMs, filledMs }: OrderTimes,
): number | undefined {
  const between = (from: number | undefined, to: number | undefined): number | undefined =>
    // Clocks are set back now and then.
    from === undefined || to === undefined ? undefined : Math.max(0, to - from);
  switch (step) {
    case 'received_to_sent':
      return between(receivedMs, sentMs);
    case 'sent_to_answered':
      return between(sentMs, answeredMs);
    case 'answered_to_filled':
      return between(answeredMs, filledMs);
    case 'received_to_filled':
      return between(receivedMs, filledMs);
  }
}

/** Undefined of nothing. */
export function latencyOf(durationsMs: readonly number[]): Latency | undefined {
  if (durationsMs.length === 0) return undefined;
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const counts = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  for (const ms of sorted) {
    const bar = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
    const index = bar < 0 ? LATENCY_BOUNDS_MS.length : bar;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1), counts };
}

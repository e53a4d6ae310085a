// The timeframe of bars that nobody named, read from the distance between them.

import { fromSeconds } from '../pine/values/time/timeframe.ts';

/** Bars looked at: gaps of nights and weekends are fewer than the distance itself long before. */
const MAX_LOOKED_AT = 10_000;
const DAY_MS = 86_400_000;
/** Months and years have no fixed length: from so many days to so many, as Pine writes it. */
const UNEVEN: readonly (readonly [fromDays: number, toDays: number, timeframe: string])[] = [
  [28, 31, '1M'],
  [89, 92, '3M'],
  [181, 184, '6M'],
  [365, 366, '12M'],
];

/** The most frequent distance as Pine writes it; undefined for a single bar. */
export function timeframeOf(times: Float64Array, count: number): string | undefined {
  const seen = new Map<number, number>();
  for (let i = 1; i < Math.min(count, MAX_LOOKED_AT); i += 1) {
    const distance = times[i]! - times[i - 1]!;
    seen.set(distance, (seen.get(distance) ?? 0) + 1);
  }
  let [distanceMs, most] = [0, 0];
  // Of equals the shorter one: the longer is a gap.
  for (const [distance, times] of seen)
    if (times > most || (times === most && distance < distanceMs)) [distanceMs, most] = [distance, times];
  if (most === 0) return undefined;
  const uneven = UNEVEN.find(([from, to]) => distanceMs >= from * DAY_MS && distanceMs <= to * DAY_MS);
  return uneven?.[2] ?? fromSeconds(Math.max(1, Math.round(distanceMs / 1000)));
}

// The timeframe of bars that nobody named, read from the distance between them.

import { timeframeOfSeconds } from '../pine/light.ts';

/** Bars looked at: long before, the distance itself is more frequent than the gaps of nights and weekends. */
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
export function timeframeOfBars(times: Float64Array): string | undefined {
  const counts = new Map<number, number>();
  const last = Math.min(times.length, MAX_LOOKED_AT);
  for (let i = 1; i < last; i += 1) {
    const distanceMs = (times[i] as number) - (times[i - 1] as number);
    counts.set(distanceMs, (counts.get(distanceMs) ?? 0) + 1);
  }
  // Of equally frequent distances the shortest is the timeframe: the longer one is a gap.
  const [usual] = [...counts].sort(([aMs, a], [bMs, b]) => b - a || aMs - bMs);
  if (usual === undefined) return undefined;
  const [distanceMs] = usual;
  const uneven = UNEVEN.find(([from, to]) => distanceMs >= from * DAY_MS && distanceMs <= to * DAY_MS);
  return uneven?.[2] ?? timeframeOfSeconds(Math.max(1, Math.round(distanceMs / 1000)));
}

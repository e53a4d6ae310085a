// The timeframe that the distance between bars tells.

import { describe, expect, it } from 'vitest';
import { timeframeOf } from './bar-timeframe.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const every = (stepMs: number, count = 50) =>
  Float64Array.from({ length: count }, (_, i) => 1_600_000_000_000 + i * stepMs);
const of = (times: Float64Array) => timeframeOf(times, times.length);

describe('the timeframe of bars', () => {
  it.each([
    [1000, '1S'],
    [15_000, '15S'],
    [MINUTE_MS, '1'],
    [5 * MINUTE_MS, '5'],
    [60 * MINUTE_MS, '60'],
    [240 * MINUTE_MS, '240'],
    [DAY_MS, '1D'],
    [7 * DAY_MS, '1W'],
    [1, '1S'],
  ])('of %i ms is %s', (stepMs, expected) => {
    expect(of(every(stepMs))).toBe(expected);
  });

  it('is the most frequent distance, not a gap', () => {
    const nights = Float64Array.from({ length: 70 }, (_, i) => Math.floor(i / 7) * DAY_MS + (i % 7) * 60 * MINUTE_MS);
    expect(of(nights)).toBe('60');
    const weekdays = Float64Array.from({ length: 50 }, (_, i) => (Math.floor(i / 5) * 7 + (i % 5)) * DAY_MS);
    expect(of(weekdays)).toBe('1D');
    expect(of(Float64Array.of(0, MINUTE_MS, 11 * MINUTE_MS))).toBe('1');
    expect(of(Float64Array.of(0, 10 * MINUTE_MS, 11 * MINUTE_MS))).toBe('1');
  });

  it.each([
    [1, '1M'],
    [3, '3M'],
    [6, '6M'],
    [12, '12M'],
  ])('of %i months is %s, however long the months are', (months, expected) => {
    expect(of(Float64Array.from({ length: 24 }, (_, i) => Date.UTC(2000, i * months, 1)))).toBe(expected);
  });

  it('of a single bar is not known', () => {
    expect(of(every(MINUTE_MS, 1))).toBeUndefined();
    expect(timeframeOf(every(MINUTE_MS), 1)).toBeUndefined();
  });
});

// The timeframe of unnamed bars: the usual distance counts, whatever gaps there are, and months are months.

import { describe, expect, it } from 'vitest';
import { timeframeOfBars } from './bar-timeframe.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const every = (stepMs: number, count = 50) =>
  Float64Array.from({ length: count }, (_, i) => 1_600_000_000_000 + i * stepMs);
const of = timeframeOfBars;

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
    expect(of(every(MINUTE_MS).subarray(0, 1))).toBeUndefined();
  });
});

/** Times from the distances between them. */
function times(...distances: number[]): Float64Array {
  let atMs = 1_700_000_000_000;
  return Float64Array.from([0, ...distances], (distance) => {
    atMs += distance;
    return atMs;
  });
}

it.each([
  ['minutes', times(MINUTE_MS, MINUTE_MS), '1'],
  ['hours with a night between', times(60 * MINUTE_MS, 60 * MINUTE_MS, 17 * 60 * MINUTE_MS), '60'],
  ['days with a weekend between', times(DAY_MS, DAY_MS, 3 * DAY_MS), '1D'],
  ['as many gaps as days', times(DAY_MS, 3 * DAY_MS), '1D'],
  ['weeks', times(7 * DAY_MS, 7 * DAY_MS), '1W'],
  ['months', times(31 * DAY_MS, 28 * DAY_MS, 31 * DAY_MS), '1M'],
  ['quarters', times(90 * DAY_MS, 91 * DAY_MS, 92 * DAY_MS), '3M'],
  ['years', times(365 * DAY_MS, 365 * DAY_MS, 366 * DAY_MS), '12M'],
  ['seconds', times(1000, 1000), '1S'],
  ['less than a second', times(200, 200), '1S'],
  ['a single bar', times(), undefined],
  ['none', new Float64Array(0), undefined],
])('%s', (_, list, timeframe) => {
  expect(timeframeOfBars(list)).toBe(timeframe);
});

// The timeframe of unnamed bars: the usual distance counts, whatever gaps there are, and months are months.

import { expect, it } from 'vitest';
import { timeframeOfBars } from './bar-timeframe.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

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

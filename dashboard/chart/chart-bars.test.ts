// Tests of bars that grow at both ends.

import { expect, it } from 'vitest';
import { ChartBars } from './chart-bars.ts';

const bar = (time: number, close = time) => ({ time, open: 1, high: 2, low: 0, close, volume: 3 });
const timesOf = ({ columns: { time, count } }: ChartBars) => [...time.subarray(0, count)];

it('bars grow at both ends and never twice', () => {
  const bars = new ChartBars();
  expect(bars.addPast([bar(5), bar(6)])).toBe(2);
  expect(bars.addPast([bar(3), bar(4), bar(5)])).toBe(2);
  expect(bars.put(bar(6, 99))).toBe(true);
  expect(bars.put(bar(7))).toBe(true);
  expect(bars.put(bar(5))).toBe(false);
  expect(timesOf(bars)).toEqual([3, 4, 5, 6, 7]);
  expect(bars.at(3)).toEqual(bar(6, 99));
  expect(bars.last).toEqual(bar(7));
  expect(bars.at(5)).toBeUndefined();
  expect(bars.first(2).count).toBe(2);
});

it('thousands of new bars find room', () => {
  const bars = new ChartBars();
  for (let i = 0; i < 5000; i += 1) bars.put(bar(i));
  expect(bars.count).toBe(5000);
  expect(bars.last?.close).toBe(4999);
});

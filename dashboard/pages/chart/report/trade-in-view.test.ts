// Tests of what is shown of a trade on the chart.

import { expect, it } from 'vitest';
import { barColumns } from '../../../../src/pine/light.ts';
import { barAt, rangeAround } from './trade-in-view.ts';

it('keeps a trade that fits in the middle, as near as the chart is', () => {
  expect(rangeAround(100, 120, 80)).toEqual({ from: 70, to: 150 });
});

it('goes further away for one that does not fit, with room on both sides', () => {
  const { from, to } = rangeAround(0, 700, 80);
  expect(to - from).toBeCloseTo(1000);
  expect(from).toBeCloseTo(-150);
});

it('finds the bar of a time: that one, the last before it, and the ends', () => {
  const bars = barColumns([10, 20, 30].map((time) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 })));
  expect([5, 10, 19, 20, 30, 99].map((time) => barAt(bars, time))).toEqual([0, 0, 0, 1, 2, 2]);
});

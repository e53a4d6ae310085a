// How an equity curve becomes points: what may be left out, and that there are never too many.

import { describe, expect, it } from 'vitest';
import { barColumns } from '../run/bars.ts';
import { equityPoints, MAX_EQUITY_POINTS } from './equity-points.ts';

const bars = (count: number) =>
  barColumns(
    Array.from({ length: count }, (_, index) => ({ time: index, open: 1, high: 1, low: 1, close: 1, volume: 1 })),
  );
const pointsOf = (curve: readonly number[], range: { leftOut?: number; from?: number; to?: number } = {}) => {
  const leftOut = range.leftOut ?? 0;
  const count = curve.length + leftOut;
  return equityPoints(curve, bars(count), { initialCapital: 100, leftOut, from: leftOut, to: count, ...range });
};
const plain = (points: ReturnType<typeof equityPoints>) =>
  points.map(({ timeMs, equity, drawdown, drawdownPercent }) => [timeMs, equity, drawdown, drawdownPercent]);

describe('the points of an equity curve', () => {
  it('have the fall from the highest close so far, which begins as the capital', () => {
    expect(plain(pointsOf([90, 120, 60]))).toEqual([
      [0, 90, 10, 10],
      [1, 120, 0, 0],
      [2, 60, 60, 50],
    ]);
  });

  it('leave out bars between equal ones, so that a line through the rest is the same', () => {
    expect(pointsOf([100, 100, 100, 100, 110, 110, 110, 90]).map(({ timeMs }) => timeMs)).toEqual([0, 3, 4, 6, 7]);
    expect(pointsOf([100, 100, 100]).map(({ timeMs }) => timeMs)).toEqual([0, 2]);
    expect(pointsOf([100]).map(({ timeMs }) => timeMs)).toEqual([0]);
  });

  it('begin where trading begins, and count bars that the script left out', () => {
    expect(plain(pointsOf([1, 110, 99, 7], { leftOut: 2, from: 3, to: 5 }))).toEqual([
      [3, 110, 0, 0],
      [4, 99, 11, 10],
    ]);
    expect(pointsOf([1, 2], { from: 2, to: 2 })).toEqual([]);
  });

  it('are as many as there are bars up to the limit, and never more', () => {
    const rising = (count: number) => Array.from({ length: count }, (_, index) => 100 + index);
    expect(pointsOf(rising(MAX_EQUITY_POINTS))).toHaveLength(MAX_EQUITY_POINTS);
    for (const count of [MAX_EQUITY_POINTS + 1, 3 * MAX_EQUITY_POINTS + 7]) {
      const found = pointsOf(rising(count));
      expect(found).toHaveLength(MAX_EQUITY_POINTS);
      expect(found[0]?.timeMs).toBe(0);
      expect(found.at(-1)?.timeMs).toBe(count - 1);
    }
  });

  it('keep the deepest fall when they are thinned', () => {
    const curve = Array.from({ length: 50_000 }, (_, index) => 100 + index);
    curve[33_333] = 1;
    expect(Math.max(...pointsOf(curve).map(({ drawdown }) => drawdown))).toBe(33_332 + 100 - 1);
  });
});

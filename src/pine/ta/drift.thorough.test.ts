// Rounding errors do not pile up: after a long run a sliding result is what a fresh computation of its window gives.

import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { SlidingSum } from './sliding-sum.ts';
import { Correlation, Stdev, Variance } from './statistics.ts';
import { DEFINITIONS } from './testing/definitions.ts';
import { openDrive, type Result, type Row } from './testing/drive.ts';
import { Wma } from './window-averages.ts';

const BARS = cases(300_000);
const LENGTH = 50;
const SLIDING = [
  'math.sum',
  'ta.sma',
  'ta.wma',
  'ta.vwma',
  'ta.linreg',
  'ta.variance',
  'ta.stdev',
  'ta.dev',
  'ta.correlation',
  'ta.bb',
  'ta.bbw',
  'ta.cmo',
  'ta.mfi',
  'ta.cog',
  'ta.cci',
];

/** Around a million, with a noise nine digits below. */
function noisyRow(i: number): Row {
  const noise = (k: number): number => 1e-3 * Math.sin(i * 12.9898 + k * 78.233 + ((i * i) % 1013));
  const source = 1e6 + noise(0);
  const volume = 1 + ((i * 7919) % 4999);
  const other = 1e6 + noise(0) / 2 + noise(1);
  return { source, other, condition: false, open: source, high: source, low: source, close: source, volume };
}

const rows = Array.from({ length: BARS }, (_, i) => noisyRow(i));

test.each(SLIDING)(`%s is exact after ${BARS} bars`, (name) => {
  const drive = openDrive(name, LENGTH);
  let actual: Result = [];
  for (const row of rows) actual = drive.step(row, LENGTH);
  const tail = rows.slice(-LENGTH - 1);
  const wanted = [DEFINITIONS[name]!(tail, tail.length - 1, LENGTH)].flat() as number[];
  for (const [k, value] of wanted.entries()) {
    expect(value).not.toBeNaN();
    expect(Math.abs((actual[k] as number) - value)).toBeLessThanOrEqual(1e-9 * Math.abs(value));
  }
});

test('a sum is exact again when a value a million million times larger has left it', () => {
  const sum = new SlidingSum('sum', 3);
  for (const value of [0.1, 0.2, 1e15, 0.3, 0.4]) sum.next(value, 3);
  expect(sum.next(0.5, 3)).toBeCloseTo(1.2, 15);
});

test('a sum recovers from an overflow', () => {
  const sum = new SlidingSum('sum', 2);
  expect(sum.next(1e308, 2)).toBeNaN();
  sum.next(1.7e308, 2);
  sum.next(1, 2);
  expect(sum.next(2, 2)).toBe(3);
});

test('the variance of equal values is zero, whatever stood before them', () => {
  const variance = new Variance(3);
  const values = [1e9, 3.3, 1e-3, 0.1, 0.1, 0.1].map((value) => variance.next(value, 3, true));
  expect(values.at(-1)).toBe(0);
});

test('a deviation is exact after a jump of the price far beyond it', () => {
  const stdev = new Stdev(4);
  const jump = [1, 2, 1, 2, 1e6, 1e6 + 0.001, 1e6, 1e6 + 0.001];
  const last = jump.map((value) => stdev.next(value, 4, true)).at(-1);
  const [low, high] = [1e6, 1e6 + 0.001];
  expect(last).toBeCloseTo((high - low) / 2, 16);
});

test('the correlation with what stands still is 0, whatever stood before', () => {
  const correlation = new Correlation(3);
  const still = [75.3, 56.5, 55.9, 75.6, 75.6, 75.6, 70];
  const moving = [57.1, 46.3, 8.4, 51.4, 56.5, 27.3, 30];
  const values = still.map((value, i) => correlation.next(value, moving[i]!, 3));
  expect(values[5]).toBe(0);
  expect(Math.abs(values[6]!)).toBeLessThanOrEqual(1);
});

test('a weighted average does not wander off in the bars after a value far larger than the others', () => {
  const wma = new Wma(2);
  let last = Number.NaN;
  for (let i = 0; i < 100_000; i++) last = wma.next(i === 7 ? 1e12 : 1e-6 * (1 + (i % 3)), 2);
  // 99,998 is 2 and 99,999 is 0 when divided by three: 3e-6 and, twice as heavy, 1e-6.
  expect(Math.abs(last - (5 / 3) * 1e-6)).toBeLessThanOrEqual(1e-12 * 1e-6);
});

test('a weighted average is exact again when two values far larger than the others have left one after the other', () => {
  const wma = new Wma(20);
  let last = Number.NaN;
  for (let i = 0; i < 60; i++) last = wma.next(i === 0 ? 1e20 : i === 9 ? 1234567890123457 : 1, 20);
  expect(last).toBe(1);
});

// Rounding errors do not pile up: after a long run a sliding result is what a fresh computation of its window gives.

import { expect, test } from 'vitest';
import { SlidingSum } from './sliding-sum.ts';
import { Stdev, Variance } from './statistics.ts';
import { DEFINITIONS } from './testing/definitions.ts';
import { openDrive, type Result, type Row } from './testing/drive.ts';

const BARS = 300_000;
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

test.each(SLIDING)('%s is exact after three hundred thousand bars', (name) => {
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

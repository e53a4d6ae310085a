// The edges of every rule: lengths that are no lengths, the first bars, na, ties and the tolerance of comparisons.

import { describe, expect, test } from 'vitest';
import { PineRuntimeError } from '../values/runtime-error.ts';
import { Atr, Kc } from './bands.ts';
import { Change, Cum } from './changes.ts';
import { Cross, Crossover, Crossunder, ValueWhen } from './events.ts';
import { Falling, Highest, HighestBars, LowestBars, Max, Rising } from './extremes.ts';
import { type Kernel, LONGEST_LENGTH, TA_KERNELS } from './index.ts';
import { PercentileNearestRank, PercentRank } from './order-statistics.ts';
import { Cmo, Mfi, Rsi } from './oscillators.ts';
import { PivotHigh } from './pivots.ts';
import { Ema, Rma } from './recursive-averages.ts';
import { Stdev } from './statistics.ts';
import { isWindowed, openDrive, type Row } from './testing/drive.ts';
import { Nvi, Obv, Pvt, Vwap } from './volume.ts';
import { Alma, Hma, Linreg, Sma, Sum, Wma } from './window-averages.ts';

const na = Number.NaN;
const row: Row = { source: 5, other: 4, condition: true, open: 1, high: 3, low: 1, close: 2, volume: 10 };

describe('lengths', () => {
  const windowed = Object.keys(TA_KERNELS).filter((name) => TA_KERNELS[name]!.inputs.includes('length'));

  test.each(windowed)('%s refuses a length of zero, below zero and na in the words of Pine', (name) => {
    for (const [length, word] of [
      [0, '0'],
      [-3, '-3'],
      [na, 'na'],
    ] as const) {
      const own = name.replace(/^\w+\./, '');
      const message = `Invalid value of the 'length' argument (${word}) in the '${own}' function. It must be > 0.`;
      expect(() => openDrive(name, 5).step(row, length)).toThrow(new PineRuntimeError(message));
    }
  });

  test.each(windowed)('%s names the limit when a length is beyond what it was made for', (name) => {
    expect(() => openDrive(name, 5).step(row, 6)).toThrow(/beyond the limit of 5 bars\. Use a shorter length\./);
    expect(() => openDrive(name, 5).step(row, 5)).not.toThrow();
  });

  test.each(windowed)('%s is na while there are fewer values than its length', (name) => {
    const drive = openDrive(name, 50);
    const results = Array.from({ length: 20 }, () => drive.step(row, 50)).flat();
    expect(results.every((value) => value === false || Number.isNaN(value))).toBe(true);
  });

  const fixed = Object.keys(TA_KERNELS).filter(
    (name) => !isWindowed(name) && /len|Period|Smoothing/.test(String(TA_KERNELS[name]!.settings)),
  );

  test.each(fixed)('%s refuses to be made with a length of zero, na or beyond all charts', (name) => {
    const { create, settings } = TA_KERNELS[name]!;
    for (const length of [0, na, -1])
      expect(() => create(...settings.map(() => length))).toThrow(
        /Invalid value of the '\w+' argument .* It must be > 0\./,
      );
    expect(() => create(...settings.map(() => LONGEST_LENGTH + 1))).toThrow(PineRuntimeError);
    expect(() => create(...settings.map(() => 1))).not.toThrow();
  });

  test('a window longer than any chart is refused before memory is taken for it', () => {
    expect(() => new Sma(1e9)).toThrow(PineRuntimeError);
    expect(() => new Highest(1e9)).toThrow(PineRuntimeError);
    expect(() => new Stdev(Number.POSITIVE_INFINITY)).toThrow(PineRuntimeError);
  });

  test('a length with a fraction counts whole bars', () => {
    const sma = new Sma(5);
    expect([1, 2, 3].map((value) => sma.next(value, 2.9))).toEqual([na, 1.5, 2.5]);
  });

  test('averages of one bar are the source', () => {
    const averages = [new Sma(1), new Wma(1), new Alma(1, 0.85, 6)];
    for (const kernel of averages) expect(kernel.next(7, 1)).toBe(7);
    for (const kernel of [new Ema(1), new Rma(1)]) expect([3, 8].map((x) => kernel.next(x))).toEqual([3, 8]);
  });

  test('half of one bar is no length for the wma inside hma', () => {
    const message = "Invalid value of the 'length' argument (0) in the 'wma' function. It must be > 0.";
    expect(() => new Hma(1).next(3)).toThrow(new PineRuntimeError(message));
    const hma = new Hma(2);
    expect([3, 6].map((value) => hma.next(value))).toEqual([na, 7]);
  });

  test('a deviation of one bar is zero, and na as that of a sample', () => {
    const stdev = new Stdev(1);
    expect([stdev.next(7, 1, true), stdev.next(9, 1, false)]).toEqual([0, na]);
  });
});

describe('na', () => {
  test('a window average answers na with what it had, a recursive one with na, and both go on from there', () => {
    const [sma, ema] = [new Sma(2), new Ema(2)];
    const values = [1, 3, na, na, 5];
    expect(values.map((value) => sma.next(value, 2))).toEqual([na, 2, 2, 2, 4]);
    expect(values.map((value) => ema.next(value))).toEqual([na, 2, na, na, 4]);
  });

  test('an infinite value counts as na in sums and averages', () => {
    const [sum, ema, cum] = [new Sum(2), new Ema(2), new Cum()];
    const values = [1, Number.POSITIVE_INFINITY, 2, Number.NEGATIVE_INFINITY, 4];
    expect(values.map((value) => sum.next(value, 2))).toEqual([na, na, 3, 3, 6]);
    expect(values.map((value) => ema.next(value)).at(-1)).toBeCloseTo((2 / 3) * 4 + 0.5, 12);
    expect(values.map((value) => cum.next(value))).toEqual([1, na, 3, na, 7]);
  });

  test('an na makes highest forget what came before, and is passed over by max', () => {
    const [highest, bars] = [new Highest(3), new HighestBars(3)];
    const values = [9, 8, na, 1, 0, 2, 1];
    expect(values.map((value) => highest.next(value, 3))).toEqual([na, na, na, 1, 1, 2, 2]);
    expect(values.map((value) => bars.next(value, 3))).toEqual([na, na, 0, 0, -1, 0, -1]);
    const max = new Max();
    expect([na, 2, na, 1].map((value) => max.next(value))).toEqual([na, 2, 2, 2]);
  });

  test('rising and falling pass over changes from and to an na', () => {
    const falling = new Falling(2);
    const fell = [3, 2, 1, na, na, 9, 8, na, 0, -1].map((value) => falling.next(value, 2));
    expect(fell).toEqual([false, false, true, true, true, true, true, true, true, true]);
    const rising = new Rising(2);
    const rose = [1, 2, na, 1, 3, 2, 4, 5].map((value) => rising.next(value, 2));
    expect(rose).toEqual([false, false, false, false, true, false, false, true]);
  });

  test('crossover and crossunder see a cross over a gap', () => {
    const [over, under] = [new Crossover(), new Crossunder()];
    expect([-1, na, na, 1].map((value) => over.next(value, 0))).toEqual([false, false, false, true]);
    expect([0, 1, 0].map((_, i) => under.next([0, -1, -2][i]!, [0, na, 0][i]!))).toEqual([false, false, true]);
  });

  test('a pivot does not look beyond an na', () => {
    const high = new PivotHigh(5);
    const found = [2, 3, 4, na, 6, 7, na, 7, na].map((value) => high.next(value, 2, 2));
    expect(found).toEqual([na, na, na, na, 4, na, na, 7, na]);
  });

  test('an na counts in the window of percentrank, and nothing is below it', () => {
    const rank = new PercentRank(4);
    const ranks = [na, na, na, 13, 14, 12, na, 15].map((value) => rank.next(value, 4));
    expect(ranks).toEqual([na, na, na, na, 25, 0, 0, 75]);
  });

  test('an na makes alma and linreg na until it has left', () => {
    const [alma, linreg] = [new Alma(2, 0.85, 6), new Linreg(2)];
    const known = [1, 2, na, 3, 4].map((value) => [alma.next(value, 2), linreg.next(value, 2, 0)].map(Number.isNaN));
    expect(known.map(([first]) => first)).toEqual([true, false, true, true, false]);
    expect(known.map(([, second]) => second)).toEqual([true, false, true, true, false]);
  });
});

describe('ties and tolerance', () => {
  test('of equal bars highestbars and lowestbars give the oldest', () => {
    const [high, low] = [new HighestBars(3), new LowestBars(3)];
    expect([5, 5, 5, 5].map((value) => high.next(value, 3))).toEqual([na, na, -2, -2]);
    expect([5, 5, 5, 5].map((value) => low.next(value, 3))).toEqual([na, na, -2, -2]);
  });

  test('a bar of the same height takes the pivot from one to its left, not from one to its right', () => {
    const left = new PivotHigh(3);
    expect([5, 5, 1].map((value) => left.next(value, 1, 1)).at(-1)).toBe(5);
    const right = new PivotHigh(3);
    expect([1, 5, 5].map((value) => right.next(value, 1, 1)).at(-1)).toBeNaN();
  });

  test('a pivot without neighbours is every bar, and sides below zero or na are refused', () => {
    expect(new PivotHigh(3).next(4, 0, 0)).toBe(4);
    expect(() => new PivotHigh(3).next(4, -1, 0)).toThrow("the 'leftbars' argument (-1) in the 'pivothigh' function");
    expect(() => new PivotHigh(3).next(4, 0, na)).toThrow("the 'rightbars' argument (na)");
  });

  test('rising and falling take values within a ten thousand millionth for equal', () => {
    const rises = (step: number): boolean => {
      const rising = new Rising(1);
      rising.next(0, 1);
      return rising.next(step, 1);
    };
    expect([1e-10, 1.1e-10].map(rises)).toEqual([false, true]);
    const falling = new Falling(2);
    expect([3, 2, 1, 1, 0].map((value) => falling.next(value, 2))).toEqual([false, false, true, false, false]);
  });

  test('percentrank counts a value within the tolerance as not greater', () => {
    const rank = (previous: number): number => {
      const kernel = new PercentRank(1);
      kernel.next(previous, 1);
      return kernel.next(0, 1);
    };
    expect([1e-10, 1.1e-10, -1].map(rank)).toEqual([100, 0, 100]);
  });

  test('cmo and mfi take a move within the tolerance for none', () => {
    const cmo = new Cmo(1);
    cmo.next(0, 1);
    expect([cmo.next(-5e-11, 1), cmo.next(-1, 1)]).toEqual([100, -100]);
    const mfi = new Mfi(1);
    expect([mfi.next(1, 10, 1), mfi.next(1 + 5e-11, 10, 1), mfi.next(2, 10, 1)]).toEqual([50, 100, 100]);
  });

  test('crossover and crossunder compare exactly and count a touch on the bar before', () => {
    const over = new Crossover();
    expect([0, 0, 1e-15, 1].map((value) => over.next(value, 0))).toEqual([false, false, true, false]);
    const under = new Crossunder();
    expect([0, -1e-15, -1].map((value) => under.next(value, 0))).toEqual([false, true, false]);
  });

  test('cross remembers the last side across a touch and an na', () => {
    const cross = new Cross();
    const values = [1, 0, 1, 0, -1, na, 1];
    expect(values.map((value) => cross.next(value, 0))).toEqual([false, false, false, false, true, false, true]);
  });
});

describe('first bars and special values', () => {
  test('obv and pvt are na on the first bar, nvi is one', () => {
    expect([new Obv().next(5, 10), new Pvt().next(5, 10), new Nvi().next(5, 10)]).toEqual([na, na, 1]);
  });

  test('the bands of kc start one bar after its middle', () => {
    const kc = new Kc(2);
    const uppers = [na, 1, 1].map((previousClose) => [kc.next(1, 2, 1, previousClose, 1, true), kc.second]);
    expect(uppers).toEqual([
      [na, na],
      [1, na],
      [1, 2],
    ]);
  });

  test('an rsi without a fall is 100, without a rise 0', () => {
    const ends = [1, 1, 1, 1].map((_, i) => i).map((i) => i);
    const [up, down, flat] = [new Rsi(2), new Rsi(2), new Rsi(2)];
    expect(ends.map((i) => up.next(i)).at(-1)).toBe(100);
    expect(ends.map((i) => down.next(-i)).at(-1)).toBe(0);
    expect(ends.map(() => flat.next(1)).at(-1)).toBe(100);
  });

  test('atr smooths when called and measures from the close of the bar before on the chart', () => {
    const atr = new Atr(1);
    expect([atr.next(3, 1, na), atr.next(11, 10, 5)]).toEqual([2, 6]);
  });

  test('vwap is na before its anchor, without any volume, and from an na to the next anchor', () => {
    const vwap = new Vwap();
    expect([vwap.next(5, 10, false, 1), vwap.next(5, 0, true, 1), vwap.next(7, 2, false, 1)]).toEqual([na, na, 7]);
    expect([vwap.next(9, 2, false, 1), vwap.second, vwap.third]).toEqual([8, 9, 7]);
    expect([vwap.next(na, 2, false, 1), vwap.next(9, 2, false, 1), vwap.next(9, 2, true, 1)]).toEqual([na, na, 9]);
  });

  test('valuewhen holds values of any type and refuses an occurrence below zero', () => {
    const colors = new ValueWhen<number | null>(1, null);
    expect([colors.next(true, 0xff0000ff), colors.next(false, 1), colors.next(true, null)]).toEqual([
      null,
      null,
      0xff0000ff,
    ]);
    expect(() => new ValueWhen(-1, na)).toThrow("the 'occurrence' argument (-1) in the 'valuewhen' function");
  });

  test('a percentage lies between 0, the smallest value, and 100, the largest', () => {
    const at = (percentage: number): number => {
      const kernel = new PercentileNearestRank(3);
      return [30, 10, 20].map((value) => kernel.next(value, 3, percentage)).at(-1)!;
    };
    expect([0, 33.4, 100].map(at)).toEqual([10, 20, 30]);
    for (const wrong of [-0.1, 100.1, na]) expect(() => at(wrong)).toThrow('It must be in the range [0..100].');
  });

  test('a percentage of the values that is a whole number of them is that number', () => {
    const rankOf = (percentage: number, length: number): number => {
      const kernel = new PercentileNearestRank(length);
      return Array.from({ length }, (_, i) => kernel.next(i + 1, length, percentage)).at(-1)!;
    };
    const wrong: string[] = [];
    for (let percentage = 1; percentage <= 100; percentage++)
      for (const length of [20, 50, 100, 180, 200])
        if ((percentage * length) % 100 === 0 && rankOf(percentage, length) !== (percentage * length) / 100)
          wrong.push(`${percentage}% of ${length}`);
    expect(wrong).toEqual([]);
  });

  test('a change further back than the first bar is na', () => {
    const change = new Change(2);
    expect([1, 4, 9].map((value) => change.next(value, 2))).toEqual([na, na, 8]);
  });
});

test('the registry says how many settings and inputs each kernel takes', () => {
  for (const [name, { create, settings, inputs, outputs }] of Object.entries(TA_KERNELS)) {
    const kernel = create(...settings.map(() => 1)) as Kernel &
      Record<string, unknown> & { next: (...given: never[]) => unknown };
    expect([name, create.length, kernel.next.length]).toEqual([name, settings.length, inputs.length]);
    for (const output of outputs.slice(1)) expect(kernel[output], `${name}.${output}`).toBeNaN();
  }
});

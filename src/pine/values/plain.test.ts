// Tests of `math.*`, `color.*`, comparisons and the small functions around na.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as values from './index.ts';
import { errorOf, openLibrary } from './testing/library.ts';

const { call } = openLibrary();
const NA = Number.NaN;

describe('comparisons', () => {
  it('take floats within 1e-10 as equal', () => {
    expect([values.eq(0.1 + 0.2, 0.3), values.ne(0.1 + 0.2, 0.3)]).toEqual([true, false]);
    expect([values.lt(0.3, 0.1 + 0.2), values.gt(0.1 + 0.2, 0.3)]).toEqual([false, false]);
    expect([values.le(0.1 + 0.2, 0.3), values.ge(0.3, 0.1 + 0.2)]).toEqual([true, true]);
    expect([values.eq(0, 1e-10), values.eq(0, 1.1e-10)]).toEqual([true, false]);
    expect([values.lt(0, 1e-10), values.lt(0, 1.1e-10)]).toEqual([false, true]);
    expect([values.gt(1.1e-10, 0), values.le(1.1e-10, 0), values.ge(0, 1.1e-10)]).toEqual([true, false, false]);
  });

  it('are all false with na, and right at infinity', () => {
    for (const compare of [values.eq, values.ne, values.lt, values.gt, values.le, values.ge])
      for (const [a, b] of [
        [NA, 1],
        [1, NA],
        [NA, NA],
      ] as const)
        expect(compare(a, b)).toBe(false);
    const most = Number.POSITIVE_INFINITY;
    expect([values.eq(most, most), values.ne(most, most), values.le(most, most), values.ge(most, most)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([values.lt(1, most), values.ne(1, most), values.gt(most, -most)]).toEqual([true, true, true]);
  });

  it('compare items by identity, and na with nothing', () => {
    expect([values.sameItem('a', 'a'), values.sameItem('a', 'b'), values.sameItem(null, null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([
      values.differentItem('a', 'b'),
      values.differentItem('a', 'a'),
      values.differentItem(null, 'a'),
      values.differentItem('a', null),
    ]).toEqual([true, false, false, false]);
  });
});

describe('math', () => {
  it('rounds halves away from zero', () => {
    const round = (value: number) => call<number>('math.round', value);
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.4, 0.49999999999999994].map(round)).toEqual([1, 2, 3, -1, -2, 2, -2, 0]);
    expect([-2.5, -2.5000000000000004, -2.6, -0.49999999999999994].map(round)).toEqual([-3, -3, -3, 0]);
    for (const value of [-0, -0.2, -0.49999999999999994]) expect(Object.is(round(value), 0)).toBe(true);
    expect(round(NA)).toBeNaN();
    expect([2 ** 52 + 1, 2 ** 53, -(2 ** 52) - 1].map(round)).toEqual([2 ** 52 + 1, 2 ** 53, -(2 ** 52) - 1]);
    expect([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(round)).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  });

  it('rounds to the nearest whole number, and of two equally near to the one further from zero', () => {
    const quarters = fc.integer({ min: -4e6, max: 4e6 }).map((count) => count / 4);
    fc.assert(
      fc.property(fc.oneof(quarters, fc.double({ min: -1e6, max: 1e6, noNaN: true })), (value) => {
        const rounded = call<number>('math.round', value);
        expect(Number.isInteger(rounded)).toBe(true);
        // The difference of two doubles this near to each other is exact.
        const outwards = Math.abs(rounded) - Math.abs(value);
        expect(outwards > -0.5 && outwards <= 0.5).toBe(true);
      }),
    );
  });

  it('rounds to decimals, also to the left of the point', () => {
    const round = (value: number, precision: number) => call('math.round', value, precision);
    expect([round(1.234, 2), round(-1.235, 2), round(1234.5, -2), round(1.5, NA), round(1.5, 0)]).toEqual([
      1.23, -1.24, 1200, 2, 2,
    ]);
    expect([round(1.125, 2), round(-1.125, 2), round(1250, -2), round(-1250, -2)]).toEqual([1.13, -1.13, 1300, -1300]);
    expect([round(-1.5, NA), round(-1.5, 0), round(-2.5, 0)]).toEqual([-2, -2, -3]);
    for (const [value, precision] of [
      [-0.001, 2],
      [-0.0049, 2],
      [-49, -2],
      [-7, -400],
    ] as const)
      expect(Object.is(round(value, precision), 0)).toBe(true);
    expect([round(1e308, -308), round(1e308, -309)]).toEqual([1e308, 0]);
    expect([round(1.5, 400), round(1e300, 10), round(NA, 2), round(Number.POSITIVE_INFINITY, 2)]).toEqual([
      1.5,
      1e300,
      NA,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('rounds to the grid of prices, the middle upwards', () => {
    const round = (value: number, mintick: number) => openLibrary({ mintick }).call('math.round_to_mintick', value);
    expect([round(1.234, 0.01), round(1.235, 0.01), round(1.005, 0.01), round(-1.235, 0.01)]).toEqual([
      1.23, 1.24, 1.01, -1.23,
    ]);
    expect([round(10.13, 0.25), round(10.12, 0.25), round(7, 5), round(7.5, 5), round(1.000005, 0.00001)]).toEqual([
      10.25, 10, 5, 10, 1.00001,
    ]);
    expect([round(NA, 0.01), round(1.234, 0), round(1.234, NA)]).toEqual([NA, 1.234, 1.234]);
    for (const large of [2 ** 51 + 1, 1e16, 1e300, 1e308, Number.POSITIVE_INFINITY])
      for (const mintick of [0.01, 1, 5e-9])
        expect([round(large, mintick), round(-large, mintick)]).toEqual([large, -large]);
  });

  it('puts any price on the grid and leaves it there', () => {
    const tick = fc.constantFrom(0.01, 0.25, 0.00001, 0.5, 1, 5, 0.05, 1 / 32);
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), tick, (price, mintick) => {
        const { call: at } = openLibrary({ mintick });
        const rounded = at<number>('math.round_to_mintick', price);
        expect(Math.abs(rounded - price)).toBeLessThanOrEqual(mintick / 2 + 1e-9);
        expect(at('math.round_to_mintick', rounded)).toBe(rounded);
      }),
      { numRuns: 300 },
    );
  });

  it('cuts, divides and takes remainders as the language does', () => {
    expect([call('int', 2.9), call('int', -2.9), call('int', NA)]).toEqual([2, -2, NA]);
    expect(Object.is(call('int', -0.5), 0)).toBe(true);
    expect([values.intDivide(7, 2), values.intDivide(-7, 2), values.intDivide(1, 0)]).toEqual([3, -3, NA]);
    expect([values.remainder(7, 3), values.remainder(-7, 3), values.remainder(7, -3), values.remainder(1, 0)]).toEqual([
      1,
      -1,
      1,
      NA,
    ]);
  });

  it('has the usual functions', () => {
    const all = [
      'abs',
      'ceil',
      'floor',
      'sign',
      'sqrt',
      'exp',
      'log',
      'log10',
      'sin',
      'cos',
      'tan',
      'asin',
      'acos',
      'atan',
    ];
    for (const name of all) expect(call(`math.${name}`, NA)).toBeNaN();
    expect([call('math.abs', -2), call('math.ceil', 1.2), call('math.ceil', -0.5), call('math.floor', -1.2)]).toEqual([
      2, 2, 0, -2,
    ]);
    expect([-3, 0, 4].map((value) => call('math.sign', value))).toEqual([-1, 0, 1]);
    expect([call('math.todegrees', Math.PI), call('math.toradians', 180)]).toEqual([180, Math.PI]);
    expect([call('math.max', 1, 5, 3), call('math.min', 1, 5, 3), call('math.avg', 1, 2, 6)]).toEqual([5, 1, 3]);
    expect([call('math.max', 1, NA), call('math.avg', 1, NA), call('math.pow', 2, 10)]).toEqual([NA, NA, 1024]);
  });

  it('replaces na', () => {
    expect([call('nz', NA), call('nz', NA, 7), call('nz', 3, 7), call('nz', 0, 7)]).toEqual([0, 7, 3, 0]);
    expect([call('nz<item>', null, 5), call('nz<item>', 0, 5), call('nz<item>', false, true)]).toEqual([5, 0, false]);
    const last = values.VALUE_STATES['fixnan<item>']();
    expect([last.next(null), last.next('a'), last.next(null)]).toEqual([null, 'a', 'a']);
    last.save();
    last.next('b');
    last.restore();
    expect(last.next(null)).toBe('a');
  });

  it('draws the numbers of the published generator, also for seeds below zero and beyond 32 bits', () => {
    const draw = (seed: number) => {
      const sequence = values.VALUE_STATES['math.random'](seed);
      return [sequence.next(0, 1), sequence.next(0, 1)];
    };
    expect(draw(42)).toEqual([0.7275636800328681, 0.6832234717598454]);
    expect(draw(-3)).toEqual([0.2687634822372562, 0.35135877356266687]);
    expect(draw(123456789012345)).toEqual([0.6691460388561377, 0.864083895223539]);
    expect(draw(Number.NaN)).toEqual(draw(0));
  });

  it('draws the same numbers for the same seed, between its ends, and again after a restore', () => {
    const draw = (seed: number) => {
      const sequence = values.VALUE_STATES['math.random'](seed);
      return Array.from({ length: 200 }, () => sequence.next(-2, 3));
    };
    expect(draw(42)).toEqual(draw(42));
    expect(draw(42)).not.toEqual(draw(43));
    expect(draw(1)).not.toEqual(draw(1 + 2 ** 32));
    expect(draw(42).every((value) => value > -2 && value < 3)).toBe(true);
    const mean = draw(7).reduce((sum, value) => sum + value, 0) / 200;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.5);
    const sequence = values.VALUE_STATES['math.random'](5);
    sequence.next(0, 1);
    sequence.save();
    const next = sequence.next(0, 1);
    sequence.restore();
    expect(sequence.next(0, 1)).toBe(next);
  });
});

describe('color', () => {
  const red = 0xff0000ff;

  it('is made of channels and transparency, within their ranges', () => {
    expect(call('color.rgb', 255, 0, 0)).toBe(red);
    expect(call('color.rgb', 255, 128, 64, 100)).toBe(0xff804000);
    expect(call('color.rgb', 300, -5, 0.6, 200)).toBe(0xff000100);
    expect(call('color.rgb', NA, 2, 3)).toBe(0x000203ff);
    expect(call('color.new', red, 50)).toBe(0xff000080);
    expect(call('color.new', 0xff000080, 0)).toBe(red);
    expect([call('color.new', null, 40), call('color.new', red, NA)]).toEqual([0x00000099, 0xff000000]);
    expect([90, 70, 30].map((percent) => call('color.new', null, percent))).toEqual([0x19, 0x4d, 0xb3]);
  });

  it('is taken apart again, every percent of transparency included', () => {
    const parts = ['r', 'g', 'b', 't'].map((part) => call(`color.${part}`, 0x123456ff));
    expect(parts).toEqual([0x12, 0x34, 0x56, 0]);
    for (let percent = 0; percent <= 100; percent += 1)
      expect(call('color.t', call('color.new', red, percent))).toBe(percent);
    for (const part of ['r', 'g', 'b', 't']) expect(call(`color.${part}`, null)).toBeNaN();
  });

  it('runs from one color to another', () => {
    const at = (value: number) => call('color.from_gradient', value, 0, 10, 0x000000ff, 0xffffff00);
    expect([at(-5), at(0), at(5), at(10), at(50)]).toEqual([
      0x000000ff, 0x000000ff, 0x00000080, 0xffffff00, 0xffffff00,
    ]);
    expect(at(NA)).toBe(0);
    expect(call('color.from_gradient', 5, 0, 10, 0x000000ff, 0xffffffff)).toBe(0x7f7f7fff);
    // Weights of 0.75 * 100 and 0.25 * 50.
    expect(call('color.from_gradient', 2.5, 0, 10, 0x000000ff, 0xff000080)).toBe(0x240000de);
    expect(call('color.from_gradient', 5, 0, 10, 0x00000000, 0xff000000)).toBe(0x7f000000);
    expect(call('color.from_gradient', 1, 0, 2, null, 0xff0000ff)).toBe(0xff000080);
    expect(call('color.from_gradient', 1, 0, 2, null, null)).toBeNull();
    expect(call('color.from_gradient', 1, 1, 1, 0xff, red)).toBe(0);
    expect(call('color.from_gradient', 0, 1, 1, 0xff, red)).toBe(0);
    expect(call('color.from_gradient', 2.5, 10, 0, 0x000000ff, 0xff0000ff)).toBe(0x000000ff);
  });

  it('is read and written as hex digits', () => {
    expect([values.parseColor('#ff0000'), values.parseColor('#FF000080')]).toEqual([red, 0xff000080]);
    expect([values.formatColor(red), values.formatColor(0x01020304)]).toEqual(['#FF0000', '#01020304']);
    for (const text of ['ff0000', '#ff00', '#gg0000', '#ff0000000'])
      expect(errorOf(() => values.parseColor(text))).toContain('#RRGGBB');
  });
});

// Tests of values and their heights, ticks and labels.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact, decimalsOfPrices, fixed, priceText, valueText } from './numbers.ts';
import { Range, ticksOf, tickTexts, valueScale } from './value-scale.ts';

function rangeOf(...values: number[]): Range {
  const range = new Range();
  range.addAll(values);
  return range;
}

const price = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.double({ min: -1e100, max: 1e100, noNaN: true }),
  fc.constantFrom(0, 1e-8, 1e-300, 1e99, 64_123.45, 5e-324),
);
const anything = fc.oneof(price, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY));

describe('a scale', () => {
  it('puts every value of its range between top and bottom, the larger the higher', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 8 }), (values) => {
        const scale = valueScale(rangeOf(...values), 10, 110);
        expect(scale.min).toBeLessThan(scale.max);
        const heights = values
          .filter((value) => Math.abs(value) <= 1e100)
          .toSorted((a, b) => a - b)
          .map(scale.y);
        for (const [i, y] of heights.entries()) {
          expect(y >= 10 - 1e-6 && y <= 110 + 1e-6).toBe(true);
          if (i > 0) expect(y).toBeLessThanOrEqual(heights[i - 1]!);
        }
      }),
    );
  });

  it('has no height for what is no number, or no price', () => {
    const scale = valueScale(rangeOf(1, 2), 0, 100);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1e101]) expect(scale.y(value)).toBeNaN();
  });

  it('puts a flat line in the middle, and is 0 to 1 without values', () => {
    expect(valueScale(rangeOf(5, 5), 0, 100).y(5)).toBeCloseTo(50);
    expect(valueScale(rangeOf(0), 0, 100).y(0)).toBe(50);
    const { min, max } = valueScale(rangeOf(), 0, 100);
    expect([min, max]).toEqual([0, 1]);
  });
});

describe('ticks', () => {
  const scaled = fc.tuple(price, price, fc.integer({ min: 1, max: 15 })).map(([a, b, most]) => {
    const { min, max } = valueScale(rangeOf(a, b), 0, 100);
    return { min, max, most };
  });

  it('lie inside the range, rise, and are no more than asked for', () => {
    fc.assert(
      fc.property(scaled, ({ min, max, most }) => {
        const { values } = ticksOf(min, max, most);
        expect(values.length).toBeLessThanOrEqual(most);
        for (const [i, value] of values.entries()) {
          expect(value >= min && value <= max).toBe(true);
          if (i > 0) expect(value).toBeGreaterThan(values[i - 1]!);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('have steps of 1, 2 or 5 times a power of ten', () => {
    fc.assert(
      fc.property(scaled, ({ min, max, most }) => {
        const { step } = ticksOf(min, max, most);
        const [mantissa] = step.toExponential(9).split('e');
        expect([1, 2, 5]).toContain(Number(mantissa));
      }),
    );
  });

  it('have labels that all differ', () => {
    fc.assert(
      fc.property(scaled, ({ min, max, most }) => {
        const texts = tickTexts(ticksOf(min, max, most));
        expect(new Set(texts).size).toBe(texts.length);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [0, 1, 6, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']],
    [-1.5, 1.5, 4, ['-1', '0', '1']],
    [58_000, 66_000, 5, ['58K', '60K', '62K', '64K', '66K']],
    [0, 2_100_000, 5, ['0', '500K', '1M', '1.5M', '2M']],
    [-400, 1600, 5, ['0', '500', '1K', '1.5K']],
    [12_000, 12_004, 5, ['12000', '12001', '12002', '12003', '12004']],
    [0.99e-8, 1.41e-8, 5, ['0.000000010', '0.000000011', '0.000000012', '0.000000013', '0.000000014']],
    [1e9, 3e9, 3, ['1B', '2B', '3B']],
  ])('from %d to %d are readable', (min, max, most, texts) => {
    expect(tickTexts(ticksOf(min, max, most))).toEqual(texts);
  });
});

it('ticks of prices keep their digits up to a million', () => {
  const prices = (min: number, max: number) => tickTexts(ticksOf(min, max, 4), true);
  expect(prices(58_000, 64_000)).toEqual(['58000', '60000', '62000', '64000']);
  expect(prices(998_000, 1_001_000)).toEqual(['998K', '999K', '1M', '1.001M']);
  expect(prices(144_000_000, 147_000_000)).toEqual(['144M', '145M', '146M', '147M']);
});

describe('numbers', () => {
  it('of a market have its decimals, up to seven digits in all', () => {
    expect(decimalsOfPrices(Float64Array.of(1.5, 1.25, 2), 3)).toBe(2);
    expect(decimalsOfPrices(Float64Array.of(64_123.456789), 1)).toBe(2);
    expect(decimalsOfPrices(Float64Array.of(1.2e-8), 1)).toBe(9);
    expect(decimalsOfPrices(Float64Array.of(Number.NaN), 1)).toBe(0);
    expect(decimalsOfPrices(Float64Array.of(), 0)).toBe(0);
  });

  it('are short where they are large, and have no minus before zero', () => {
    expect([999, 1000, 999_999, 1_234_567, -2.5e9, 7e20].map((value) => compact(value))).toEqual([
      '999',
      '1K',
      '1M',
      '1.23M',
      '-2.5B',
      '7.00e+20',
    ]);
    expect(fixed(-0.0001, 2)).toBe('0.00');
    expect(priceText(9_699_038_634_874, 0)).toBe('9.699T');
    expect(priceText(61_540.13, 2)).toBe('61540.13');
  });

  it('of a script have the decimals they need or the script asks for', () => {
    expect([70.123, 0.001234, 0, Number.NaN].map((value) => valueText(value, null))).toEqual([
      '70.12',
      '0.001234',
      '0.00',
      'na',
    ]);
    expect(valueText(70.123, 0)).toBe('70');
    expect(valueText(1.5, 99)).toBe('1.500000000000');
  });
});

// Decimals through every function, compared with integers and with rational arithmetic.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absolute,
  type Decimal,
  decimal,
  floorTo,
  larger,
  minus,
  negate,
  over,
  plus,
  roundTo,
  smaller,
  times,
  toNumber,
  toText,
  ZERO,
} from './decimal.ts';

const UNIT = 10n ** 12n;
const decimals = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map((units) => units as Decimal);
const positive = fc.bigInt({ min: 1n, max: 10n ** 24n }).map((units) => units as Decimal);

describe('reading', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['-1.5', '-1.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.10', '7.1'],
    ['1e3', '1000'],
    ['1E-7', '0.0000001'],
    ['2.5e+2', '250'],
    ['0.000000000001', '0.000000000001'],
    ['0.0000000000019', '0.000000000001'],
    ['-0.0000000000019', '-0.000000000001'],
    ['1e-400', '0'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('takes %s as %s', (input, output) => {
    expect(toText(decimal(input))).toBe(output);
  });

  test.each([
    [0.1 + 0.2, '0.3'],
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [0.029, '0.029'],
    [-0, '0'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('takes the number %d as its shortest text, without exponent', (input, output) => {
    expect(toText(decimal(input))).toBe(output);
  });

  test.each([
    '',
    '.',
    '-',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1,5',
    '0x10',
    '1e',
    'e5',
    '1e1000',
    '--1',
    '1.2.3',
    'NaN',
    'Infinity',
    '1_000',
    '9'.repeat(65),
  ])('refuses %j', (input) => {
    expect(() => decimal(input)).toThrow(/not a decimal number/);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('refuses %d', (input) => {
    expect(() => decimal(input)).toThrow(RangeError);
  });

  test('64 characters are enough and 65 too many', () => {
    expect(decimal('9'.repeat(64))).toBe(BigInt('9'.repeat(64)) * UNIT);
    expect(() => decimal('9'.repeat(65))).toThrow(RangeError);
  });

  test('reads back every text it writes, which is plain and short', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        const text = toText(value);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,11}[1-9])?$/);
        expect(decimal(text)).toBe(value);
      }),
    );
  });

  test('numbers of twelve places survive the way there and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (digits, places) => {
        const number = Number(`${digits}e-${places}`);
        expect(toNumber(decimal(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });

  test('any text is read or refused, never misread', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 14 });
    const sign = fc.constantFrom('', '', '-');
    const written = fc.tuple(sign, digits, fc.option(digits)).map(([minus, whole, places]) => {
      return minus + whole + (places === null ? '' : `.${places}`);
    });
    const anything = fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ') });
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(written, anything), (text) => {
        let value: Decimal;
        try {
          value = decimal(text);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        const expected = Number(text);
        if (Math.abs(expected) >= 1e15) return;
        read++;
        // The twelfth place is the last one, and a float is true to about its sixteenth digit.
        expect(Math.abs(toNumber(value) - expected)).toBeLessThanOrEqual(1e-12 + Math.abs(expected) * 1e-15);
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(500);
  });
});

describe('arithmetic', () => {
  test('adds and takes away exactly', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        expect(minus(plus(a, b), b)).toBe(a);
        expect(plus(a, b)).toBe(plus(b, a));
        expect(plus(a, negate(a))).toBe(ZERO);
      }),
    );
  });

  test('multiplies and divides to the twelfth place, cut toward zero', () => {
    fc.assert(
      fc.property(decimals, positive, (a, b) => {
        const lost = (value: bigint): bigint => (value < 0n ? -value : value);
        expect(lost(a * b - times(a, b) * UNIT)).toBeLessThan(UNIT);
        expect(lost(times(a, b) * UNIT)).toBeLessThanOrEqual(lost(a * b));
        expect(lost(a * UNIT - over(a, b) * b)).toBeLessThan(b);
        expect(times(a, decimal(1))).toBe(a);
        expect(over(a, decimal(1))).toBe(a);
      }),
    );
    expect(() => over(decimal(1), ZERO)).toThrow(RangeError);
  });

  test('finds the smaller, the larger and the size', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        expect(plus(smaller(a, b), larger(a, b))).toBe(plus(a, b));
        expect(smaller(a, b)).toBeLessThanOrEqual(larger(a, b));
        expect(absolute(a)).toBe(larger(a, negate(a)));
      }),
    );
  });
});

describe('steps and ticks', () => {
  test('a quantity goes down to the step, by less than a step', () => {
    fc.assert(
      fc.property(positive, positive, (value, step) => {
        const floored = floorTo(value, step);
        expect(floored % step).toBe(0n);
        expect(floored).toBeLessThanOrEqual(value);
        expect(value - floored).toBeLessThan(step);
        expect(floorTo(floored, step)).toBe(floored);
      }),
    );
  });

  test('a price goes to the nearest tick', () => {
    fc.assert(
      fc.property(decimals, positive, (value, tick) => {
        const rounded = roundTo(value, tick);
        expect(rounded % tick).toBe(0n);
        expect(absolute(minus(rounded, value)) * 2n).toBeLessThanOrEqual(tick);
        expect(roundTo(negate(value), tick)).toBe(negate(rounded));
      }),
    );
  });

  test.each([
    ['0.25', '0.1', '0.3'],
    ['-0.25', '0.1', '-0.3'],
    ['0.2499', '0.1', '0.2'],
    ['0.05', '0.1', '0.1'],
    ['0.0499', '0.1', '0'],
    ['7', '2.5', '7.5'],
  ])('rounds %s to ticks of %s as %s', (value, tick, rounded) => {
    expect(toText(roundTo(decimal(value), decimal(tick)))).toBe(rounded);
  });
});

// Numbers as text: digit for digit those of the language, over the whole range and where rounding is hardest.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../tests/support/thorough.ts';
import { MAX_NUMBER_BYTES, writeNumber } from './number-text.ts';

const bytes = new Uint8Array(MAX_NUMBER_BYTES + 4);

function textOf(value: number): string {
  bytes.fill(0x78);
  const end = writeNumber(Float64Array.of(value), 0, bytes, 2);
  expect(Buffer.from(bytes.subarray(0, 2)).toString()).toBe('xx');
  expect(Buffer.from(bytes.subarray(2 + MAX_NUMBER_BYTES)).toString()).toBe('xx');
  return Buffer.from(bytes.subarray(2, end)).toString();
}

const view = new DataView(new ArrayBuffer(8));
/** The number so many steps further on. */
function stepped(value: number, steps: number): number {
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps));
  return view.getFloat64(0);
}
const fromBits = (high: number, low: number): number => {
  view.setUint32(0, high);
  view.setUint32(4, low);
  return view.getFloat64(0);
};

describe('a number is written as the language prints it', () => {
  it.each([
    ...[0, -0, 1, -1, 10, 100, 1_000_000, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 1_600_000_000_000, 999_999_999_999_999],
    ...[0.1, 0.5, 0.25, 1 / 3, 2 / 3, 0.1 + 0.2, 4.35, 68_000.25, -68_000.25, 99_999_999.999_999_99],
    ...[1e-5, 9.999_999_999_999_999e-6, 1e-6, 1e-7, 0.001, 0.000_012_207_031_25, 1e14, 1e15, 1e16, 1e21, 1e22],
    ...[999_999_999_999_999.9, 123_456_789_012_345.6, 2 ** 49 + 0.5, 2 ** 53, 2 ** 53 + 2],
    ...[5e-324, Number.MIN_VALUE, -Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])('%d', (value) => {
    expect(textOf(value)).toBe(String(value));
  });

  it('whatever its bits are', () => {
    const any = fc.double();
    const everyday = fc
      .tuple(fc.integer({ min: 1023 - 18, max: 1023 + 50 }), fc.nat(2 ** 20 - 1), fc.nat(2 ** 32 - 1))
      .map(([exponent, high, low]) => fromBits(exponent * 2 ** 20 + high, low));
    const price = fc.tuple(fc.nat(10_000_000), fc.integer({ min: 1, max: 8 })).map(([n, digits]) => n / 10 ** digits);
    fc.assert(
      fc.property(fc.oneof(any, everyday, price), (value) => {
        expect(textOf(value)).toBe(String(value));
        expect(textOf(-value)).toBe(String(-value));
      }),
      { numRuns: cases(20_000) },
    );
  });

  it('also next to powers of two and to round numbers', () => {
    for (let power = -20; power < 52; power += 1)
      for (let steps = -3; steps <= 3; steps += 1) {
        const value = stepped(2 ** power, steps);
        expect(textOf(value)).toBe(String(value));
      }
    for (let power = -8; power < 18; power += 1)
      for (let digits = 1; digits < 100; digits += 7)
        for (let steps = -3; steps <= 3; steps += 1) {
          const value = stepped(Number(`${digits}e${power}`), steps);
          expect(textOf(value)).toBe(String(value));
        }
  });
});

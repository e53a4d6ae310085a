// Reading bars and prices: whatever a venue writes, what comes out can be traded on, or nothing comes out.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, readBar, readPrice } from './read-bar.ts';
import { UpstreamError } from './upstream-error.ts';

const MINUTE_MS = 60_000;
const GOOD = { time: 0, open: '10', high: '12.5', low: '8', close: '11', volume: '0' };

describe('readBar', () => {
  it('reads decimal text and numbers alike', () => {
    expect(readBar('X', GOOD, MINUTE_MS)).toEqual({ time: 0, open: 10, high: 12.5, low: 8, close: 11, volume: 0 });
    expect(readBar('X', { ...GOOD, time: '60000', open: 10 }, MINUTE_MS).time).toBe(60_000);
    expect(readBar('X', { ...GOOD, volume: 3 }, MINUTE_MS, 0.5).volume).toBe(1.5);
  });

  it.each([
    '',
    ' 10',
    '1e3',
    '0x10',
    '-1',
    '+1',
    'NaN',
    'Infinity',
    '1,000',
    '1.',
    '.5',
    null,
    undefined,
    true,
    {},
    [10],
  ])('takes %j for no price', (close) => {
    expect(() => readBar('X', { ...GOOD, close }, MINUTE_MS)).toThrow(/close is no number/);
  });

  it('gives a sound bar or an UpstreamError, for anything', () => {
    const anything = fc.oneof(fc.anything(), fc.double(), fc.integer({ min: 1, max: 20 }).map(String));
    const raw = fc.record({
      time: fc.oneof(anything, fc.constant(0)),
      open: anything,
      high: anything,
      low: anything,
      close: anything,
      volume: anything,
    });
    fc.assert(
      fc.property(raw, (fields) => {
        try {
          const { open, high, low, close, volume } = readBar('X', fields, MINUTE_MS);
          expect(low > 0 && low <= open && low <= close && high >= open && high >= close && volume >= 0).toBe(true);
          expect(Number.isFinite(high + volume)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError);
        }
      }),
    );
  });
});

describe('prices', () => {
  it.each([
    ['50123.4', '50123.4'],
    ['0.00000001', '0.00000001'],
    [1e-7, '0.0000001'],
    [68_000, '68000'],
  ])('reads %j as %s', (value, text) => {
    expect(readPrice('X', value)).toBe(text);
  });

  it.each(['0', '0.000', '', '-1', '1e5', 'abc', 0, -1, Number.NaN, Number.POSITIVE_INFINITY, null, {}])(
    'takes %j for no price',
    (value) => {
      expect(() => readPrice('X', value)).toThrow(/no price that makes sense/);
    },
  );

  it('are written without exponent and read back the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), fc.integer({ min: 0, max: 10 }), (digits, places) => {
        const price = Number(`${digits}e-${places}`);
        expect(decimalText(price)).toMatch(/^\d+(\.\d+)?$/);
        expect(Number(decimalText(price))).toBeCloseTo(price, 12);
      }),
    );
  });
});

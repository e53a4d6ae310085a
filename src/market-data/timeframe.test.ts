// Timeframes through their three functions, at every boundary.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barStart, DAY_MS, parseTimeframe, timeframeText } from './timeframe.ts';

describe('parseTimeframe', () => {
  test.each([
    ['1m', 60_000],
    ['5m', 300_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['4h', 14_400_000],
    ['1d', DAY_MS],
    ['1w', 7 * DAY_MS],
    ['52w', 364 * DAY_MS],
  ])('reads %s', (text, ms) => {
    expect(parseTimeframe(text)).toBe(ms);
  });

  test.each([
    '',
    '0m',
    'm',
    '1',
    '1M',
    '1s',
    '-1m',
    '1.5h',
    ' 1m',
    '1m ',
    '53w',
    '365d',
    '999999h',
    '1000000m',
    '1m\n',
  ])('refuses %j and says what would do', (text) => {
    expect(() => parseTimeframe(text)).toThrow(/use a number and m, h, d or w/);
  });
});

describe('timeframeText', () => {
  test.each([
    [60_000, '1m'],
    [5_400_000, '90m'],
    [3_600_000, '1h'],
    [DAY_MS, '1d'],
    [7 * DAY_MS, '1w'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(timeframeText(ms)).toBe(text);
  });

  test.each([0, -60_000, 1, 59_999, 60_001, 365 * DAY_MS, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (ms) => {
    expect(() => timeframeText(ms)).toThrow(/whole minutes/);
  });

  test('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 364 * 24 * 60 }), (minutes) => {
        expect(parseTimeframe(timeframeText(minutes * 60_000))).toBe(minutes * 60_000);
      }),
    );
  });
});

describe('barStart', () => {
  test('a week starts on Monday, a day at midnight UTC', () => {
    const sunday = Date.UTC(2025, 5, 15, 23, 59, 59, 999);
    expect(new Date(barStart(sunday, 7 * DAY_MS)).toISOString()).toBe('2025-06-09T00:00:00.000Z');
    expect(new Date(barStart(sunday + 1, 7 * DAY_MS)).toISOString()).toBe('2025-06-16T00:00:00.000Z');
    expect(new Date(barStart(sunday, DAY_MS)).toISOString()).toBe('2025-06-15T00:00:00.000Z');
  });

  test('every moment lies inside its bar, and a bar start is its own start', () => {
    const timeframes = fc.constantFrom('1m', '5m', '1h', '4h', '1d', '3d', '1w', '2w').map(parseTimeframe);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), timeframes, (timeMs, timeframeMs) => {
        const start = barStart(timeMs, timeframeMs);
        expect(start).toBeLessThanOrEqual(timeMs);
        expect(start + timeframeMs).toBeGreaterThan(timeMs);
        expect(barStart(start, timeframeMs)).toBe(start);
      }),
    );
  });
});

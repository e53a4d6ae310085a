// Results as charts and as CSV.

import { expect, test } from 'vitest';
import { chartOf, csvOf, isNumberColumn, momentOf, shownNumber } from './result-shape.ts';

test('a number is shown as a moment in a column of moments alone', () => {
  expect(momentOf('received_at', 1_794_943_631_361)).toBe(1_794_943_631_361);
  expect(momentOf('received_at', 5)).toBeUndefined();
  expect(momentOf('quantity', 1_794_943_631_361)).toBeUndefined();
  expect(momentOf('received_at', null)).toBeUndefined();
});

test('times and numbers make a line, in the order of time; decimal text is a number', () => {
  const rows = [
    { day: '2026-11-02', pnl: '2.5' },
    { day: '2026-11-01', pnl: '-1' },
  ];
  expect(chartOf(rows)).toEqual({
    ...{ kind: 'line', label: 'pnl' },
    points: [
      { at: Date.parse('2026-11-01'), value: -1 },
      { at: Date.parse('2026-11-02'), value: 2.5 },
    ],
  });
  expect(chartOf([{ at: 1_794_943_631_361, n: 1 }, { at: 1_794_943_631_362, n: 2 }])?.kind).toBe('line');
});

test('names and numbers make bars; one row, or nothing to count, makes no picture', () => {
  const rows = [
    { symbol: 'BTCUSDT', n: 2 },
    { symbol: null, n: 1 },
  ];
  expect(chartOf(rows)).toMatchObject({ kind: 'bars', bars: [{ name: 'BTCUSDT', value: 2 }, { name: '–', value: 1 }] });
  expect(chartOf(rows.slice(1))).toBeUndefined();
  expect(chartOf([{ a: 'x' }, { a: 'y' }])).toBeUndefined();
});

test('a whole number is shown with all of its digits, a sum of decimals without those of the machine', () => {
  expect(shownNumber(1_795_075_749_871_234)).toBe(1_795_075_749_871_234);
  expect(shownNumber(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  expect(shownNumber(178.84000000000003)).toBe(178.84);
  expect(shownNumber(1e308)).toBe(1e308);
});

test('a column is of numbers when all it has are', () => {
  expect(isNumberColumn([{ a: '1.5' }, { a: null }], 'a')).toBe(true);
  expect(isNumberColumn([{ a: '1.5' }, { a: 'x' }], 'a')).toBe(false);
  expect(isNumberColumn([{ a: null }], 'a')).toBe(false);
});

test('CSV keeps commas and quotes, and lets no text become a formula', () => {
  expect(csvOf([{ a: '-1.50', b: ';＝1' }])).toBe('a,b\r\n-1.50,";\'＝1"');
  expect(csvOf([{ a: 'x,"y"', b: -1.5 }, { a: '=SUM(A1)', b: null }])).toBe('a,b\r\n"x,""y""",-1.5\r\n\'=SUM(A1),');
});

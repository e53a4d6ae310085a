// What a run gave, as a person sees it: tables and charts that fit, whatever the values are.

import { describe, expect, it } from 'vitest';
import { barColumns, compile } from '../pine/index.ts';
import { createPaint } from './paint.ts';
import { chartsOf, summaryOf } from './run-report.ts';

const paint = createPaint(false);
const bars = barColumns(
  Array.from({ length: 300 }, (_, i) => ({
    time: i * 60_000,
    open: 1,
    high: 2,
    low: 1,
    close: 1 + (i % 5),
    volume: 1,
  })),
);

function resultOf(...lines: string[]) {
  const { program, diagnostics } = compile(['//@version=6', 'indicator("Test")', ...lines].join('\n'));
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return program.run(bars);
}

const EXTREMES = [
  'plot(-1234567.89012345 - bar_index, "long")',
  'plot(bar_index % 2 == 0 ? 1e300 : -1e300, "huge")',
  'plot(math.pow(10, -bar_index / 10), "tiny")',
  'plot(5, "flat")',
  'plot(float(na), "nothing")',
  'plot(bar_index % 7 == 0 ? na : bar_index, "gaps")',
];

describe('charts', () => {
  it.each([26, 30, 60, 80, 116, 200])('fit into %i columns', (columns) => {
    const lines = chartsOf(resultOf(...EXTREMES), bars, columns, paint).split('\n');
    const drawn = lines.filter((line) => line.includes('│'));
    expect(drawn).toHaveLength(5 * 8);
    for (const line of drawn) expect([...line].length).toBeLessThanOrEqual(columns);
    const widest = Math.max(...drawn.map((line) => [...line.slice(line.indexOf('│') + 1)].length));
    expect(widest).toBe(Math.min(columns - 16, 100));
  });

  it('of a terminal without any width are still charts', () => {
    expect(chartsOf(resultOf('plot(bar_index)'), bars, 1, paint)).toContain('│');
  });

  it('say so when there is no number to draw', () => {
    expect(chartsOf(resultOf('plot(float(na), "nothing")'), bars, 80, paint)).toContain(
      'nothing  last na\n  (there is no number on any bar)',
    );
  });
});

it('the summary counts what is na, and what is beyond all numbers with it', () => {
  const result = resultOf(
    'plot(float(na), "nothing")',
    'plot(bar_index == 0 ? 3 : na, "once")',
    'plot(1e308 * (bar_index < 2 ? 1 : 10), "beyond")',
  );
  const summary = summaryOf({ kind: 'result', result, report: null, warnings: [], runMs: 1 }, { bars }, paint);
  const rows = summary.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toContainEqual(['nothing', 'na', 'na', 'na', '0']);
  expect(rows).toContainEqual(['once', 'na', '3', '3', '1']);
  expect(rows).toContainEqual(['beyond', 'na', '1.0000e+308', '1.0000e+308', '2']);
});

it('the columns of the summary stand below each other in every script', () => {
  const result = resultOf('plot(1, "均线")', 'plot(2, "e\u0301")', 'plot(3, "abcd")');
  const summary = summaryOf({ kind: 'result', result, report: null, warnings: [], runMs: 1 }, { bars }, paint);
  const lines = summary.split('\n').slice(-3);
  expect(lines).toEqual([
    '均线       1    1     1     300',
    'e\u0301          2    2     2     300',
    'abcd       3    3     3     300',
  ]);
});

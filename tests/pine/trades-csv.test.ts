// The list of trades as CSV beside TradingView's own export: every column of every row, to one of the last digit that it shows.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseBarsCsv } from '../../src/cli/bars-csv.ts';
import { compile, strategyReport } from '../../src/pine/index.ts';
import { tradesCsv } from '../../src/pine/light.ts';

const ROOT = new URL('./strategies/', import.meta.url);
const CASES = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const bars = parseBarsCsv(readFileSync(new URL('bars.csv', ROOT)));

/** One of the last digit that a number shows: its sums are over rounded amounts. Where it shows all of a double, twelve digits. */
function lastDigit(text: string): number {
  const [, decimals = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? [];
  return Math.max(10 ** (Number(power) - decimals.length) * 1.001, 1e-11 * Math.abs(Number(text)));
}

const isSame = (ours: string, theirs: string): boolean =>
  ours === theirs || Math.abs(Number(ours) - Number(theirs)) <= lastDigit(theirs);

describe.each(CASES.map(({ name }) => name))('%s', (name) => {
  it('has the rows and columns of the export', () => {
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, ROOT), 'utf8');
    const { program } = compile(read('script.pine'));
    const { symbol, inputs = {} } = JSON.parse(read('case.json'));
    const report = strategyReport(program!.run(bars, { symbol, inputs }), bars)!;
    const ours = [...tradesCsv(report)].join('').trim().split('\n');
    const theirs = read('trades.csv').trim().split('\n');
    expect(ours[0]).toBe(theirs[0]);
    expect(ours).toHaveLength(theirs.length);
    const different = theirs.filter((row, at) => {
      const values = ours[at]!.split(',');
      return !row.split(',').every((value, column) => isSame(values[column] ?? '', value));
    });
    expect(different).toEqual([]);
  });
});

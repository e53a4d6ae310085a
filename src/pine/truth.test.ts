// Scripts whose values were exported from TradingView, run as a user would: every column of every case must be met.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { barColumns, compile, type SymbolInfo } from './index.ts';
import { openTruthCase } from './testing/truth-case.ts';

const folder = new URL('../../tests/pine/truth/', import.meta.url);
const cases = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test('there are the fifteen cases', () => {
  expect(cases).toHaveLength(15);
});

/** It calls ta.ema in a branch and in a loop on purpose. */
const WARNED: Readonly<Record<string, readonly string[]>> = { 'series-in-if-and-for': ['PE146', 'PE146'] };

test.each(cases)('%s', (name) => {
  const read = (file: string) => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
  const { symbol } = JSON.parse(read('case.json')) as { symbol: SymbolInfo };
  const { program, diagnostics } = compile(read('script.pine'));
  expect(diagnostics.map(({ code }) => code)).toEqual(WARNED[name] ?? []);
  const truth = openTruthCase(name);
  const { series } = program!.run(barColumns(truth.bars), { symbol });
  for (const title of truth.unchecked()) truth.check(title, ({ index }) => series.get(title)![index]!);
  expect(truth.unchecked()).toEqual([]);
});

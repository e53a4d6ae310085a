// The oracle itself: it gives what TradingView gave, reads history as the language defines it, and its tools work.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile } from '../../../src/pine/index.ts';
import { barsOf, expectsErrors, goldenSamples, isClose, librariesOf } from '../golden-files.ts';
import { opinion } from './agreement.ts';
import { isBeyondOracle } from './beyond.ts';
import { interpret } from './interpret.ts';
import { randomBars } from './random-bars.ts';
import { reduce } from './reduce.ts';

const TRUTH = new URL('../truth/', import.meta.url);
/** The oracle knows no exchange but one that trades around the clock in UTC. */
const CASES = readdirSync(TRUTH, { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  .filter((name) => JSON.parse(readFileSync(new URL(`${name}/case.json`, TRUTH), 'utf8')).symbol.timezone === 'UTC');
const BARS = randomBars(1, 8);

function checkedProgram(source: string) {
  const { program, diagnostics } = compile(source);
  if (program === null) throw new Error(`does not compile: ${JSON.stringify(diagnostics)}`);
  return program.checked;
}

const readCells = (text: string): string[][] => {
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[2] ?? cell[1]!.replaceAll('""', '"'));
  return text.split(/\r?\n/).filter(Boolean).map(cells);
};

/** What the snippet plots as "it", on a few bars. */
function plotted(snippet: string, version = 6): readonly number[] {
  const source = `//@version=${version}\nindicator("x")\n${snippet}\n`;
  const { series, error } = interpret(checkedProgram(source), barColumns(BARS));
  if (error !== null) throw new Error(error.message);
  return series.it!;
}

describe('the oracle', () => {
  it.each(CASES)('gives what TradingView gave for %s', (name) => {
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, TRUTH), 'utf8');
    const { tolerance, symbol } = JSON.parse(read('case.json'));
    const bars = readCells(read('bars.csv'))
      .slice(1)
      .map((row) => row.map(Number))
      .map(([time, open, high, low, close, volume]) => ({ time, open, high, low, close, volume }) as Bar);
    const [titles = [], ...rows] = readCells(read('expected.csv'));
    const facts = { 'syminfo.mintick': symbol.mintick };
    const { series, error } = interpret(checkedProgram(read('script.pine')), barColumns(bars), { facts });
    expect(error).toBeNull();
    for (const [column, title] of titles.entries()) {
      if (column === 0) continue;
      const faults = rows.flatMap((row, bar) => {
        const [actual, wanted] = [series[title]?.[bar] ?? Number.NEGATIVE_INFINITY, Number(row[column])];
        const distance = Math.abs(actual - wanted);
        const isClose = distance <= tolerance.abs || distance <= tolerance.rel * Math.abs(wanted);
        const isNa = Number.isNaN(actual) && Number.isNaN(wanted);
        return isClose || isNa ? [] : [`bar ${bar}: ${actual} instead of ${wanted}`];
      });
      expect(faults.slice(0, 3), title).toEqual([]);
    }
  });

  it('gives a variable of a branch one entry per bar on which the branch ran', () => {
    const snippet = `float it = na
if bar_index % 3 == 0
    x = bar_index
    it := x[1]
plot(it, "it")`;
    expect(plotted(snippet)).toEqual([NaN, NaN, NaN, 0, NaN, NaN, 3, NaN]);
  });

  it('lets only the last value of a bar count, and only the last call of a stateful function', () => {
    expect(
      plotted('float it = na\nfor i = 1 to 3\n    x = bar_index * 10 + i\n    it := x[1]\nplot(it, "it")'),
    ).toEqual([NaN, 3, 13, 23, 33, 43, 53, 63]);
    expect(plotted('float it = na\nfor i = 1 to 3\n    it := ta.cum(i)\nplot(it, "it")')).toEqual([
      3, 6, 9, 12, 15, 18, 21, 24,
    ]);
  });

  it('keeps the variables of each call path apart', () => {
    const snippet = `count() =>
    var n = 0
    n += 1
    n
twice() => count() + 10 * count()
a = twice()
b = bar_index > 3 ? twice() : 0
plot(a + 100 * b, "it")`;
    expect(plotted(snippet)).toEqual([11, 22, 33, 44, 1155, 2266, 3377, 4488]);
  });

  it('looks at the right side of and as the version says', () => {
    const snippet = 'it = 0.0\nif bar_index > 3 and ta.cum(1) > 0\n    it := 1\nplot(ta.cum(it), "it")';
    const counted = 'x = bar_index > 3 and ta.cum(1) > 4\nplot(x ? 1 : 0, "it")';
    expect(plotted(snippet)).toEqual([0, 0, 0, 0, 1, 2, 3, 4]);
    expect(plotted(counted, 5)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(plotted(counted, 6)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

describe('the oracle and the golden samples', () => {
  it('agree on every series of the samples that need nothing but values', () => {
    const faults: string[] = [];
    let checked = 0;
    for (const { samples } of goldenSamples())
      for (const { path, sample } of samples) {
        if (expectsErrors(sample) || sample.symbol !== null || sample.series.length === 0) continue;
        if (isBeyondOracle(sample.source)) continue;
        const { program } = compile(sample.source, { libraries: librariesOf(sample, dirname(path)) });
        const told = program === null ? null : opinion(program.checked, barColumns(barsOf(sample)), sample.inputs);
        if (told === null || told.error !== null) continue;
        for (const { title, bar, values, rest } of sample.series) {
          const series = told.series[title];
          if (series === undefined) continue;
          checked += 1;
          const isWrong = series.some((value, at) => {
            if (bar !== null && bar !== at) return false;
            const wanted = bar !== null || rest === 'same' ? values[0] : values[at];
            return wanted !== undefined && !isClose(value, wanted);
          });
          if (isWrong) faults.push(`${title} of ${basename(path)}: ${series.join(', ')}`);
        }
      }
    expect(faults).toEqual([]);
    expect(checked).toBeGreaterThan(300);
  });
});

describe('the reducer', () => {
  it('leaves the lines that matter, with what they need around them', () => {
    const source = 'a\nif b\n    c\n    BAD(d, e)\nelse\n    f\ng(h)\n';
    expect(reduce(source, (text) => text.includes('BAD'))).toBe('BAD(d)\n');
  });
});

// Scripts as people write them: each compiles with no other word than the warnings its comments name, runs on every chart,
// says live what it says in history, and ends with the values that its comments name.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type Bar,
  barColumns,
  compile,
  type LibrarySource,
  LineTable,
  type Program,
  type RunResult,
} from '../../src/pine/index.ts';
import { FILTER_FORMULAS } from './filter-formulas.ts';
import { isClose } from './golden-files.ts';
import { parseSample } from './golden-sample.ts';
import { garbageTicks } from './oracle/random-bars.ts';
import { OSCILLATOR_FORMULAS } from './oscillator-formulas.ts';
import { RandomSequence } from './random-sequence.ts';
import { CHARTS, type Chart } from './script-bars.ts';
import { FORMULAS } from './script-formulas.ts';

const FOLDER = join(import.meta.dirname, 'scripts');
const LEAST_SCRIPTS = 67;
const SYMBOL = { ticker: 'BTCUSD', tickerid: 'X:BTCUSD', mintick: 0.01, timezone: 'America/New_York' };

/** What is another thing on a live chart by its nature, and so cannot be compared. */
const LIVE_MATTERS = /\b(barstate\.|varip\b|last_bar_|timenow)/;

const names = readdirSync(FOLDER).filter((name) => name.endsWith('.pine'));
const libraries: readonly LibrarySource[] = readdirSync(join(FOLDER, 'libraries')).map((file) => ({
  namespace: 'me',
  name: basename(file, '.pine'),
  version: 1,
  source: readFileSync(join(FOLDER, 'libraries', file), 'utf8'),
}));

describe('the scripts', () => {
  it('are many, and each expects something', () => {
    expect(names.length).toBeGreaterThanOrEqual(LEAST_SCRIPTS);
    for (const name of names) expect(parseSample(textOf(name)).series.length, name).toBeGreaterThan(0);
  });
});

for (const name of names)
  describe(`script: ${basename(name, '.pine').replaceAll('-', ' ')}`, () => {
    const source = textOf(name);

    it('compiles with the warnings it names and no others, and runs on every chart', () => {
      const program = compiled(source);
      for (const chart of Object.values(CHARTS)) expect(run(program, chart).count).toBe(chart.bars.length);
      expect(run(program, { timeframe: '15', bars: [] }).count).toBe(0);
    });

    it('ends with the values it names', () => {
      const { series, bars, drawings } = parseSample(source);
      const result = run(compiled(source), CHARTS[bars ?? '']!);
      const wrong = series.flatMap(({ title, bar, values }) => {
        const found = result.series.get(title)?.[bar ?? result.count - 1];
        return isClose(found, values[0]) ? [] : [`${title}@${bar} is ${found}, not ${values[0]}`];
      });
      expect(wrong).toEqual([]);
      for (const drawing of drawings) expect(result.drawings).toContainEqual(expect.objectContaining(drawing));
    });

    it('runs live, and says what it says in history unless it asks which of the two it is', () => {
      const program = compiled(source);
      for (const chart of [CHARTS.quarters!, CHARTS.days!]) {
        const faults = liveFaults(program, chart);
        if (!LIVE_MATTERS.test(source)) expect(faults).toEqual([]);
      }
    });
  });

describe('formulas written in TypeScript', () => {
  for (const [name, formula] of Object.entries({ ...FORMULAS, ...FILTER_FORMULAS, ...OSCILLATOR_FORMULAS }))
    it(`agree with the script: ${name.replaceAll('-', ' ')}`, () => {
      const program = compiled(textOf(`${name}.pine`));
      for (const chart of [CHARTS.quarters!, CHARTS.days!]) {
        const { series } = run(program, chart);
        for (const [title, wanted] of Object.entries(formula(chart.bars))) {
          const found = series.get(title)!;
          const wrong = wanted.findIndex((value, index) => !isClose(found[index], value));
          expect(wrong === -1 ? '' : `${title}@${wrong} is ${found[wrong]}, not ${wanted[wrong]}`).toBe('');
        }
      }
    });
});

const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

const programs = new Map<string, Program>();

function compiled(source: string): Program {
  const ready = programs.get(source);
  if (ready !== undefined) return ready;
  const { program, diagnostics } = compile(source, { libraries });
  const lines = new LineTable(source);
  const told = diagnostics.map(({ severity, code, span, message }) => {
    const { line, column } = lines.positionAt(span.start);
    return { severity, code, line, column, message };
  });
  const named = parseSample(source).diagnostics.map(({ part, ...place }) => ({
    ...place,
    message: expect.stringContaining(part),
  }));
  expect(told).toEqual(named);
  programs.set(source, program!);
  return program!;
}

const results = new WeakMap<Program, Map<Chart, RunResult>>();

/** What a script answers on a chart is looked at by several tests. */
function run(program: Program, chart: Chart): RunResult {
  const done = results.get(program) ?? new Map<Chart, RunResult>();
  results.set(program, done);
  const { timeframe, bars } = chart;
  const result = done.get(chart) ?? program.run(barColumns(bars), { timeframe, symbol: SYMBOL });
  done.set(chart, result);
  return result;
}

/** A third of the chart as history, the rest live, with ticks between that have nothing to do with how bars end. */
function liveFaults(program: Program, chart: Chart): string[] {
  const { bars, timeframe } = chart;
  const whole = run(program, chart);
  const from = Math.floor(bars.length / 3);
  const live = program.open(barColumns(bars.slice(0, from)), { timeframe, symbol: SYMBOL });
  const random = new RandomSequence(5);
  const faults: string[] = [];
  for (const [offset, bar] of bars.slice(from).entries()) {
    for (const tick of garbageTicks(random, bar)) live.update(tick);
    faults.push(...barFaults(live.close(bar as Bar).values, whole.series, from + offset));
  }
  if (!isDeepStrictEqual(live.drawings(), whole.drawings)) faults.push('other drawings');
  return faults;
}

function barFaults(
  values: ReadonlyMap<string, number>,
  wanted: ReadonlyMap<string, Float64Array>,
  index: number,
): string[] {
  return [...values].flatMap(([title, value]) => {
    const expected = wanted.get(title)![index];
    return isClose(value, expected) ? [] : [`${title}@${index} is ${value}, not ${expected}`];
  });
}

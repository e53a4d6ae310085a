// Whole scripts of versions 1 to 4: each is converted, runs over bars, and gives what the same script written by hand in version 5 gives.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHARTS } from '../../../tests/pine/script-bars.ts';
import { barColumns, type Compiled, compile, type Program } from '../index.ts';
import { convert } from './index.ts';

const folder = new URL('../../../tests/pine/old-scripts/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.pine'));
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const isExpected = (name: string) => name.endsWith('.expected.pine');
const names = files.filter((name) => !isExpected(name)).map((name) => name.replace(/\.pine$/, ''));
const withTwin = names.filter((name) => files.includes(`${name}.expected.pine`));

/** What the engine knows and cannot run yet. */
const NOT_YET = 'PE301';
const errorsIn = ({ diagnostics }: Compiled) =>
  diagnostics.filter(({ severity, code }) => severity === 'error' && code !== NOT_YET);

const seriesOf = (program: Program, chart: string): Float64Array[] => {
  const { bars, timeframe } = CHARTS[chart]!;
  return [...program.run(barColumns(bars), { timeframe }).series.values()];
};

/** The bars on which two series differ. */
const barsApart = (found: Float64Array, expected: Float64Array): number[] =>
  [...expected.keys()].filter((bar) => {
    const [a, b] = [found[bar]!, expected[bar]!];
    return !(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)) || (Number.isNaN(a) && Number.isNaN(b)));
  });

describe('old scripts', () => {
  it('are many enough to be worth the name, of every version', () => {
    expect(names.length).toBeGreaterThanOrEqual(25);
    for (const version of [1, 2, 3, 4])
      expect(names.filter((name) => name.endsWith(`-v${version}`)).length, `version ${version}`).toBeGreaterThan(4);
  });

  it.each(names)('%s compiles without a mistake once it is converted, and says so', (name) => {
    const source = read(`${name}.pine`);
    const outcome = convert(source);
    if (outcome.kind !== 'converted') throw new Error(JSON.stringify(outcome));
    expect(`-v${outcome.version}`).toBe(name.slice(-3));
    expect(errorsIn(compile(outcome.text))).toEqual([]);
    const onTheFly = compile(source);
    expect(errorsIn(onTheFly)).toEqual([]);
    expect(onTheFly.diagnostics[0]).toMatchObject({ code: 'PE041', severity: 'warning' });
    expect(onTheFly.diagnostics[0]!.message).toContain(`with ${outcome.changes.length} changes`);
    expect(convert(outcome.text).kind).toBe('not-old');
  });

  it.each(names)('%s runs over every chart, if the engine can run what it calls', (name) => {
    const { program, diagnostics } = compile(read(`${name}.pine`));
    if (program === null) {
      expect(diagnostics.some(({ code }) => code === NOT_YET)).toBe(true);
      return;
    }
    for (const chart of Object.keys(CHARTS)) expect(seriesOf(program, chart).length).toBeGreaterThan(0);
  });

  it.each(withTwin)('%s gives what its twin in version 5 gives', (name) => {
    const old = compile(read(`${name}.pine`)).program!;
    const twin = compile(read(`${name}.expected.pine`)).program!;
    for (const chart of ['quarters', 'days']) {
      const found = seriesOf(old, chart);
      for (const [place, expected] of seriesOf(twin, chart).entries())
        expect(barsApart(found[place]!, expected), `series ${place} of ${chart}`).toEqual([]);
    }
  });
});

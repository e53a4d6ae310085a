// Golden samples of the language and its built-ins: each script of tests/pine/golden does what its comments say.

import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  barColumns,
  compile,
  type Diagnostic,
  LineTable,
  type RunResult,
  ScriptRuntimeError,
} from '../../src/pine/index.ts';
import { barsOf, expectsErrors, goldenSamples, isClose, librariesOf, optionsOf, tradeFaults } from './golden-files.ts';
import {
  type ExpectedDiagnostic,
  type ExpectedMessage,
  type ExpectedSeries,
  expectationsOf,
  parseSample,
  type Sample,
} from './golden-sample.ts';

const LEAST_SAMPLES = 1425;

const all = goldenSamples();

for (const { group, samples } of all)
  describe(`golden: ${group}`, () => {
    for (const { name, path, sample } of samples)
      it(name.replaceAll('-', ' '), () => {
        expect(faultsOf(sample, dirname(path))).toEqual([]);
      });
  });

describe('the golden samples', () => {
  it('are many', () => {
    expect(all.reduce((sum, { samples }) => sum + samples.length, 0)).toBeGreaterThanOrEqual(LEAST_SAMPLES);
  });

  it('expect something, each of them', () => {
    const idle = all.flatMap(({ samples }) => samples.filter(({ sample }) => expectationsOf(sample) === 0));
    expect(idle.map(({ path }) => path)).toEqual([]);
  });

  it('say which bars they run on, unless they do not compile', () => {
    const homeless = all.flatMap(({ samples }) =>
      samples.filter(({ sample }) => sample.bars === null && !expectsErrors(sample)),
    );
    expect(homeless.map(({ path }) => path)).toEqual([]);
  });
});

describe('the runner of golden samples', () => {
  const HEAD = '//@version=6\nindicator("i")\n';
  const faults = (text: string) => faultsOf(parseSample(`${HEAD}${text}`), '');
  const plotted = 'plot(bar_index, "x")\n// bars: ten\n';

  it('reports wrong values, wrong counts and missing series', () => {
    expect(faults(`${plotted}// expect x: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9`)).toEqual([]);
    expect(faults(`${plotted}// expect x: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9.001`)).toHaveLength(1);
    expect(faults(`${plotted}// expect x: 0, 1, …`)).toEqual([]);
    expect(faults(`${plotted}// expect x: 0, 1`)).toHaveLength(1);
    expect(faults(`${plotted}// expect x: all 0`)).toHaveLength(1);
    expect(faults(`${plotted}// expect x@3: na`)).toHaveLength(1);
    expect(faults(`${plotted}// expect y: all 0`)).toHaveLength(1);
  });

  it('reports errors that are not listed, and listed ones that are not there', () => {
    const wrong = 'plot(clsoe)\nplot(hihg)\n';
    expect(faults(`${wrong}// error * 3:6 close\n// error * 4:6 high`)).toEqual([]);
    expect(faults(`${wrong}// error * 3:6 close`)).toHaveLength(1);
    expect(faults(`${wrong}// error * 3:7 close\n// error * 4:6 high`)).toHaveLength(2);
    expect(faults(`${plotted}// error * 3:1`)).toHaveLength(1);
    expect(faults(`${plotted}// warning * 3:1\n// expect x@1: 1`)).toHaveLength(1);
  });

  it('reports run-time errors, messages and drawings that are not as expected', () => {
    const failing = `if bar_index == 2\n    runtime.error("two")\n${plotted}`;
    expect(faults(`${failing}// runtime-error 2: two`)).toEqual([]);
    expect(faults(`${failing}// runtime-error 3: two`)).toHaveLength(1);
    expect(faults(`${failing}// expect x@1: 1`)).toHaveLength(1);
    expect(faults(`${plotted}// runtime-error 2: two`)).toHaveLength(1);
    expect(faults(`${plotted}// alert 2: two\n// log info 2: two\n// drawing {"kind":"line"}`)).toHaveLength(3);
  });

  it('reports warnings of a run that are not as expected, and those that are not listed', () => {
    const other = (text: string) =>
      faultsOf(parseSample(`//@version=6\nstrategy("s", currency = "EUR")\nplot(close)\n// bars: ten\n${text}`), '');
    expect(other('// run-warning PE402 2:1 USDEUR:1D')).toEqual([]);
    expect(other('// run-warning PE402 2:1 GBP')).toHaveLength(1);
    expect(other('// run-warning PE403 2:1')).toHaveLength(1);
    expect(other('// trade none')).toHaveLength(1);
  });

  it('reports trades that are not as expected, and those that are not listed', () => {
    const entry =
      'if bar_index == 1\n    strategy.entry("L", strategy.long)\nif bar_index == 3\n    strategy.close("L")\n';
    const traded = (text: string) =>
      faultsOf(parseSample(`//@version=6\nstrategy("s")\n${entry}// bars: ten\n${text}`), '');
    expect(traded('// trade long 1: 2 12 -> 4 13 = 1')).toEqual([]);
    expect(traded('// trade long 1: 2 12 -> 4 13 = 2')).toHaveLength(1);
    expect(traded('// trade long 1: 2 12 -> open')).toHaveLength(1);
    expect(traded('// trade none')).toHaveLength(1);
    expect(traded('// trade none\n// trading 2..9')).toEqual([]);
    expect(faults(`${plotted}// trade none`)).toHaveLength(1);
  });

  it('refuses lines that look like expectations but cannot be read', () => {
    for (const line of ['expects x: 1', 'expect x 1', 'expect x: one', 'error 3:4', 'runtime-error x', 'bars ten'])
      expect(() => parseSample(`// ${line}`), line).toThrow('cannot be read');
    expect(expectationsOf(parseSample(`${plotted}// a remark`))).toBe(0);
  });
});

/** What is not as the sample says, in words. */
function faultsOf(sample: Sample, folder: string): string[] {
  const { program, diagnostics } = compile(sample.source, { libraries: librariesOf(sample, folder) });
  const faults = diagnosticFaults(sample, diagnostics);
  if (faults.length > 0 || expectsErrors(sample)) return faults;
  if (program === null) return ['it does not compile, and says nothing'];
  try {
    const result = program.run(barColumns(barsOf(sample)), optionsOf(sample));
    if (sample.runtimeError !== null) return [`it ends without the error of bar ${sample.runtimeError.bar}`];
    return resultFaults(sample, result);
  } catch (error) {
    if (error instanceof ScriptRuntimeError) return errorFaults(sample.runtimeError, error);
    throw error;
  }
}

/** Errors are all listed, and each is told once; of warnings only the listed ones are looked for. */
function diagnosticFaults(sample: Sample, diagnostics: readonly Diagnostic[]): string[] {
  const lines = new LineTable(sample.source);
  const told = diagnostics.map((found) => ({ ...found, ...lines.positionAt(found.span.start), used: false }));
  const text = (found: (typeof told)[number]) =>
    `${found.severity} ${found.code} ${found.line}:${found.column} ${found.message} ${found.remedy ?? ''}`;
  const fits = (expected: ExpectedDiagnostic) => (found: (typeof told)[number]) =>
    !found.used &&
    found.severity === expected.severity &&
    (expected.code ?? found.code) === found.code &&
    (expected.line ?? found.line) === found.line &&
    (expected.column ?? found.column) === found.column &&
    `${found.message} ${found.remedy ?? ''}`.includes(expected.part);
  const faults: string[] = [];
  for (const expected of sample.diagnostics) {
    const found = told.find(fits(expected));
    if (found === undefined) faults.push(`missing: ${JSON.stringify(expected)}`);
    else found.used = true;
  }
  for (const found of told) if (!found.used && found.severity === 'error') faults.push(`unexpected: ${text(found)}`);
  return faults;
}

function errorFaults(expected: ExpectedMessage | null, error: ScriptRuntimeError): string[] {
  if (expected !== null && error.barIndex === expected.bar && error.message.includes(expected.text)) return [];
  return [`it ends on bar ${error.barIndex}, line ${error.line}: ${error.message}`];
}

function resultFaults(sample: Sample, result: RunResult): string[] {
  const alerts = result.alerts.map(({ barIndex, message }) => ({ kind: 'alert', bar: barIndex, text: message }));
  const logs = result.logs.map(({ level, barIndex, message }) => ({ kind: level, bar: barIndex, text: message }));
  return [
    ...sample.series.flatMap((expected) => seriesFaults(expected, result)),
    ...messageFaults(sample.alerts, alerts),
    ...messageFaults(sample.logs, logs),
    ...tradeFaults(sample.trades, result.broker),
    ...runWarningFaults(sample.runWarnings, result.warnings),
    ...sample.drawings
      .filter((expected) => !result.drawings.some((drawing) => hasAllOf(drawing, expected)))
      .map((expected) => `no drawing with ${JSON.stringify(expected)}; there are ${JSON.stringify(result.drawings)}`),
  ];
}

function seriesFaults({ title, bar, values, rest }: ExpectedSeries, result: RunResult): string[] {
  const series = result.series.get(title);
  if (series === undefined) return [`no series "${title}"; there are ${[...result.series.keys()].join(', ')}`];
  if (bar !== null) return isClose(series[bar], values[0]) ? [] : [`${title}@${bar} is ${series[bar]}`];
  if (rest === 'none' && values.length !== series.length)
    return [`${values.length} values are expected of ${title}, but it has ${series.length}`];
  const isRight = (value: number, place: number) =>
    rest === 'unchecked' && place >= values.length ? true : isClose(value, rest === 'same' ? values[0] : values[place]);
  if (series.every(isRight)) return [];
  return [`${title} is ${Array.from(series, (value) => (Number.isNaN(value) ? 'na' : value)).join(', ')}`];
}

function messageFaults(expected: readonly ExpectedMessage[], found: readonly ExpectedMessage[]): string[] {
  const text = ({ kind, bar, text }: ExpectedMessage) => `${kind} ${bar}: ${text}`;
  const there = new Set(found.map(text));
  return expected
    .filter((message) => !there.has(text(message)))
    .map((message) => `no ${text(message)}; there are ${[...there].join(' | ')}`);
}

/** All of them are listed, in their order. */
function runWarningFaults(expected: readonly ExpectedDiagnostic[], found: RunResult['warnings']): string[] {
  const fits = ({ code, line, column, part }: ExpectedDiagnostic, warning: RunResult['warnings'][number] | undefined) =>
    warning !== undefined &&
    (code ?? warning.code) === warning.code &&
    (line ?? warning.line) === warning.line &&
    (column ?? warning.column) === warning.column &&
    `${warning.message} ${warning.remedy}`.includes(part);
  const isRight = expected.length === found.length && expected.every((one, place) => fits(one, found[place]));
  return isRight ? [] : [`the warnings of the run are ${JSON.stringify(found)}`];
}

function hasAllOf(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) {
    return typeof value === 'number' && typeof expected === 'number' ? isClose(value, expected) : value === expected;
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(expected).every(([key, part]) => hasAllOf((value as Record<string, unknown>)[key], part));
}

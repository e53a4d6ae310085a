// Runs a script in the engine and in the oracle, or closed and live, and says in words where the two differ.

import {
  type BarColumns,
  barColumns,
  type CheckedProgram,
  compile,
  type Diagnostic,
  type Program,
  type RunOptions,
  type RunResult,
  ScriptRuntimeError,
} from '../../../src/pine/index.ts';
import type { Bar } from '../../../src/pine/run/bars.ts';
import { namedOutputs } from '../../../src/pine/run/result-series.ts';
import { RandomSequence } from '../random-sequence.ts';
import { OracleGap } from './chart.ts';
import type { Coverage } from './coverage.ts';
import { interpret, type OracleOptions, type OracleResult } from './interpret.ts';
import { garbageTicks } from './random-bars.ts';
import { refused } from './reduce.ts';

const SYMBOL = { ticker: 'TEST', timezone: 'UTC', session: '24x7', period: '60', mintick: 0.01 };
const TOLERANCE = 1e-9;

/** How a run ended: with its series, or with the script's error. */
type Ending = { readonly result: RunResult } | { readonly error: string; readonly bar: number };

export const agrees = (a: number, b: number): boolean =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));

export const firstError = (found: readonly Diagnostic[]) => found.find(({ severity }) => severity === 'error')!;

/** Null when engine and oracle agree on every plotted value, or on the error and its bar, or the oracle knows no answer. */
export function disagreement(source: string, rows: readonly Bar[], coverage: Coverage): string | null {
  const compiled = compile(source);
  if (compiled.program === null) return refused(firstError(compiled.diagnostics));
  const { program } = compiled;
  const bars = barColumns(rows);
  return whereKnown(coverage, () => differenceFrom(interpret(program.checked, bars), program, bars));
}

/** Null too where the script uses something the oracle was not made for; then it counts as not compared. */
export function whereKnown(coverage: Coverage, compare: () => string | null): string | null {
  try {
    const difference = compare();
    coverage.compare();
    return difference;
  } catch (error) {
    if (!(error instanceof OracleGap)) throw error;
    coverage.pass(error.message);
    return null;
  }
}

/** Where the engine differs from what the oracle said, in words. */
export function differenceFrom(
  expected: OracleResult,
  program: Program,
  bars: BarColumns,
  options: RunOptions = { symbol: SYMBOL },
): string | null {
  const ending = endingOf(() => program.run(bars, options));
  if (expected.error !== null || 'error' in ending) {
    const told = 'error' in ending ? `bar ${ending.bar}: ${ending.error}` : 'no error';
    const wanted = expected.error === null ? 'no error' : `bar ${expected.error.bar}: ${expected.error.message}`;
    return told === wanted ? null : `engine ends with ${told}; oracle ends with ${wanted}`;
  }
  const named = namedOutputs(program.checked.outputs);
  for (const [place, values] of expected.plots) {
    const { name } = named.find((output) => output.place === place)!.series[0]!;
    const fault = firstDifference(name, ending.result.series.get(name), values, 'oracle');
    if (fault !== null) return fault;
  }
  return null;
}

/** Null where the script uses something the oracle was not made for. */
export function opinion(
  program: CheckedProgram,
  bars: BarColumns,
  inputs: OracleOptions['inputs'] = {},
): OracleResult | null {
  try {
    return interpret(program, bars, { inputs });
  } catch (error) {
    if (error instanceof OracleGap) return null;
    throw error;
  }
}

/** Null when the last part of the chart, live and full of garbage ticks, ends bar by bar as the closed run does. */
export function liveDisagreement(
  source: string,
  rows: readonly Bar[],
  seed: number,
  coverage: Coverage,
): string | null {
  const compiled = compile(source);
  if (compiled.program === null) return refused(firstError(compiled.diagnostics));
  const { program } = compiled;
  const random = new RandomSequence(seed);
  const past = Math.floor(random.next(0, rows.length));
  // What is requested is seen unfinished on live bars, and a closed run is told which those were.
  const liveSinceMs = rows[past]!.time;
  const closed = endingOf(() => program.run(barColumns(rows), { symbol: SYMBOL, liveSinceMs }));
  if ('error' in closed) {
    coverage.pass('ends with an error of its own');
    return null;
  }
  const closing: ReadonlyMap<string, number>[] = [];
  const live = endingOf(() => {
    const run = program.open(barColumns(rows.slice(0, past)), { symbol: SYMBOL });
    for (const row of rows.slice(past)) {
      for (const tick of garbageTicks(random, row)) run.update(tick);
      closing.push(run.close(row).values);
    }
    return run.result();
  });
  // A tick of prices that never came to be may end a script.
  if ('error' in live) {
    coverage.pass('ends with an error on a tick');
    return null;
  }
  coverage.compare();
  for (const [title, values] of closed.result.series) {
    const before = live.result.series.get(title) ?? [];
    const all = [...before, ...closing.map((bar) => bar.get(title) ?? Number.NaN)];
    const fault = firstDifference(title, all, values, 'closed run', 'live run');
    if (fault !== null) return `${fault} (live from bar ${past})`;
  }
  return null;
}

/** The script's own error is an ending; everything else is the engine's fault and thrown on. */
export function endingOf(run: () => RunResult): Ending {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof ScriptRuntimeError) return { error: error.message, bar: error.barIndex };
    throw error;
  }
}

function firstDifference(
  title: string,
  actual: ArrayLike<number> | undefined,
  wanted: ArrayLike<number>,
  judge: string,
  judged = 'engine',
): string | null {
  if (actual === undefined) return `${judged} has no series ${title}`;
  for (let bar = 0; bar < wanted.length; bar += 1)
    if (!agrees(actual[bar]!, wanted[bar]!))
      return `${title} on bar ${bar}: ${judged} ${actual[bar]}, ${judge} ${wanted[bar]}`;
  return null;
}

// Whether a script repaints: what each bar showed when it closed, beside what it shows when all bars are known.
//
// The script runs twice over the same bars: as history, all at once, and live, bar by bar, each told only when it closed.
// A script that neither looks ahead nor changes the past shows the same both times, on every bar.

import type { CheckedProgram } from '../check/tree.ts';
import type { Bar, BarColumns } from '../run/bars.ts';
import type { LiveRun } from '../run/live.ts';
import type { RunResult } from '../run/result.ts';
import { namedOutputs } from '../run/result-series.ts';
import type { Span } from '../syntax/index.ts';
import { type Suspect, suspectsOf } from './suspects.ts';

/** One output whose past changes. */
export interface Repainted {
  /** Title of the plot. */
  readonly name: string;
  readonly span: Span;
  /** On how many of the bars compared. */
  readonly count: number;
  /** The first of them: what it showed at its close, and what it shows now. */
  readonly barIndex: number;
  readonly timeMs: number;
  readonly then: number;
  readonly now: number;
}

export interface RepaintReport {
  /** Bars that were told one by one. */
  readonly compared: number;
  readonly outputs: readonly Repainted[];
  /** Where to look; empty when nothing repaints. */
  readonly suspects: readonly Suspect[];
}

/** Handed in rather than imported: the program is made of the rooms that this one looks at. */
export interface Runnable {
  readonly checked: CheckedProgram;
  run(bars: BarColumns): RunResult;
  open(bars: BarColumns): LiveRun;
}

/** Values differ when they are apart by more than doubles in another order of sums can be. */
const TOLERANCE = 1e-9;

export function findRepaint(program: Runnable, bars: BarColumns): RepaintReport {
  const { series } = program.run(bars);
  const live = program.open(upTo(bars, 1));
  const found = new Map<string, Repainted>();
  const spans = spansOf(program.checked);
  for (let index = 1; index < bars.count; index += 1) {
    const { values, timeMs } = live.close(barAt(bars, index));
    for (const [name, then] of values) {
      const now = series.get(name)?.[index] ?? Number.NaN;
      if (isSame(then, now)) continue;
      const known = found.get(name);
      found.set(
        name,
        known === undefined
          ? { name, span: spans.get(name)!, count: 1, barIndex: index, timeMs, then, now }
          : { ...known, count: known.count + 1 },
      );
    }
  }
  const outputs = [...found.values()];
  return {
    compared: Math.max(0, bars.count - 1),
    outputs,
    suspects: outputs.length === 0 ? [] : suspectsOf(program.checked),
  };
}

function spansOf({ outputs }: CheckedProgram): Map<string, Span> {
  const spans = new Map<string, Span>();
  for (const { place, series } of namedOutputs(outputs))
    for (const { name } of series) spans.set(name, outputs[place]!.call.span);
  return spans;
}

const upTo = (bars: BarColumns, count: number): BarColumns => ({ ...bars, count: Math.min(count, bars.count) });

const barAt = ({ time, open, high, low, close, volume }: BarColumns, index: number): Bar => ({
  time: time[index]!,
  open: open[index]!,
  high: high[index]!,
  low: low[index]!,
  close: close[index]!,
  volume: volume[index]!,
});

function isSame(a: number, b: number): boolean {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b);
  return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
}

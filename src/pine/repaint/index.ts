// Whether a script repaints: what each bar showed when it closed, beside what it shows when all bars are known.
//
// The script runs twice over the same bars: as history, all at once, and live, bar by bar, each told only when it closed.
// A script that neither looks ahead nor changes the past shows the same both times, on every bar.

import type { CheckedProgram } from '../check/tree.ts';
import type { Bar, BarColumns } from '../run/bars.ts';
import type { LiveRun } from '../run/live.ts';
import type { RunResult } from '../run/result.ts';
import { namedOutputs } from '../run/result-series.ts';
import { REPAINTS } from '../syntax/diagnostic.ts';
import { type Diagnostic, LineTable, type Span } from '../syntax/index.ts';
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
  /**
   * The first trade of a strategy, closed or open, that the two runs do not share down to its quantity, counted from 1;
   * null when they share all.
   */
  readonly trade: number | null;
  /** Where to look; empty when nothing repaints. */
  readonly suspects: readonly Suspect[];
}

export interface WrittenScript {
  readonly source: string;
  /** The place there of a place in the text that runs. */
  spanOf(span: Span): Span;
}

/** Handed in rather than imported: the program is made of the rooms that this one looks at. */
export interface Runnable {
  /** As its user wrote it: an old script runs converted, and its places are of no use to whoever wrote it. */
  readonly written: WrittenScript;
  readonly checked: CheckedProgram;
  run(bars: BarColumns): RunResult;
  open(bars: BarColumns): LiveRun;
}

/** Values differ when they are apart by more than doubles in another order of sums can be. */
const TOLERANCE = 1e-9;

export function findRepaint(program: Runnable, bars: BarColumns): RepaintReport {
  const { series, broker } = program.run(bars);
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
  const trade = differentTrade(broker, live.broker);
  const isClean = outputs.length === 0 && trade === null;
  const suspects = isClean ? [] : suspectsOf(program.checked);
  return { compared: Math.max(0, bars.count - 1), outputs, trade, suspects };
}

/** A search for repainting in words. */
export interface RepaintFindings {
  /** Bars that were told one by one. */
  readonly compared: number;
  /** Like the warnings of a compiler, each at its place; the suspects are what helps. Empty when nothing repaints. */
  readonly warnings: readonly Diagnostic[];
  /** Lines to look at, from 1: those of the suspects, or else of what repaints. */
  readonly lines: readonly number[];
}

export function repaintFindings(program: Runnable, bars: BarColumns): RepaintFindings {
  const { written } = program;
  const report = placedIn(written, findRepaint(program, bars));
  const lines = new LineTable(written.source);
  const lineOf = ({ span }: { readonly span: Span }): number => lines.positionAt(span.start).line;
  const warnings = warningsOf(report, lineOf, written.source);
  const named = report.suspects.length > 0 ? report.suspects : warnings;
  return { compared: report.compared, warnings, lines: [...new Set(named.map(lineOf))].sort((a, b) => a - b) };
}

function placedIn(written: WrittenScript, report: RepaintReport): RepaintReport {
  const inWritten = <T extends { readonly span: Span }>(one: T): T => ({ ...one, span: written.spanOf(one.span) });
  return { ...report, outputs: report.outputs.map(inWritten), suspects: report.suspects.map(inWritten) };
}

function warningsOf(
  { compared, outputs, trade, suspects }: RepaintReport,
  lineOf: (suspect: Suspect) => number,
  source: string,
): Diagnostic[] {
  const causes = suspects.map((suspect) => `Line ${lineOf(suspect)}: ${suspect.words}`);
  const remedy = causes.length > 0 ? causes.join(' ') : 'Look for what depends on the newest bar or on the clock.';
  const warning = (span: Span, message: string): Diagnostic => ({
    code: REPAINTS,
    severity: 'warning',
    message,
    span,
    remedy,
  });
  const shown = outputs.map(({ name, span, count, barIndex, then, now }) =>
    warning(
      span,
      `"${name}" repaints: on ${count} of ${compared} bars it shows something else now than when the bar closed, ` +
        `first on bar ${barIndex} (${textOf(then)} then, ${textOf(now)} now).`,
    ),
  );
  const start = { start: 0, end: Math.min(1, source.length) };
  const traded = `The strategy repaints: from trade ${trade} on, bar by bar it trades otherwise than over all bars at once.`;
  return [...shown, ...(trade === null ? [] : [warning(suspects[0]?.span ?? start, traded)])];
}

const textOf = (value: number): string => (Number.isNaN(value) ? 'na' : String(Number(value.toPrecision(6))));

type Books = RunResult['broker'];

/** The rows of the list of trades, those that are open last, each as the numbers in which two runs may differ. */
function tradesOf(books: Books): readonly (readonly number[])[] {
  const { closed, lots } = books?.ledger ?? { closed: [], lots: [] };
  return [
    ...closed.map((trade) => [
      ...[trade.direction, trade.quantity, trade.entryBar, trade.entryTimeMs, trade.entryPrice],
      ...[trade.exitBar, trade.exitTimeMs, trade.exitPrice],
    ]),
    ...lots.map(({ direction, quantity, bar, timeMs, price }) => [direction, quantity, bar, timeMs, price]),
  ];
}

function differentTrade(all: Books, live: Books): number | null {
  const [ones, others] = [tradesOf(all), tradesOf(live)];
  for (let index = 0; index < Math.max(ones.length, others.length); index += 1) {
    const [one, other] = [ones[index], others[index]];
    const isShared = one?.length === other?.length && one?.every((value, place) => isSame(value, other![place]!));
    if (!isShared) return index + 1;
  }
  return null;
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

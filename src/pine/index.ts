// The Pine engine: compile a script, run it over bars, keep it running live, and help people write it.

import { check, type LibrarySource } from './check/index.ts';
import type { CheckedProgram, InputSpec } from './check/tree.ts';
import { type Converted, conversionNote, convert } from './convert/index.ts';
import { emitProgram } from './emit/program.ts';
import type { WrittenScript } from './repaint/index.ts';
import type { BarColumns } from './run/bars.ts';
import { Engine, type Places, type RunOptions } from './run/engine.ts';
import { inputsOf } from './run/input-values.ts';
import { type LiveOptions, LiveRun } from './run/live.ts';
import { buildResult, type RunResult } from './run/result.ts';
import type { Emitted } from './run/script.ts';
import { type Diagnostic, hasErrors, LineTable, type Parsed, parse, type Span, SYNTAX_CODES } from './syntax/index.ts';

export { type Answer, answerBesideSeries, answerOf } from './answer/answer.ts';
export { brokerSettings, type OrderFill } from './broker/index.ts';
export type { LibrarySource } from './check/index.ts';
export type { CheckedProgram, InputSpec } from './check/tree.ts';
export { type Change, type Converted, convert, type NotConverted, type OldVersion } from './convert/index.ts';
export {
  type Completion,
  type CompletionKind,
  complete,
  type Hover,
  hover,
  type SignatureHelp,
  signatureAt,
} from './editor/index.ts';
export { repaintFindings } from './repaint/index.ts';
export {
  FIGURE_NAMES,
  type FigureName,
  type Figures,
  type StrategyAnswer,
  type StrategyReport,
  strategyAnswer,
  strategyFigures,
  strategyReport,
} from './report/index.ts';
export { type Bar, type BarColumns, barColumns, emptyColumns } from './run/bars.ts';
export { colorSeries } from './run/color-series.ts';
export type { RunOptions } from './run/engine.ts';
export type { LiveFill } from './run/fill-messages.ts';
export { type InputSpace, type InputVariation, inputSpace, type SearchAxis } from './run/input-space.ts';
export { type DeclaredInput, declaredInputs, InputFault } from './run/input-values.ts';
export type { LiveBar, LiveOptions, LiveRun } from './run/live.ts';
export { type SymbolInfo, SymbolInfoFault } from './run/market.ts';
export type { MissingBars } from './run/request/missing-bars.ts';
export { MAX_SYMBOL_BARS, type SymbolBars } from './run/request/symbol-bars.ts';
export type { RunResult } from './run/result.ts';
export { ScriptRuntimeError } from './run/script-runtime-error.ts';
export { type Diagnostic, type Formatted, format, LineTable } from './syntax/index.ts';

export { fromSeconds as timeframeOfSeconds } from './values/time/timeframe.ts';

export interface CompileOptions {
  readonly libraries?: readonly LibrarySource[];
  /** Of a script that does not say its own; without it such a script is refused. */
  readonly version?: 5 | 6;
}

export type Compiled =
  | { readonly program: Program; readonly diagnostics: readonly Diagnostic[] }
  | { readonly program: null; readonly diagnostics: readonly Diagnostic[] };

/** A converted script as it was written, with the places in it of those in the text that runs. */
interface OldScript extends WrittenScript, Places {}

/** A script ready to run, any number of times. */
export class Program {
  /** What runs: of an old script the converted text. */
  readonly source: string;
  /** The script as its user wrote it, and places in it. */
  readonly written: WrittenScript;
  readonly checked: CheckedProgram;
  readonly #emitted: Emitted;
  readonly #places: Places | undefined;

  constructor(source: string, checked: CheckedProgram, emitted: Emitted, old?: OldScript) {
    this.source = source;
    this.written = old ?? { source, spanOf: (span) => span };
    this.checked = checked;
    this.#emitted = emitted;
    this.#places = old;
  }

  get inputs(): readonly InputSpec[] {
    return this.checked.inputs;
  }

  /** The generated JavaScript, for whoever wants to look at it. */
  get code(): string {
    return this.#emitted.source;
  }

  /** Throws ScriptRuntimeError for an error of the script's own, InputFault and SymbolInfoFault for wrong options. */
  run(bars: BarColumns, options: RunOptions = {}): RunResult {
    return resultOf(this.#history(bars, options));
  }

  /** Runs the bars as history and goes on from there. */
  open(bars: BarColumns, options: RunOptions & LiveOptions = {}): LiveRun {
    const engine = this.#history(bars, options);
    return new LiveRun(engine, resultOf(engine), options);
  }

  #history(bars: BarColumns, options: RunOptions): Engine {
    const parts = { program: this.checked, emitted: this.#emitted, source: this.source };
    const engine = new Engine(this.#places ? { ...parts, places: this.#places } : parts, bars, options);
    engine.runHistory();
    return engine;
  }
}

function resultOf(engine: Engine): RunResult {
  const { program, runtime, inputs, count, leftOut } = engine;
  return buildResult({
    program,
    outputs: engine.outputs(),
    alerts: runtime.alerts,
    logs: runtime.logs,
    drawings: runtime.drawn(),
    inputs: inputsOf(inputs),
    market: runtime.market,
    broker: runtime.broker,
    warnings: engine.warnings.list(),
    count,
    leftOut,
  });
}

/**
 * All findings at once; a program when none of them is an error. A script of version 1 to 4 is converted first: the
 * program is that of the converted text, and all places are those of the script as it was written.
 */
export function compile(source: string, options: CompileOptions = {}): Compiled {
  const { libraries = [], version: assumed } = options;
  const read = parse(source, assumed);
  const old = isOfOldVersion(read) ? convert(source) : null;
  if (old?.kind === 'converted') return compileConverted(source, old, libraries);
  if (old?.kind === 'unreadable') return { program: null, diagnostics: inOrder(old.diagnostics) };
  return compileParsed(source, read, libraries);
}

/** Says nothing about scripts without a version line: whether one of them is old, the converter finds out. */
const isOfOldVersion = ({ diagnostics }: Parsed): boolean =>
  diagnostics.some(({ code }) => code === SYNTAX_CODES.oldVersion || code === SYNTAX_CODES.missingVersion);

function compileParsed(source: string, read: Parsed, libraries: readonly LibrarySource[], old?: OldScript): Compiled {
  const checked = check(read.script, { version: read.version, libraries, isWhole: !hasErrors(read.diagnostics) });
  const found = [...read.diagnostics, ...checked.diagnostics];
  if (checked.program === null || hasErrors(found)) return { program: null, diagnostics: inOrder(found) };
  const emitted = emitProgram(checked.program);
  const all = inOrder([...found, ...emitted.refused]);
  if (emitted.create === null) return { program: null, diagnostics: all };
  return { program: new Program(source, checked.program, emitted, old), diagnostics: all };
}

function compileConverted(source: string, converted: Converted, libraries: readonly LibrarySource[]): Compiled {
  const lines = new LineTable(source);
  const { text, offsetBefore } = converted;
  const old: OldScript = {
    source,
    spanOf: (span) => spanBefore(span, offsetBefore),
    positionAt: (offset) => lines.positionAt(offsetBefore(offset)),
  };
  const { program, diagnostics } = compileParsed(text, parse(text), libraries, old);
  const found = diagnostics.map((one) => ({ ...one, span: old.spanOf(one.span) }));
  return { program, diagnostics: [conversionNote(converted), ...inOrder(found)] };
}

/** What was taken out behind a word is no part of it. */
function spanBefore({ start, end }: Span, offsetBefore: Converted['offsetBefore']): Span {
  const from = offsetBefore(start);
  const to = end > start ? Math.min(offsetBefore(end), offsetBefore(end - 1) + 1) : from;
  return { start: from, end: Math.max(from, to) };
}

const inOrder = (found: readonly Diagnostic[]): Diagnostic[] => found.toSorted((a, b) => a.span.start - b.span.start);

// The Pine engine: compile a script, run it over bars, keep it running live, and help people write it.

import { check } from './check/index.ts';
import type { CheckedProgram, InputSpec } from './check/tree.ts';
import { emitProgram } from './emit/program.ts';
import type { BarColumns } from './run/bars.ts';
import { Engine, type RunOptions } from './run/engine.ts';
import { inputsOf } from './run/input-values.ts';
import { type LiveOptions, LiveRun } from './run/live.ts';
import { buildResult, type RunResult } from './run/result.ts';
import type { Emitted } from './run/script.ts';
import { type Diagnostic, hasErrors, parse } from './syntax/index.ts';

export type { CheckedProgram, InputSpec } from './check/tree.ts';
export { type Completion, type CompletionKind, complete, type Hover, hover } from './editor/index.ts';
export { type Answer, answerBesideSeries, answerOf } from './run/answer.ts';
export { type Bar, type BarColumns, barColumns, emptyColumns } from './run/bars.ts';
export { colorSeries } from './run/color-series.ts';
export { type RunOptions, ScriptRuntimeError } from './run/engine.ts';
export type { LiveFill } from './run/fill-messages.ts';
export { InputFault } from './run/input-values.ts';
export type { LiveBar, LiveOptions, LiveRun } from './run/live.ts';
export { type SymbolInfo, SymbolInfoFault } from './run/market.ts';
export type { RunResult } from './run/result.ts';
export { type Diagnostic, type Formatted, format, LineTable } from './syntax/index.ts';

export { fromSeconds as timeframeOfSeconds } from './values/time/timeframe.ts';

/** A library that scripts may import as `namespace/name/version`. */
export interface LibrarySource {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly source: string;
}

export interface CompileOptions {
  readonly libraries?: readonly LibrarySource[];
  /** Of a script that does not say its own; without it such a script is refused. */
  readonly version?: 5 | 6;
}

export type Compiled =
  | { readonly program: Program; readonly diagnostics: readonly Diagnostic[] }
  | { readonly program: null; readonly diagnostics: readonly Diagnostic[] };

/** A script ready to run, any number of times. */
export class Program {
  readonly source: string;
  readonly checked: CheckedProgram;
  readonly #emitted: Emitted;

  constructor(source: string, checked: CheckedProgram, emitted: Emitted) {
    this.source = source;
    this.checked = checked;
    this.#emitted = emitted;
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
    const engine = new Engine({ program: this.checked, emitted: this.#emitted, source: this.source }, bars, options);
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
    count,
    leftOut,
  });
}

/** All findings at once; a program when none of them is an error. */
export function compile(source: string, { libraries = [], version: assumed }: CompileOptions = {}): Compiled {
  const { script, version, diagnostics: read } = parse(source, assumed);
  const checked = check(script, { version, libraries, isWhole: !hasErrors(read) });
  const found = [...read, ...checked.diagnostics];
  if (checked.program === null || hasErrors(found)) return { program: null, diagnostics: inOrder(found) };
  const emitted = emitProgram(checked.program);
  const all = inOrder([...found, ...emitted.refused]);
  if (emitted.create === null) return { program: null, diagnostics: all };
  return { program: new Program(source, checked.program, emitted), diagnostics: all };
}

const inOrder = (found: readonly Diagnostic[]): Diagnostic[] => found.toSorted((a, b) => a.span.start - b.span.start);

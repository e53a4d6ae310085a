// Runs a compiled script over bars: history from front to back, then live, bar by bar and tick by tick.

import type { CheckedProgram } from '../check/tree.ts';
import { LineTable } from '../syntax/index.ts';
import { PineRuntimeError } from '../values/index.ts';
import { AlertConditions } from './alert-conditions.ts';
import { BAR_COLUMNS, type Bar, type BarColumns, emptyColumns } from './bars.ts';
import { calculatedBars } from './calculated-bars.ts';
import { LONGEST_HISTORY, ringSize } from './history.ts';
import { type InputValue, inputValues } from './input-values.ts';
import { createMarket, type SymbolInfo } from './market.ts';
import type { OutputData } from './output-data.ts';
import { Runtime } from './runtime.ts';
import type { Emitted, Script } from './script.ts';

export interface RunOptions {
  /** Values of inputs by their titles. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly symbol?: SymbolInfo;
  /** Of the chart; stands above the symbol's own period. */
  readonly timeframe?: string;
  readonly nowMs?: () => number;
  /** Bars from here on came after the script was started: `calc_bars_count` counts those before. */
  readonly liveSinceMs?: number;
  /** Orders of bars before and after are not taken, in ms; the script runs on them all the same. */
  readonly tradeFromMs?: number;
  readonly tradeToMs?: number;
  /** Its first place is set to the number of bars done, for whoever watches from another thread. */
  readonly progress?: Int32Array;
}

/** The script ended with an error of its own: a bad index, a call of runtime.error(). */
export class ScriptRuntimeError extends Error {
  override readonly name = 'ScriptRuntimeError';
  readonly barIndex: number;
  /** Place in the script, from 1. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, place: { barIndex: number; line: number; column: number }, options?: ErrorOptions) {
    super(message, options);
    this.barIndex = place.barIndex;
    this.line = place.line;
    this.column = place.column;
  }
}

/** Bars between two looks at the progress. */
const STRIDE = 4096;
/** Short at first: JavaScript engines change to better code when a function is entered anew. */
const FIRST_STRIDE = 128;

/** Bars that a live script keeps: as many as anything can look back to. */
const LIVE_BARS = ringSize(LONGEST_HISTORY);

/** A bar that comes tick by tick: whether this is its first one, and whether it is its last. */
export interface LiveState {
  readonly isNew: boolean;
  readonly isClosing: boolean;
}

export interface EngineParts {
  readonly program: CheckedProgram;
  readonly emitted: Emitted;
  readonly source: string;
}

export class Engine {
  readonly program: CheckedProgram;
  readonly runtime: Runtime;
  readonly inputs: readonly InputValue[];
  /** Bars that have begun. */
  count: number;
  /** Bars of the chart before those, which the script does not know of. */
  readonly leftOut: number;
  readonly #emitted: Emitted;
  readonly #script: Script;
  readonly #lines: LineTable;
  readonly #progress: Int32Array | undefined;
  #outputs: readonly OutputData[];
  #conditions: AlertConditions | null;

  constructor({ program, emitted, source }: EngineParts, chart: BarColumns, options: RunOptions) {
    const view = { firstTimeMs: chart.time[0] ?? Number.NaN, lastTimeMs: chart.time[chart.count - 1] ?? Number.NaN };
    const { bars, leftOut } = calculatedBars(program, chart, options.liveSinceMs);
    this.program = program;
    this.inputs = inputValues(program.inputs, options.inputs ?? {});
    this.#emitted = emitted;
    this.#lines = new LineTable(source);
    this.#progress = options.progress;
    this.count = bars.count;
    this.leftOut = leftOut;
    this.runtime = new Runtime({
      program,
      market: createMarket(options.symbol, options.timeframe, program.version, view),
      inputs: this.inputs,
      bars,
      leftOut,
      columnCount: emitted.columns.length,
      nowMs: options.nowMs ?? Date.now,
      tradeRange: { fromMs: options.tradeFromMs, toMs: options.tradeToMs },
      lineOf: (offset) => this.#lines.positionAt(offset).line,
    });
    if (emitted.create === null) throw new Error('the program cannot be run');
    this.#script = this.#guarded(emitted.create);
    this.#outputs = this.#outputsNow();
    this.#conditions = this.#conditionsNow();
  }

  /** Runs all bars handed in. */
  runHistory(): void {
    const barAt = (slot: number): Bar => this.#barAt(slot);
    // What alert() says on a bar comes before the conditions of that bar and after those of the bar before.
    const isByBar = (this.#conditions !== null && this.#emitted.raisesAlerts) || this.#repeatsBars;
    if (this.#repeatsBars) {
      this.runtime.isLive = true;
      this.#keep();
    }
    let stride = isByBar ? 1 : FIRST_STRIDE;
    for (let from = 0, to = 0; from < this.count; from = to) {
      to = Math.min(from + stride, this.count);
      this.#runBars(from, to);
      if (this.#repeatsBars) this.#keep();
      if (this.#conditions !== null)
        for (let bar = from; bar < to; bar += 1) this.#conditions.closeBar(bar + this.leftOut, bar, barAt);
      if (this.#progress) Atomics.store(this.#progress, 0, to + this.leftOut);
      if (!isByBar && stride < STRIDE) stride *= 2;
    }
  }

  /** Whether fills make the script run again on the bar they happen on. */
  get #repeatsBars(): boolean {
    return this.runtime.broker?.settings.calcOnOrderFills === true;
  }

  #runBars(from: number, to: number): void {
    const { broker, journal } = this.runtime;
    this.#guarded(() => this.#script.run(from, to));
    while (broker?.isPaused) {
      // The script begins the bar anew; what its orders have done stays done.
      journal.restore();
      this.#script.restore();
      this.#guarded(() => this.#script.run(from, to));
    }
  }

  /** Whether the script itself runs on ticks: a strategy does so only where it says so. */
  get runsOnTicks(): boolean {
    return this.runtime.broker === null || this.program.settings.calc_on_every_tick === true;
  }

  /** Whether the ticks of the next bar can change anything that is told of it. */
  get awaitsTicks(): boolean {
    const { broker } = this.runtime;
    return (this.runsOnTicks && this.#emitted.followsTicks) || (broker !== null && !broker.isIdle);
  }

  /** What the outputs have stored, by output. */
  outputs(): readonly OutputData[] {
    return this.#outputs;
  }

  #outputsNow(): OutputData[] {
    return this.program.outputs.map((spec, place) => {
      const columns: Record<string, Float64Array> = {};
      for (const [index, { output, parameter }] of this.#emitted.columns.entries())
        if (output === place) columns[parameter] = this.runtime.columns[index]!;
      return { spec, settings: this.runtime.settings[place]!, columns };
    });
  }

  #conditionsNow(): AlertConditions | null {
    if (!this.program.outputs.some(({ name }) => name === 'alertcondition')) return null;
    const { alerts, market, nowMs } = this.runtime;
    return new AlertConditions({ alerts, outputs: this.#outputs, market, nowMs });
  }

  #barAt(slot: number): Bar {
    const { time, open, high, low, close, volume } = this.runtime;
    const [t, o, h, l, c, v] = [time[slot]!, open[slot]!, high[slot]!, low[slot]!, close[slot]!, volume[slot]!];
    return { time: t, open: o, high: h, low: l, close: c, volume: v };
  }

  /** From here on bars come one by one, and memory no longer grows. */
  goLive(): void {
    const { runtime } = this;
    const kept = Math.min(this.count, LIVE_BARS);
    const ring = emptyColumns(LIVE_BARS);
    const moved = (column: Float64Array, room: Float64Array): Float64Array => {
      for (let bar = this.count - kept; bar < this.count; bar += 1) room[bar & (LIVE_BARS - 1)] = column[bar]!;
      return room;
    };
    for (const name of BAR_COLUMNS) runtime[name] = moved(runtime[name], ring[name]);
    for (const [index, column] of runtime.columns.entries())
      runtime.columns[index] = moved(column, new Float64Array(LIVE_BARS).fill(Number.NaN));
    runtime.mask = LIVE_BARS - 1;
    runtime.isRealtime = true;
    runtime.isLive = true;
    runtime.broker?.watchFills();
    this.#outputs = this.#outputsNow();
    this.#conditions = this.#conditionsNow();
    this.#keep();
  }

  /** Runs the newest bar again from the state before it, or a new bar when none is open. */
  runLive(bar: Bar, state: LiveState): number {
    const { index, slot } = this.#enterLive(bar, state);
    this.#runBars(index, index + 1);
    if (state.isClosing) {
      this.#conditions?.closeBar(index + this.leftOut, slot, () => bar);
      this.#keep();
    }
    return slot;
  }

  /** Fills the orders that the newest bar reaches, and runs the script only where a fill makes it run. */
  fillLive(bar: Bar, state: LiveState): number {
    const { runtime } = this;
    const { index, slot } = this.#enterLive(bar, state);
    runtime.bar = index;
    this.runtime.broker?.begin(index, slot, runtime);
    if (!runtime.broker?.isPaused) return slot;
    this.#enterLive(bar, { ...state, isNew: false });
    this.#runBars(index, index + 1);
    return slot;
  }

  #enterLive(bar: Bar, { isNew, isClosing }: LiveState): { index: number; slot: number } {
    const { runtime } = this;
    if (isNew) this.count += 1;
    else this.#takeBack();
    const index = this.count - 1;
    const slot = index & runtime.mask;
    for (const name of BAR_COLUMNS) runtime[name][slot] = bar[name];
    for (const column of runtime.columns) column[slot] = Number.NaN;
    runtime.lastIndex = index;
    runtime.isNew = isNew;
    runtime.isConfirmed = isClosing;
    if (runtime.broker !== null) runtime.broker.isClosing = isClosing;
    runtime.broker?.forgetFills();
    return { index, slot };
  }

  #keep(): void {
    this.#script.save();
    this.runtime.journal.save();
    this.runtime.broker?.save();
  }

  #takeBack(): void {
    this.runtime.journal.restore();
    this.runtime.broker?.restore();
    this.#script.restore();
  }

  /** An error of the language goes on with the place it happened at. */
  #guarded<T>(work: (runtime: Runtime) => T): T {
    try {
      return work(this.runtime);
    } catch (error) {
      if (!(error instanceof PineRuntimeError)) throw error;
      const { line, column } = this.#lines.positionAt(this.runtime.at);
      const barIndex = this.runtime.bar + this.leftOut;
      throw new ScriptRuntimeError(error.message, { barIndex, line, column }, { cause: error });
    }
  }
}

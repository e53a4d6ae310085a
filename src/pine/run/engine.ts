// Runs a compiled script over bars: history from front to back, then live, bar by bar and tick by tick.

import type { CheckedProgram } from '../check/tree.ts';
import { LineTable, type Position } from '../syntax/index.ts';
import { PineRuntimeError } from '../values/index.ts';
import { convertAccount } from './account-currency.ts';
import { AlertConditions } from './alert-conditions.ts';
import { magnifyBars } from './bar-magnifier.ts';
import { BAR_COLUMNS, type Bar, type BarColumns, emptyColumns } from './bars.ts';
import { calculatedBars } from './calculated-bars.ts';
import { LONGEST_HISTORY, ringSize } from './history.ts';
import { type InputValue, inputValues } from './input-values.ts';
import { createMarket } from './market.ts';
import { checkNamedTimeframe } from './named-timeframe.ts';
import type { OutputData } from './output-data.ts';
import type { BarLibrary } from './request/bar-library.ts';
import { openRequests, type RequestOptions } from './request/open-requests.ts';
import type { ChartTick } from './request/requested-run.ts';
import type { Requests } from './request/requests.ts';
import { barAt, barsBetween } from './request/resample.ts';
import type { SymbolBars } from './request/symbol-bars.ts';
import { NOT_PAID, RunWarnings } from './run-warnings.ts';
import { Runtime } from './runtime.ts';
import type { Emitted, Script } from './script.ts';
import { ScriptRuntimeError } from './script-runtime-error.ts';

export interface RunOptions extends RequestOptions {
  /** Values of inputs by their titles. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Of the chart; stands above the symbol's own period. */
  readonly timeframe?: string;
  readonly nowMs?: () => number;
  /** Orders of bars before and after are not taken, in ms; the script runs on them all the same. */
  readonly tradeFromMs?: number;
  readonly tradeToMs?: number;
  /** What a strategy begins with, instead of what it declares. */
  readonly initialCapital?: number;
  /** Keeps what a strategy asks of its broker, for the events of the answer. */
  readonly recordsOrders?: boolean;
  /** Its first place is set to the number of bars done, for whoever watches from another thread. */
  readonly progress?: Int32Array;
  /** Told it too, on the thread of the run. */
  readonly onProgress?: (bars: number) => void;
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
  /** Where offsets of the source are for whoever wrote the script, if it was written otherwise. */
  readonly places?: Places;
}

export interface Places {
  positionAt(offset: number): Position;
}

export class Engine {
  readonly program: CheckedProgram;
  readonly runtime: Runtime;
  readonly inputs: readonly InputValue[];
  readonly warnings: RunWarnings;
  /** Bars that have begun. */
  count: number;
  /** Bars of the chart before those, which the script does not know of. */
  readonly leftOut: number;
  readonly #emitted: Emitted;
  readonly #script: Script;
  readonly #lines: Places;
  readonly #progress: Int32Array | undefined;
  readonly #onProgress: RunOptions['onProgress'];
  #outputs: readonly OutputData[];
  #conditions: AlertConditions | null;
  readonly #requests: Requests;

  /** `outer` has the bars that may be requested, where the run is itself one of a requested expression. */
  constructor(
    { program, emitted, source, places }: EngineParts,
    chart: BarColumns,
    options: RunOptions,
    outer: BarLibrary | null = null,
  ) {
    const view = { firstTimeMs: chart.time[0] ?? Number.NaN, lastTimeMs: chart.time[chart.count - 1] ?? Number.NaN };
    const { bars, leftOut } = calculatedBars(program, chart, options.liveSinceMs);
    this.program = program;
    this.inputs = inputValues(program.inputs, options.inputs ?? {});
    this.#emitted = emitted;
    this.#lines = places ?? new LineTable(source);
    this.warnings = new RunWarnings(this.#lines, program.declaredAt);
    this.#progress = options.progress;
    this.#onProgress = options.onProgress;
    this.count = bars.count;
    this.leftOut = leftOut;
    const market = createMarket(options.symbol, options.timeframe, program.version, view);
    this.runtime = new Runtime({
      program,
      market: outer?.seenFromChart(market) ?? market,
      inputs: this.inputs,
      bars,
      leftOut,
      columnCount: emitted.columns.length,
      nowMs: options.nowMs ?? Date.now,
      account: {
        fromMs: options.tradeFromMs,
        toMs: options.tradeToMs,
        initialCapital: options.initialCapital,
        recordsOrders: options.recordsOrders,
      },
      lineOf: (offset) => this.#lines.positionAt(offset).line,
    });
    this.#requests = this.#openRequests(bars, source, options, outer);
    this.runtime.requests = this.#requests;
    if (outer === null) this.#openAccount(bars, options);
    const isNamed = Boolean(options.timeframe || options.symbol?.period);
    if (outer === null && isNamed) checkNamedTimeframe(market.timeframe, chart, this.warnings);
    if (emitted.create === null) throw new Error('the program cannot be run');
    this.#script = this.#guarded(emitted.create);
    this.#outputs = this.#outputsNow();
    this.#conditions = this.#conditionsNow();
  }

  #openRequests(bars: BarColumns, source: string, options: RunOptions, outer: BarLibrary | null): Requests {
    const { market, journal, logs } = this.runtime;
    const { inputs, nowMs, tradeFromMs, liveSinceMs } = options;
    // A range of dates in TradingView's tester is all that its requests know of; a live script has its whole history.
    const isTest = tradeFromMs !== undefined && liveSinceMs === undefined;
    const range = isTest ? { requestsFromMs: tradeFromMs } : {};
    const given = { ...(inputs && { inputs }), ...(nowMs && { nowMs }) };
    return openRequests({
      ...{
        requests: this.#emitted.requests,
        version: this.program.version,
        market,
        bars,
        journal,
        logs,
        options: { ...range, ...options },
        outer,
      },
      start: (request, found, place, library) => {
        const engine = new Engine({ ...request, source, places: this.#lines }, found, { ...given, ...place }, library);
        engine.runtime.at = request.at;
        return engine;
      },
    });
  }

  #openAccount({ time, count }: BarColumns, options: RunOptions): void {
    const { broker, market } = this.runtime;
    if (broker === null) return;
    const { tradeFromMs = Number.NEGATIVE_INFINITY, liveSinceMs = Number.POSITIVE_INFINITY } = options;
    const host = { broker, market, requests: this.#requests, warnings: this.warnings };
    const firstMs = count === 0 ? Number.POSITIVE_INFINITY : time[0]!;
    convertAccount({ ...host, tradesFromMs: Math.max(firstMs, tradeFromMs) });
    if (this.program.settings.use_bar_magnifier === true) magnifyBars({ ...host, liveSinceMs });
  }

  /** Runs all bars handed in. */
  runHistory(): void {
    const barAt = (slot: number): Bar => this.#barAt(slot);
    // What alert() says on a bar comes before the conditions of that bar and after those of the bar before.
    const isByBar = (this.#conditions !== null && this.#emitted.raisesAlerts) || this.#repeatsBars;
    // Bars that came after the start are live ones for what the script requests.
    const liveFrom = this.#emitted.requests.length === 0 ? this.count : this.#requests.historyCount;
    if (this.#repeatsBars) {
      this.runtime.isLive = true;
      this.#keep();
    }
    let stride = isByBar ? 1 : FIRST_STRIDE;
    for (let from = 0, to = 0; from < this.count; from = to) {
      if (from === liveFrom) stride = 1;
      to = Math.min(from + stride, from < liveFrom ? liveFrom : this.count);
      if (from >= liveFrom) this.#guarded(() => this.#requestLive(from, from === liveFrom));
      this.#runBars(from, to);
      if (this.#repeatsBars) this.#keep();
      if (this.#conditions !== null)
        for (let bar = from; bar < to; bar += 1) this.#conditions.closeBar(bar + this.leftOut, bar, barAt);
      if (this.#progress) Atomics.store(this.#progress, 0, to + this.leftOut);
      this.#onProgress?.(to + this.leftOut);
      if (!isByBar && stride < STRIDE && to < liveFrom) stride *= 2;
    }
    this.#tellUnpaid();
  }

  /** An order that only vanishes looks like one that the script never placed. */
  #tellUnpaid(): void {
    const unpaid = this.runtime.broker?.ledger.totals.unpaidOrders ?? 0;
    if (unpaid === 0) return;
    const message =
      unpaid === 1
        ? '1 order was not filled: the account could not pay it.'
        : `${unpaid} orders were not filled: the account could not pay them.`;
    this.warnings.add(
      NOT_PAID,
      message,
      'Give the account more (initial_capital, --capital), order less, or declare the margin_long and margin_short that your venue asks for.',
    );
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

  #requestLive(bar: number, isFirst: boolean): void {
    const { time, open, high, low, close, volume } = this.runtime;
    const bars = { count: this.count, time, open, high, low, close, volume };
    if (isFirst) this.#requests.goLive(barsBetween(bars, 0, bar));
    const newest = barAt(bars, bar);
    this.#requests.update(newest, this.#requests.tickOf(newest, true));
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

  /** From here on bars come one by one, and the columns of bars and outputs no longer grow. `chart`: those that make requested bars grow, else its own. */
  goLive(chart?: BarColumns): void {
    const { runtime } = this;
    if (this.#emitted.requests.length > 0 && !this.#requests.isLive) {
      const { time, open, high, low, close, volume } = runtime;
      this.#requests.goLive(chart ?? { count: this.count, time, open, high, low, close, volume });
    }
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

  /** Newer bars of other symbols and timeframes, in place of all that were handed in before. */
  handIn(symbolBars: readonly SymbolBars[]): void {
    this.#guarded(() => {
      this.#requests.library.handIn(symbolBars);
      this.#requests.renew();
    });
  }

  /**
   * Runs the newest bar again from the state before it, or a new bar when none is open. `tick` makes what it requests
   * grow; the bar itself does where the chart is the script's own.
   */
  runLive(bar: Bar, state: LiveState, tick?: ChartTick | null): number {
    const { index, slot } = this.#enterLive(bar, state);
    this.#guarded(() => {
      if (this.#emitted.requests.length > 0)
        this.#requests.update(bar, tick === undefined ? this.#requests.tickOf(bar, state.isClosing) : tick);
    });
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
    runtime.broker?.begin(index, slot, runtime);
    return runtime.broker?.isPaused ? this.runLive(bar, { ...state, isNew: false }) : slot;
  }

  #enterLive(bar: Bar, { isNew, isClosing }: LiveState): { index: number; slot: number } {
    const { runtime } = this;
    if (isNew) this.count += 1;
    else this.#takeBack();
    const index = this.count - 1;
    const slot = index & runtime.mask;
    for (const name of BAR_COLUMNS) runtime[name][slot] = bar[name];
    for (const column of runtime.columns) column[slot] = Number.NaN;
    runtime.bar = index;
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
      const barIndex = this.runtime.bar + this.leftOut;
      // That of a requested expression has its place already; the bar is that of the chart.
      if (error instanceof ScriptRuntimeError)
        throw new ScriptRuntimeError(error.message, { ...error, barIndex }, { cause: error });
      if (!(error instanceof PineRuntimeError)) throw error;
      const { line, column } = this.#lines.positionAt(this.runtime.at);
      throw new ScriptRuntimeError(error.message, { barIndex, line, column }, { cause: error });
    }
  }
}

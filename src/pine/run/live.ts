// A script on a live chart: its history is run once, then every tick costs one bar.

import type { AlertItem } from './alerts.ts';
import type { Bar } from './bars.ts';
import type { Engine } from './engine.ts';
import { type LiveFill, tellFills } from './fill-messages.ts';
import type { LogItem } from './logs.ts';
import type { SymbolBars } from './request/symbol-bars.ts';
import type { RunResult } from './result.ts';
import { changingAt } from './result-meta.ts';
import { type NamedOutput, namedOutputs, valueAt } from './result-series.ts';

/** What one tick made of the newest bar. */
export interface LiveBar {
  readonly barIndex: number;
  readonly timeMs: number;
  readonly isClosed: boolean;
  /** By name of the series, na as NaN. */
  readonly values: ReadonlyMap<string, number>;
  /** What came since the last tick. */
  readonly alerts: readonly AlertItem[];
  readonly logs: readonly LogItem[];
  /** Of this bar so far, in the order they happened; what a tick shows may be another at the next one. */
  readonly fills: readonly LiveFill[];
  /** What a strategy holds now, positive long and negative short; null of any other script. */
  readonly position: number | null;
  /** Whether ticks of the next bar can change anything that is told of it. */
  readonly awaitsTicks: boolean;
}

export interface LiveOptions {
  /** What a fill says whose call has no `alert_message`, with placeholders. */
  readonly orderMessage?: string | undefined;
}

export class LiveRun {
  readonly #engine: Engine;
  #history: RunResult | null;
  readonly #named: readonly NamedOutput[];
  #lastTimeMs: number;
  /** The bar that has begun and not ended. */
  #open: Bar | null = null;
  /** Where the newest bar stands in the columns. */
  #slot = 0;
  #seenAlerts: number;
  #seenLogs: number;
  readonly #options: LiveOptions;

  /** The engine has run its history. */
  constructor(engine: Engine, history: RunResult, options: LiveOptions = {}) {
    this.#engine = engine;
    this.#options = options;
    this.#history = history;
    this.#named = namedOutputs(engine.program.outputs);
    this.#lastTimeMs = engine.count === 0 ? Number.NEGATIVE_INFINITY : engine.runtime.lastTime();
    this.#seenAlerts = engine.runtime.alerts.total;
    this.#seenLogs = engine.runtime.logs.total;
    engine.goLive();
  }

  /** Of the bars it began with. */
  result(): RunResult {
    if (this.#history === null) throw new Error('the result of its history was let go');
    return this.#history;
  }

  /** Lets go of that result, and of the columns as long as the history behind it. */
  forgetHistory(): void {
    this.#history = null;
  }

  /** The books of a strategy as they stand now; null of any other script. */
  get broker(): RunResult['broker'] {
    return this.#engine.runtime.broker;
  }

  /** Of the last closed bar; without one, of none. */
  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  /** What is on the chart now. */
  drawings(): readonly unknown[] {
    return this.#engine.runtime.drawn();
  }

  /** By title of each output, how the newest bar looks: its arguments that change from bar to bar. */
  looks(): ReadonlyMap<string, Readonly<Record<string, number>>> {
    const outputs = this.#engine.outputs();
    return new Map(this.#named.map(({ title, place }) => [title, changingAt(outputs[place]!, this.#slot)]));
  }

  /** Newer bars of other symbols and timeframes, in place of all that were handed in before; only those that are over. */
  handIn(symbolBars: readonly SymbolBars[]): void {
    this.#engine.handIn(symbolBars);
  }

  /**
   * The newest bar as it stands now. A later time begins a new bar, and the one before ends as it was last seen. A
   * strategy without calc_on_every_tick does not run: the tick fills its orders, and its values are na until the close.
   */
  update(bar: Bar): LiveBar {
    return this.#run(bar, false);
  }

  /** The newest bar at its end. */
  close(bar: Bar): LiveBar {
    return this.#run(bar, true);
  }

  #run(bar: Bar, isClosing: boolean): LiveBar {
    if (!(bar.time > this.#lastTimeMs))
      throw new RangeError(
        `The bar of ${bar.time} comes after that of ${this.#lastTimeMs} was closed; send newer ones.`,
      );
    if (this.#open !== null && bar.time < this.#open.time)
      throw new RangeError(`The bar of ${bar.time} is older than the open one of ${this.#open.time}; send newer ones.`);
    if (this.#open !== null && bar.time > this.#open.time) {
      this.#engine.runLive(this.#open, { isNew: false, isClosing: true });
      this.#open = null;
    }
    const isNew = this.#open === null;
    this.#open = { ...bar };
    const isRun = isClosing || this.#engine.runsOnTicks;
    const slot = this.#engine[isRun ? 'runLive' : 'fillLive'](bar, { isNew, isClosing });
    this.#slot = slot;
    if (isClosing) {
      this.#open = null;
      this.#lastTimeMs = bar.time;
    }
    return this.#report(bar, slot, isClosing);
  }

  #report(bar: Bar, slot: number, isClosed: boolean): LiveBar {
    const { alerts, logs } = this.#engine.runtime;
    const outputs = this.#engine.outputs();
    const values = new Map<string, number>();
    for (const { place, series } of this.#named)
      for (const { name, parameter } of series) values.set(name, valueAt(outputs[place]!, parameter, slot));
    const report = {
      barIndex: this.#engine.count - 1 + this.#engine.leftOut,
      timeMs: bar.time,
      isClosed,
      values,
      alerts: alerts.list(this.#seenAlerts),
      logs: logs.list(this.#seenLogs),
      fills: tellFills(this.#engine, this.#options.orderMessage, bar, slot),
      position: this.broker?.ledger.size ?? null,
      awaitsTicks: this.#engine.awaitsTicks,
    };
    this.#seenAlerts = alerts.total;
    this.#seenLogs = logs.total;
    return report;
  }
}

// What the code of a running script stands on: the chart's columns, the state of the bar, and the functions of this run.

import type { Broker } from '../broker/index.ts';
import type { PineVersion } from '../builtins/types.ts';
import type { CheckedProgram, OutputSpec } from '../check/tree.ts';
import { createDrawings, type DrawingRecord, type Drawings } from '../drawings/index.ts';
import {
  createValueLibrary,
  Journal,
  NumberArray,
  PineRuntimeError,
  type ValueFunction,
  type ValueHost,
  type ValueLibrary,
} from '../values/index.ts';
import { Alerts } from './alerts.ts';
import { BarFacts } from './bar-facts.ts';
import type { BarColumns } from './bars.ts';
import type { InputValue } from './input-values.ts';
import { MAX_LOOP_TURNS } from './limits.ts';
import { Logs } from './logs.ts';
import type { Market } from './market.ts';
import type { Requests } from './request/requests.ts';
import { type AccountOptions, createBroker } from './strategy-broker.ts';
import { tickerEntry } from './tickers.ts';

/** Every bar has a slot of its own: a history run keeps them all. */
export const ALL_BARS = 0x3fffffff;

export interface RuntimeParts {
  readonly program: CheckedProgram;
  readonly market: Market;
  readonly inputs: readonly InputValue[];
  readonly bars: BarColumns;
  /** Bars of the chart before these, which the script does not know of. */
  readonly leftOut: number;
  readonly columnCount: number;
  readonly nowMs: () => number;
  readonly lineOf: (offset: number) => number;
  /** Of a strategy. */
  readonly account: AccountOptions;
}

interface Stateful {
  save(): void;
  restore(): void;
}

type Guard = <T>(id: T | null | undefined) => T;
type Source = (slot: number) => number;

/** Generated code reads and writes the fields by name; `emit` is the only other place that knows them. */
export class Runtime {
  time: Float64Array;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
  /** From the number of a bar to its slot in the columns. */
  mask = ALL_BARS;
  /** One per argument of an output that changes. */
  readonly columns: Float64Array[];
  /** Of a requested expression: values that are no numbers, by element and bar. */
  readonly items: unknown[][] = [];
  /** The engine hands it in; generated code asks it for other symbols and timeframes. */
  requests: Requests | null = null;
  /** Where the script stands, as an offset into its text. */
  at = 0;
  bar = 0;
  budget = MAX_LOOP_TURNS;
  lastIndex: number;
  lastHistoryIndex: number;
  isRealtime = false;
  isNew = true;
  isConfirmed = true;
  /** Whether ticks may be taken back. */
  isLive = false;

  readonly nowMs: () => number;
  readonly lineOf: (offset: number) => number;
  readonly journal = new Journal();
  readonly market: Market;
  readonly host: ValueHost;
  readonly facts: BarFacts;
  readonly alerts: Alerts;
  readonly logs: Logs;
  /** Of a strategy. */
  readonly broker: Broker | null;
  readonly settings: Record<string, unknown>[];
  private readonly inputs: readonly InputValue[];
  private readonly leftOut: number;
  private readonly makeDrawings: () => Drawings;
  private made: Drawings | null = null;
  private readonly libraries = new Map<PineVersion, ValueLibrary>();

  constructor({ program, market, inputs, bars, leftOut, columnCount, nowMs, lineOf, account }: RuntimeParts) {
    this.time = bars.time;
    this.open = bars.open;
    this.high = bars.high;
    this.low = bars.low;
    this.close = bars.close;
    this.volume = bars.volume;
    // Outputs stand in the outermost scope, so that every bar writes to every column.
    this.columns = Array.from({ length: columnCount }, () => new Float64Array(bars.count));
    this.lastIndex = bars.count - 1;
    this.lastHistoryIndex = bars.count - 1;
    this.nowMs = nowMs;
    this.lineOf = lineOf;
    this.market = market;
    this.inputs = inputs;
    this.leftOut = leftOut;
    this.host = { version: program.version, journal: this.journal, mintick: market.mintick, market: market.hours };
    this.facts = new BarFacts(market);
    const barIndex = (): number => this.bar;
    const place = (): number => this.bar + leftOut;
    const timeMs = (): number => this.time[this.bar & this.mask]!;
    this.alerts = new Alerts({ barIndex: place, timeMs, isClosing: () => this.isConfirmed });
    this.logs = new Logs({ barIndex: place, mintick: market.mintick });
    this.makeDrawings = () =>
      createDrawings({
        version: program.version,
        journal: this.journal,
        limits: drawingLimits(program),
        barIndex,
        lastBarIndex: () => this.lastIndex,
        timeMs,
        close: () => this.close[this.bar & this.mask]!,
      });
    this.broker = program.scriptType === 'strategy' ? createBroker(program, market, account) : null;
    this.settings = program.outputs.map(constantSettings);
  }

  /** Made when a script first draws: most never do. */
  get drawings(): Drawings {
    this.made ??= this.makeDrawings();
    return this.made;
  }

  drawn(): readonly DrawingRecord[] {
    return this.made?.list(this.leftOut) ?? [];
  }

  // Called by generated code before the first bar

  functionOf(version: PineVersion, name: string): ValueFunction {
    const entry = this.libraryOf(version).find(name) ?? tickerEntry(name) ?? this.drawings.entries[name];
    if (entry?.kind !== 'function') throw new Error(`the run time has no function ${name}`);
    return entry.call;
  }

  guardOf(version: PineVersion, name: string): Guard {
    const entry = this.libraryOf(version).find(name);
    if (entry?.kind !== 'method') throw new Error(`the run time has no method ${name}`);
    return entry.guard;
  }

  fact(name: string): unknown {
    if (!Object.hasOwn(this.market.facts, name)) throw new Error(`the run time does not know ${name}`);
    return this.market.facts[name];
  }

  input(place: number): unknown {
    return this.inputs[place]!.value;
  }

  /** How to read the series that somebody chose, or null where the script's own stands. */
  sourceOf(place: number): Source | null {
    const { value, isDefault } = this.inputs[place]!;
    if (isDefault || typeof value !== 'string') return null;
    return SOURCES[value]?.(this) ?? null;
  }

  /** The same numbers on every run: a result that nobody can repeat is worth little. */
  seed(site: number): number {
    return site * 0x9e3779b1;
  }

  // Called by generated code on bars

  /** A new state knows what to go back to. */
  keep<T extends Stateful>(state: T): T {
    if (this.isLive) state.save();
    return state;
  }

  set(output: number, settings: Record<string, unknown>): void {
    Object.assign(this.settings[output]!, settings);
  }

  numbers(values: ArrayLike<number>): NumberArray {
    return NumberArray.of(this.journal, Array.from(values));
  }

  lastTime(): number {
    return this.time[this.lastIndex & this.mask]!;
  }

  isNewDay(bar: number): boolean {
    if (bar === 0) return true;
    const day = this.facts.time_tradingday(this.time[bar & this.mask]!);
    return day !== this.facts.time_tradingday(this.time[(bar - 1) & this.mask]!);
  }

  /** Opening time of a bar so far back; of a bar to come, as the calendar has it. */
  timeBack(bar: number, offset: number): number {
    if (offset >= 0) return offset <= bar ? this.time[(bar - Math.trunc(offset)) & this.mask]! : Number.NaN;
    let time = this.time[bar & this.mask]!;
    for (let steps = Math.min(-offset, MAX_BARS_AHEAD); steps >= 1; steps -= 1) time = this.facts.time_close(time);
    return time;
  }

  tired(): never {
    throw new PineRuntimeError(
      `The loops of the script take more than ${MAX_LOOP_TURNS} turns on one bar. Make them end sooner.`,
    );
  }

  fail(message: string | null): never {
    throw new PineRuntimeError(message ?? 'NaN');
  }

  private libraryOf(version: PineVersion): ValueLibrary {
    const known = this.libraries.get(version);
    if (known !== undefined) return known;
    const fresh = createValueLibrary({ ...this.host, version });
    this.libraries.set(version, fresh);
    return fresh;
  }
}

/** What generated code need not set: the arguments of an output that are the same in every run. */
function constantSettings({ call }: OutputSpec): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const { parameter, values } of call.arguments)
    if (values[0]?.kind === 'constant') settings[parameter.name] = values[0].value;
  return settings;
}

/** Pine's own limit on how far `time()` looks ahead. */
const MAX_BARS_AHEAD = 500;

const SOURCES: Readonly<Record<string, (runtime: Runtime) => Source>> = {
  open: (r) => (s) => r.open[s]!,
  high: (r) => (s) => r.high[s]!,
  low: (r) => (s) => r.low[s]!,
  close: (r) => (s) => r.close[s]!,
  volume: (r) => (s) => r.volume[s]!,
  hl2: (r) => (s) => (r.high[s]! + r.low[s]!) / 2,
  hlc3: (r) => (s) => (r.high[s]! + r.low[s]! + r.close[s]!) / 3,
  hlcc4: (r) => (s) => (r.high[s]! + r.low[s]! + r.close[s]! + r.close[s]!) / 4,
  ohlc4: (r) => (s) => (r.open[s]! + r.high[s]! + r.low[s]! + r.close[s]!) / 4,
};

/** What the chart holds of each kind when the script does not say. */
const USUAL_DRAWINGS = 50;

function drawingLimits({ settings }: CheckedProgram): {
  lines: number;
  labels: number;
  boxes: number;
  polylines: number;
} {
  const limit = (name: string): number => (typeof settings[name] === 'number' ? settings[name] : USUAL_DRAWINGS);
  return {
    lines: limit('max_lines_count'),
    labels: limit('max_labels_count'),
    boxes: limit('max_boxes_count'),
    polylines: limit('max_polylines_count'),
  };
}

// What the oracle knows of the chart: built-in variables by bar, on a symbol that trades around the clock in UTC.

import type { BarColumns } from '../../../src/pine/run/bars.ts';
import { type Kernel, TA_KERNELS } from '../../../src/pine/ta/index.ts';
import { calendarPart } from './calendar.ts';

/** Something a script uses that the oracle was not made for; a test leaves such a script out. */
export class OracleGap extends Error {}

export type AnyKernel = Kernel & Record<string, unknown> & { next(...inputs: unknown[]): unknown };

const DAY_MS = 86_400_000;

/** The number of the period a time lies in. */
const PERIODS: Readonly<Record<string, (timeMs: number) => number>> = {
  D: (timeMs) => Math.floor(timeMs / DAY_MS),
  // Day 0 was a Thursday.
  W: (timeMs) => Math.floor((timeMs / DAY_MS + 3) / 7),
  M: (timeMs) => new Date(timeMs).getUTCFullYear() * 12 + new Date(timeMs).getUTCMonth(),
};

/** Variables that are the script's own instance inside a function: they advance only when they are executed there. */
export const PER_INSTANCE: ReadonlySet<string> = new Set(['ta.vwap', 'ta.accdist']);

export class Chart {
  readonly bars: BarColumns;
  private readonly facts: Readonly<Record<string, unknown>>;
  private readonly columns = new Map<string, readonly unknown[]>();

  /** `facts` are values that no bar changes, such as `syminfo.mintick`. */
  constructor(bars: BarColumns, facts: Readonly<Record<string, unknown>>) {
    this.bars = bars;
    this.facts = facts;
  }

  /** The value of a built-in variable on a bar; undefined before the first bar. */
  valueOf(name: string, bar: number): unknown {
    if (bar < 0) return undefined;
    if (name in TA_KERNELS) return this.columnOf(name)[bar];
    if (name in this.facts) return this.facts[name];
    return this.plainValue(name, bar);
  }

  /** Whether a day of the chart begins with this bar, as the first one does. */
  startsDay(bar: number): boolean {
    return bar === 0 || this.changes('D', bar);
  }

  /** Whether this bar lies in another period than the one before: minutes, a day, a week from Monday on, or a month. */
  changes(timeframe: string, bar: number): boolean {
    const minutes = Number(timeframe);
    const part = PERIODS[timeframe] ?? ((timeMs: number) => Math.floor(timeMs / (minutes * 60_000)));
    // Days are whole numbers of these periods, so that counting from the epoch is counting from midnight.
    if (PERIODS[timeframe] === undefined && 1440 % minutes !== 0) throw new OracleGap(`the timeframe ${timeframe}`);
    return bar > 0 && part(this.bars.time[bar]!) !== part(this.bars.time[bar - 1]!);
  }

  /** What a kernel takes from the chart: `close`, or `close[1]`. */
  kernelInput(text: string, bar: number): number {
    const [, name = '', ago = '0'] = /^(\w+)(?:\[(\d)\])?$/.exec(text) ?? [];
    return (this.valueOf(name, bar - Number(ago)) ?? Number.NaN) as number;
  }

  /** One step of a variable that has a kernel. */
  stepVariable(name: string, kernel: AnyKernel, bar: number): unknown {
    const inputs = TA_KERNELS[name]!.inputs.map((input) => {
      if (input.startsWith('chart.')) return this.kernelInput(input.slice(6), bar);
      if (input === 'source') return this.valueOf('hlc3', bar);
      if (input === 'anchor') return this.startsDay(bar);
      if (input === 'stdev_mult') return 1;
      if (input === 'handle_na') return false;
      throw new OracleGap(`${name} takes ${input}`);
    });
    return kernel.next(...inputs);
  }

  /** A ta variable over the whole chart, whatever the script does. */
  private columnOf(name: string): readonly unknown[] {
    const known = this.columns.get(name);
    if (known !== undefined) return known;
    const kernel = TA_KERNELS[name]!.create() as AnyKernel;
    const column = Array.from({ length: this.bars.count }, (_, bar) => this.stepVariable(name, kernel, bar));
    this.columns.set(name, column);
    return column;
  }

  private plainValue(name: string, bar: number): unknown {
    const { count, time, open, high, low, close, volume } = this.bars;
    const [o, h, l, c] = [open[bar]!, high[bar]!, low[bar]!, close[bar]!];
    const isLast = bar === count - 1;
    const values: Readonly<Record<string, unknown>> = {
      time: time[bar],
      open: o,
      high: h,
      low: l,
      close: c,
      volume: volume[bar],
      hl2: (h + l) / 2,
      hlc3: (h + l + c) / 3,
      hlcc4: (h + l + c + c) / 4,
      ohlc4: (o + h + l + c) / 4,
      bar_index: bar,
      last_bar_index: count - 1,
      last_bar_time: time[count - 1],
      'barstate.isfirst': bar === 0,
      'barstate.islast': isLast,
      'barstate.islastconfirmedhistory': isLast,
      'barstate.ishistory': true,
      'barstate.isconfirmed': true,
      'barstate.isnew': true,
      'barstate.isrealtime': false,
    };
    const found = values[name] ?? calendarPart(name, time[bar]!);
    if (found === undefined) throw new OracleGap(`the built-in variable ${name}`);
    return found;
  }
}

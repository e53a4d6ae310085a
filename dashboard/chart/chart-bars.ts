// The bars of a chart in columns that grow at both ends: the past is asked for page by page, and the newest bar goes on changing.

import { type Bar, type BarColumns, emptyColumns } from '../../src/pine/light.ts';

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
/** Room for bars to come, so that a new one seldom copies them all. */
const SPARE = 1024;

export class ChartBars {
  #columns: BarColumns = emptyColumns(SPARE);

  /** Columns may be longer than they count. */
  get columns(): BarColumns {
    return this.#columns;
  }

  get count(): number {
    return this.#columns.count;
  }

  at(index: number): Bar | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    const { time, open, high, low, close, volume } = this.#columns;
    return {
      ...{ time: time[index]!, open: open[index]!, high: high[index]!, low: low[index]!, close: close[index]! },
      volume: volume[index]!,
    };
  }

  get last(): Bar | undefined {
    return this.at(this.count - 1);
  }

  /** The first so many of them, as others read them. */
  first(count: number): BarColumns {
    return { ...this.#columns, count: Math.max(0, Math.min(count, this.count)) };
  }

  /** Bars before those there are, oldest first; what overlaps is left out. Returns how many were new. */
  addPast(bars: readonly Bar[]): number {
    const firstMs = this.count === 0 ? Number.POSITIVE_INFINITY : this.#columns.time[0]!;
    const older = bars.filter(({ time }) => time < firstMs);
    const grown = emptyColumns(older.length + this.count + SPARE);
    for (const name of NAMES) {
      for (const [i, bar] of older.entries()) grown[name][i] = bar[name];
      grown[name].set(this.#columns[name].subarray(0, this.count), older.length);
    }
    this.#columns = { ...grown, count: older.length + this.count };
    return older.length;
  }

  /** The newest bar, or one behind it. A bar that is older than the newest changes nothing and is told as false. */
  put(bar: Bar): boolean {
    const { count } = this;
    const lastMs = count === 0 ? Number.NEGATIVE_INFINITY : this.#columns.time[count - 1]!;
    if (bar.time < lastMs) return false;
    const place = bar.time === lastMs ? count - 1 : count;
    if (place >= this.#columns.time.length) this.addPast([]);
    for (const name of NAMES) this.#columns[name][place] = bar[name];
    this.#columns = { ...this.#columns, count: place + 1 };
    return true;
  }
}

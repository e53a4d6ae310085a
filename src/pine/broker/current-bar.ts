// The bar that the broker is on, and how far along its path it has come.

/** Where a bar stands: at its open, on the way to the first extreme, the second, the close, or past it. */
export const STAGE = { open: 0, first: 1, second: 2, close: 3, done: 4 } as const;
export type Stage = (typeof STAGE)[keyof typeof STAGE];

/** Where bars are read from: handing over five prices one by one would cost an allocation each. */
export interface PriceColumns {
  readonly time: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
}

export class CurrentBar {
  index = -1;
  timeMs = Number.NaN;
  open = Number.NaN;
  high = Number.NaN;
  low = Number.NaN;
  close = Number.NaN;
  /** What the account is valued at: the close, or where on the path the script runs after a fill. */
  mark = Number.NaN;
  stage: Stage = STAGE.done;
  /** Whether an entry with a price has filled on it. */
  hasPricedEntry = false;
  /** The price the path has come to. */
  at = Number.NaN;

  start(index: number, slot: number, columns: PriceColumns): void {
    this.index = index;
    this.timeMs = columns.time[slot]!;
    this.open = columns.open[slot]!;
    this.high = columns.high[slot]!;
    this.low = columns.low[slot]!;
    this.close = columns.close[slot]!;
    this.mark = this.close;
    this.at = this.open;
    this.hasPricedEntry = false;
    this.stage = STAGE.open;
  }

  /** The price that ends a stage: the nearer extreme comes first, and of two that are equally near the low. */
  endOf(stage: Stage): number {
    const { open, high, low, close } = this;
    if (stage === STAGE.close) return close;
    const isHighFirst = high - open < open - low;
    return isHighFirst === (stage === STAGE.first) ? high : low;
  }
}

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

const NOWHERE = new Float64Array([Number.NaN]);
const NO_BARS: PriceColumns = { time: NOWHERE, open: NOWHERE, high: NOWHERE, low: NOWHERE, close: NOWHERE };

/** Prices are read where they are needed: on most bars few of them are, and copying all of them costs more than the rest. */
export class CurrentBar {
  index = -1;
  stage: Stage = STAGE.done;
  /** Whether an entry with a price has filled on it. */
  hasPricedEntry = false;
  /** Runs of the script on this bar so far, to tell two calls of one run from those of two. */
  run = 0;
  /** How far the bar had come when the present run began: the leg it follows, or the end. */
  runStage: Stage = STAGE.done;
  /** The price the path has come to. */
  at = Number.NaN;
  private columns = NO_BARS;
  private slot = 0;
  /** Where on the path the script runs after a fill; NaN when it runs at the close. */
  private pausedAt = Number.NaN;
  private isPaused = false;

  get timeMs(): number {
    return this.columns.time[this.slot]!;
  }
  get open(): number {
    return this.columns.open[this.slot]!;
  }
  get high(): number {
    return this.columns.high[this.slot]!;
  }
  get low(): number {
    return this.columns.low[this.slot]!;
  }
  get close(): number {
    return this.columns.close[this.slot]!;
  }

  /** What the account is valued at: the close, or where on the path the script runs after a fill. */
  get mark(): number {
    return this.isPaused ? this.pausedAt : this.close;
  }

  start(index: number, slot: number, columns: PriceColumns): void {
    this.index = index;
    this.slot = slot;
    this.columns = columns;
    this.isPaused = false;
    this.hasPricedEntry = false;
    this.stage = STAGE.open;
    this.run = 0;
    this.runStage = STAGE.done;
  }

  pauseAt(price: number, stage: Stage): void {
    this.run += 1;
    this.runStage = stage;
    this.isPaused = true;
    this.pausedAt = price;
  }

  goOn(): void {
    this.run += 1;
    this.runStage = STAGE.done;
    this.isPaused = false;
  }

  /** The price that ends a stage: the nearer extreme comes first, and of two that are equally near the low. */
  endOf(stage: Stage): number {
    const { open, high, low, close } = this;
    if (stage === STAGE.close) return close;
    const isHighFirst = high - open < open - low;
    return isHighFirst === (stage === STAGE.first) ? high : low;
  }
}

// The bar that the broker is on, and how far along its path it has come. Under the bar magnifier it shows the prices of one
// shorter bar after the other while its path is walked, and its own before and after.

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
  /** Whether what was ordered before it has met its open. */
  hasOpened = false;
  /** Of the shorter bars inside of it, the one whose path is walked, from 0; of a bar without any always 0. */
  part = 0;
  /** Runs of the script on this bar so far, to tell two calls of one run from those of two. */
  run = 0;
  /** How far the bar had come when the present run began: the leg it follows, or the end. */
  runStage: Stage = STAGE.done;
  /** The price the path has come to. */
  at = Number.NaN;
  private columns = NO_BARS;
  private slot = 0;
  /** Where its own prices are while it shows those of a shorter bar; else null. */
  private chart: PriceColumns | null = null;
  private chartSlot = 0;
  /** Where on the path the script runs after a fill; NaN when it runs at the close. */
  private pausedAt = Number.NaN;
  private isPaused = false;

  get timeMs(): number {
    return this.chart === null ? this.columns.time[this.slot]! : this.chart.time[this.chartSlot]!;
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
    this.pass(index, slot);
    this.columns = columns;
    this.isPaused = false;
    this.hasPricedEntry = false;
    this.stage = STAGE.open;
    this.run = 0;
    this.runStage = STAGE.done;
  }

  /** A bar of the same columns on which nothing fills, after one on which nothing has. */
  pass(index: number, slot: number): void {
    this.index = index;
    this.slot = slot;
  }

  /** Its path begins, or that of the next shorter bar inside of it. */
  startPath(): void {
    this.hasOpened = false;
    this.at = this.open;
  }

  /** The first or the next of the shorter bars inside of it: a path of its own, which begins with a gap. */
  startPart(bars: PriceColumns, place: number): void {
    if (this.chart === null) {
      this.chart = this.columns;
      this.chartSlot = this.slot;
    } else this.part += 1;
    this.columns = bars;
    this.slot = place;
    this.hasPricedEntry = false;
    this.stage = STAGE.open;
    this.startPath();
  }

  endParts(): void {
    if (this.chart === null) return;
    this.columns = this.chart;
    this.slot = this.chartSlot;
    this.chart = null;
    this.part = 0;
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
    if (stage === STAGE.open) return open;
    if (stage === STAGE.close) return close;
    const isHighFirst = high - open < open - low;
    return isHighFirst === (stage === STAGE.first) ? high : low;
  }
}

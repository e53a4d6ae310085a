// Volume: the volume weighted average price, and the lines that volume draws along the chart.

import type { Kernel } from './kernel.ts';

/**
 * ta.vwap. Inputs: source, volume of the chart, anchor (boolean), stdev_mult. `next` returns the average since the
 * anchor was last true, na before the first time; `second` is the upper band, `third` the lower. Without an anchor of
 * its own a call is anchored where the chart's day begins, and on the chart's first bar.
 */
export class Vwap implements Kernel {
  second = Number.NaN;
  third = Number.NaN;
  private hasAnchor = false;
  /** Distances are measured from the first source after the anchor: its squares would swallow the deviation. */
  private origin = Number.NaN;
  private volumes = 0;
  /** Summed as TradingView does, in whose last digit a script may see a cross: the first average is not always the price. */
  private values = 0;
  private distances = 0;
  private squares = 0;
  private savedHasAnchor = false;
  private savedOrigin = Number.NaN;
  private savedVolumes = 0;
  private savedValues = 0;
  private savedDistances = 0;
  private savedSquares = 0;

  next(source: number, volume: number, anchor: boolean, mult: number): number {
    if (anchor) this.begin();
    if (this.hasAnchor && Number.isFinite(source * volume)) this.add(source, volume);
    // What cannot be added leaves no sum until the next anchor.
    else this.volumes = Number.NaN;
    const shift = this.distances / this.volumes;
    const average = this.values / this.volumes;
    const variance = this.squares / this.volumes - shift * shift;
    const distance = mult * Math.sqrt(variance < 0 ? 0 : variance);
    this.second = average + distance;
    this.third = average - distance;
    return average;
  }

  save(): void {
    this.savedHasAnchor = this.hasAnchor;
    this.savedOrigin = this.origin;
    this.savedVolumes = this.volumes;
    this.savedValues = this.values;
    this.savedDistances = this.distances;
    this.savedSquares = this.squares;
  }

  restore(): void {
    this.hasAnchor = this.savedHasAnchor;
    this.origin = this.savedOrigin;
    this.volumes = this.savedVolumes;
    this.values = this.savedValues;
    this.distances = this.savedDistances;
    this.squares = this.savedSquares;
  }

  private begin(): void {
    this.hasAnchor = true;
    this.origin = Number.NaN;
    this.volumes = 0;
    this.values = 0;
    this.distances = 0;
    this.squares = 0;
  }

  private add(source: number, volume: number): void {
    if (Number.isNaN(this.origin)) this.origin = source;
    const distance = source - this.origin;
    this.values += source * volume;
    this.volumes += volume;
    this.distances += volume * distance;
    this.squares += volume * distance * distance;
  }
}

/** A total that starts with the first amount; an na adds nothing. */
class Total implements Kernel {
  private total = Number.NaN;
  private savedTotal = Number.NaN;

  save(): void {
    this.savedTotal = this.total;
  }

  restore(): void {
    this.total = this.savedTotal;
  }

  protected add(amount: number): number {
    if (Number.isFinite(amount)) this.total = Number.isNaN(this.total) ? amount : this.total + amount;
    return this.total;
  }
}

/** A total of what happens from close to close. */
class TotalOfChanges extends Total {
  protected previousClose = Number.NaN;
  private savedPreviousClose = Number.NaN;

  override save(): void {
    super.save();
    this.savedPreviousClose = this.previousClose;
  }

  override restore(): void {
    super.restore();
    this.previousClose = this.savedPreviousClose;
  }
}

/** ta.accdist. Inputs: high, low, close, volume of the chart. A bar without a range adds nothing. */
export class AccDist extends Total {
  next(high: number, low: number, close: number, volume: number): number {
    return this.add(high === low ? 0 : ((2 * close - low - high) / (high - low)) * volume);
  }
}

/** ta.obv. Inputs: close, volume of the chart. Na on the first bar. */
export class Obv extends TotalOfChanges {
  next(close: number, volume: number): number {
    const direction = Math.sign(close - this.previousClose);
    this.previousClose = close;
    return this.add(direction * volume);
  }
}

/** ta.pvt. Inputs: close, volume of the chart. Na on the first bar. */
export class Pvt extends TotalOfChanges {
  next(close: number, volume: number): number {
    const part = (close - this.previousClose) / this.previousClose;
    this.previousClose = close;
    return this.add(part * volume);
  }
}

/** ta.wad. Inputs: high, low, close of the chart. Zero on the first bar. */
export class Wad extends TotalOfChanges {
  next(high: number, low: number, close: number): number {
    const { previousClose } = this;
    this.previousClose = close;
    if (close > previousClose) return this.add(close - Math.min(low, previousClose));
    if (close < previousClose) return this.add(close - Math.max(high, previousClose));
    return this.add(0);
  }
}

/** Follows the close on the bars that `follows` picks by their volume; starts at one. */
class VolumeIndex implements Kernel {
  protected index = 1;
  private previousClose = Number.NaN;
  private previousVolume = Number.NaN;
  private savedIndex = 1;
  private savedPreviousClose = Number.NaN;
  private savedPreviousVolume = Number.NaN;

  save(): void {
    this.savedIndex = this.index;
    this.savedPreviousClose = this.previousClose;
    this.savedPreviousVolume = this.previousVolume;
  }

  restore(): void {
    this.index = this.savedIndex;
    this.previousClose = this.savedPreviousClose;
    this.previousVolume = this.savedPreviousVolume;
  }

  /** How much more volume than on the bar before; an na counts as none there. */
  protected growth(volume: number): number {
    const growth = volume - (Number.isNaN(this.previousVolume) ? 0 : this.previousVolume);
    this.previousVolume = volume;
    return growth;
  }

  protected follow(close: number, follows: boolean): number {
    const { previousClose } = this;
    this.previousClose = close;
    // A close of na or zero says nothing about a change.
    const isKnown = !Number.isNaN(close) && close !== 0 && !Number.isNaN(previousClose) && previousClose !== 0;
    if (isKnown && follows) this.index += ((close - previousClose) / previousClose) * this.index;
    if (this.index === 0) this.index = 1;
    return this.index;
  }
}

/** ta.nvi. Inputs: close, volume of the chart. */
export class Nvi extends VolumeIndex {
  next(close: number, volume: number): number {
    return this.follow(close, this.growth(volume) < 0);
  }
}

/** ta.pvi. Inputs: close, volume of the chart. */
export class Pvi extends VolumeIndex {
  next(close: number, volume: number): number {
    return this.follow(close, this.growth(volume) > 0);
  }
}

/** ta.iii. Inputs: high, low, close, volume of the chart. Na for a bar without range or volume. */
export class Iii implements Kernel {
  next(high: number, low: number, close: number, volume: number): number {
    const divisor = (high - low) * volume;
    return divisor === 0 ? Number.NaN : (2 * close - high - low) / divisor;
  }

  save(): void {}

  restore(): void {}
}

/** ta.wvad. Inputs: open, high, low, close, volume of the chart. Na for a bar without range. */
export class Wvad implements Kernel {
  next(open: number, high: number, low: number, close: number, volume: number): number {
    return high === low ? Number.NaN : ((close - open) / (high - low)) * volume;
  }

  save(): void {}

  restore(): void {}
}

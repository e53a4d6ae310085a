// What is read from a window in order of size: median, mode, percentiles and percent rank.

import { type Kernel, LONGEST_SERIES_LENGTH, TOLERANCE } from './kernel.ts';
import { checkedPercentage } from './length.ts';
import { RankedWindow } from './ranked-window.ts';
import { SortedWindow } from './sorted-window.ts';

/** ta.median. Inputs: source, length. Of an even number of values the mean of the middle two; ignores na. */
export class Median implements Kernel {
  private readonly window: SortedWindow;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.window = new SortedWindow('median', longest);
  }

  next(source: number, length: number): number {
    if (!this.window.next(source, length)) return Number.NaN;
    const { sorted, size } = this.window;
    const middle = size >>> 1;
    return size % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  }

  save(): void {
    this.window.save();
  }

  restore(): void {
    this.window.restore();
  }
}

/** ta.mode. Inputs: source, length. The value seen most often, the smallest of several; ignores na. */
export class Mode implements Kernel {
  private readonly window: SortedWindow;
  private length = 0;
  private mode = Number.NaN;
  private times = 0;
  private savedLength = 0;
  private savedMode = Number.NaN;
  private savedTimes = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.window = new SortedWindow('mode', longest);
  }

  next(source: number, length: number): number {
    const isFull = this.window.next(source, length);
    if (this.window.length !== this.length) this.lookAtAll();
    else if (!Number.isNaN(source)) {
      this.compare(source);
      // Only a mode that lost a value can be beaten by another that did not gain one.
      if (this.window.left === this.mode) this.lookAgain();
    }
    return isFull ? this.mode : Number.NaN;
  }

  save(): void {
    this.window.save();
    this.savedLength = this.length;
    this.savedMode = this.mode;
    this.savedTimes = this.times;
  }

  restore(): void {
    this.window.restore();
    this.length = this.savedLength;
    this.mode = this.savedMode;
    this.times = this.savedTimes;
  }

  private timesOf(value: number): number {
    return this.window.countUpTo(value) - this.window.countBelow(value);
  }

  private compare(value: number): void {
    const times = this.timesOf(value);
    if (times < this.times || (times === this.times && value > this.mode)) return;
    this.mode = value;
    this.times = times;
  }

  /** Another value may be there as often as the mode was; if not, the mode or a smaller value is there once less. */
  private lookAgain(): void {
    if (this.timesOf(this.mode) === this.times) return;
    const found = this.smallestSeen(this.times);
    if (Number.isNaN(found)) this.mode = this.smallestSeen(--this.times);
    else this.mode = found;
  }

  private lookAtAll(): void {
    this.length = this.window.length;
    this.mode = Number.NaN;
    this.times = 0;
    const { sorted, size } = this.window;
    for (let i = 0; i < size; i += this.timesOf(sorted[i]!)) this.compare(sorted[i]!);
  }

  /** The smallest value that is there so many times or more; in order of size it stands in a row. */
  private smallestSeen(times: number): number {
    const { sorted, size } = this.window;
    for (let i = 0; i + times <= size; i++) if (sorted[i] === sorted[i + times - 1]) return sorted[i]!;
    return Number.NaN;
  }
}

/** ta.percentile_nearest_rank. Inputs: source, length, percentage. Always one of the values, an na among them. */
export class PercentileNearestRank implements Kernel {
  private readonly window: RankedWindow;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.window = new RankedWindow('percentile_nearest_rank', longest);
  }

  next(source: number, length: number, percentage: number): number {
    const part = checkedPercentage('percentile_nearest_rank', percentage);
    if (!this.window.next(source, length)) return Number.NaN;
    // Multiplied first: 55 percent of 100 values are 55 of them, but 0.55 · 100 is a little more.
    const rank = Math.ceil((part * this.window.size) / 100);
    return this.window.sorted[rank < 1 ? 0 : rank - 1]!;
  }

  save(): void {
    this.window.save();
  }

  restore(): void {
    this.window.restore();
  }
}

/**
 * ta.percentile_linear_interpolation. Inputs: source, length, percentage. The nth smallest of N values stands at
 * 100·(n − ½)/N percent; between two of them the line between them, na where one of the two is; beyond the ends the end.
 */
export class PercentileLinearInterpolation implements Kernel {
  private readonly window: RankedWindow;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.window = new RankedWindow('percentile_linear_interpolation', longest);
  }

  next(source: number, length: number, percentage: number): number {
    const part = checkedPercentage('percentile_linear_interpolation', percentage);
    if (!this.window.next(source, length)) return Number.NaN;
    const { sorted, size } = this.window;
    const rank = (part * size) / 100 - 0.5;
    if (rank <= 0) return sorted[0]!;
    if (rank >= size - 1) return sorted[size - 1]!;
    const below = Math.floor(rank);
    const low = sorted[below]!;
    return low + (rank - below) * (sorted[below + 1]! - low);
  }

  save(): void {
    this.window.save();
  }

  restore(): void {
    this.window.restore();
  }
}

/**
 * ta.percentrank. Inputs: source, length. The percentage of the `length` values before that are not greater. An na is
 * not greater and not smaller than anything: it takes its place in the window, and none of the values is below it.
 */
export class PercentRank implements Kernel {
  private readonly previous: SortedWindow;
  private last = Number.NaN;
  private isFirst = true;
  private savedLast = Number.NaN;
  private savedIsFirst = true;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.previous = new SortedWindow('percentrank', longest);
  }

  next(source: number, length: number): number {
    // No value of a window reaches up to infinity, so that is the place of an na.
    const isFull = this.previous.next(this.isFirst ? Number.NaN : this.last, length);
    this.last = Number.isNaN(source) ? Number.POSITIVE_INFINITY : source;
    this.isFirst = false;
    if (!isFull) return Number.NaN;
    return Number.isNaN(source) ? 0 : (100 * this.previous.countUpTo(source + TOLERANCE)) / this.previous.length;
  }

  save(): void {
    this.previous.save();
    this.savedLast = this.last;
    this.savedIsFirst = this.isFirst;
  }

  restore(): void {
    this.previous.restore();
    this.last = this.savedLast;
    this.isFirst = this.savedIsFirst;
  }
}

// The bar magnifier: where shorter bars inside of a bar of the chart are known, the broker walks their paths instead of its.
//
// Each of them is walked as a bar is: what its open has passed fills there, then comes its nearer extreme, the other and
// its close. A bar of the chart whose shorter bars are not there, or do not reach its high and its low, is walked itself.

import type { CurrentBar, PriceColumns } from './current-bar.ts';

export interface ShorterBars extends PriceColumns {
  readonly count: number;
}

export interface MagnifierParts {
  readonly bars: ShorterBars;
  /** When the bar of the chart that opens then is over. */
  readonly closeOf: (timeMs: number) => number;
  /** By how much shorter bars may miss an extreme: prices of two sources are not always the same double. */
  readonly tolerance: number;
  /** Bars of the chart from here on came live, when nobody had their shorter bars yet. */
  readonly untilMs: number;
  /** Told of each bar of the chart that is walked itself. */
  readonly onMissing: (timeMs: number) => void;
}

export class Magnifier {
  private readonly parts: MagnifierParts;
  /** The next of the shorter bars inside of the present bar, and the first behind it. */
  private next = 0;
  private end = 0;

  constructor(parts: MagnifierParts) {
    this.parts = parts;
  }

  /** A bar of the chart has begun: from here on it shows the first of its shorter bars, if there are any. */
  start(bar: CurrentBar, isClosed: boolean): void {
    const { bars, closeOf, untilMs, onMissing } = this.parts;
    const { timeMs } = bar;
    this.next = 0;
    this.end = 0;
    // While a live bar goes on, what its shorter bars will be is not known.
    if (!isClosed || timeMs >= untilMs) return;
    const from = firstFrom(bars, timeMs);
    const to = firstFrom(bars, closeOf(timeMs));
    if (!this.reachExtremes(bar, from, to)) {
      onMissing(timeMs);
      return;
    }
    this.next = from + 1;
    this.end = to;
    bar.startPart(bars, from);
  }

  /** Goes on to the next of the shorter bars; behind the last one the bar shows its own prices again. */
  goOn(bar: CurrentBar): boolean {
    if (this.next >= this.end) {
      bar.endParts();
      return false;
    }
    bar.startPart(this.parts.bars, this.next);
    this.next += 1;
    return true;
  }

  private reachExtremes({ high, low }: CurrentBar, from: number, to: number): boolean {
    const { bars, tolerance } = this.parts;
    let [top, bottom] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let place = from; place < to; place += 1) {
      top = Math.max(top, bars.high[place]!);
      bottom = Math.min(bottom, bars.low[place]!);
    }
    return top >= high - tolerance && bottom <= low + tolerance;
  }
}

/** The first place that opens at a time or later. */
function firstFrom({ time, count }: ShorterBars, timeMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle]! < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

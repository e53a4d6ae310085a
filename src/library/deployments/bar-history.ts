// The closed bars of one market and timeframe, kept in memory so that a close costs one bar and not the whole history.

import { type BarColumns, barColumns } from '../../pine/light.ts';
import type { MarketBar, MarketBars } from './ports.ts';

/** Sources bound what one question may cost; this is below the bound of each. */
const BARS_PER_CALL = 1000;

export interface HistoryOptions {
  readonly market: string;
  readonly timeframeMs: number;
  readonly source: Pick<MarketBars, 'bars'>;
}

export class BarHistory {
  readonly #options: HistoryOptions;
  /** Every closed bar whose start lies in [fromMs, toMs), oldest first. */
  #bars: MarketBar[] = [];
  #fromMs = Number.NaN;
  #toMs = Number.NaN;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Start of the first bar that is not known to be closed; NaN before anything is known. */
  get toMs(): number {
    return this.#toMs;
  }

  get newest(): MarketBar | undefined {
    return this.#bars.at(-1);
  }

  /**
   * Asks for everything from the last known bar up to the given time. A bar counts as closed when the market shows a
   * later one: the clock of this machine may be wrong, the order of bars is not. Returns the bar that may be forming.
   */
  async catchUp(fromMs: number, untilMs: number): Promise<MarketBar | undefined> {
    const startMs = Number.isNaN(this.#toMs) ? fromMs : this.#toMs;
    const found = await this.#fetch(startMs, untilMs);
    const last = found.at(-1);
    if (last === undefined) return undefined;
    if (Number.isNaN(this.#fromMs)) this.#fromMs = startMs;
    // A live bar may have been taken in meanwhile.
    for (const bar of found.slice(0, -1)) if (!(bar.time < this.#toMs)) this.#bars.push(bar);
    this.#toMs = Number.isNaN(this.#toMs) ? last.time : Math.max(this.#toMs, last.time);
    return last;
  }

  /** A bar that the stream called final. False when bars before it are not known yet. */
  append(bar: MarketBar): boolean {
    if (bar.time < this.#toMs) return true;
    if (bar.time !== this.#toMs) return false;
    this.#bars.push(bar);
    this.#toMs = bar.time + this.#options.timeframeMs;
    return true;
  }

  /** Reaches further back, when a deployment's anchor lies before what is known. */
  async reachBack(fromMs: number): Promise<void> {
    if (!(fromMs < this.#fromMs)) return;
    const beforeMs = this.#fromMs;
    const older = await this.#fetch(fromMs, beforeMs);
    // Somebody else may have reached back meanwhile.
    if (this.#fromMs !== beforeMs) return this.reachBack(fromMs);
    this.#bars.unshift(...older);
    this.#fromMs = fromMs;
  }

  /** Lets go of what no deployment looks at any more. */
  forgetBefore(fromMs: number): void {
    const first = this.#placeOf(fromMs);
    if (first === 0) return;
    this.#bars.splice(0, first);
    this.#fromMs = fromMs;
  }

  /** How many closed bars start in [fromMs, toMs). */
  count(fromMs: number, toMs: number): number {
    return this.#placeOf(toMs) - this.#placeOf(fromMs);
  }

  /** The bar that lies so many before the one of the given time, or the first there is. */
  timeBefore(barTimeMs: number, bars: number): number {
    return this.#bars[Math.max(0, this.#placeOf(barTimeMs) - bars)]?.time ?? barTimeMs;
  }

  /** The closed bar of the given time; undefined where it is not known. */
  at(barTimeMs: number): MarketBar | undefined {
    const bar = this.#bars[this.#placeOf(barTimeMs)];
    return bar?.time === barTimeMs ? bar : undefined;
  }

  firstAfter(timeMs: number): MarketBar | undefined {
    return this.#bars[this.#placeOf(timeMs + 1)];
  }

  lastBefore(timeMs: number): MarketBar | undefined {
    return this.#bars[this.#placeOf(timeMs) - 1];
  }

  /** From the anchor to the last one that starts before the given time. */
  columnsBefore(anchorMs: number, timeMs: number): BarColumns {
    return barColumns(this.#bars.slice(this.#placeOf(anchorMs), this.#placeOf(timeMs)));
  }

  /** From the anchor to the bar of the given time, that one included; undefined where that bar is not known. */
  columns(anchorMs: number, barTimeMs: number): BarColumns | undefined {
    const end = this.#placeOf(barTimeMs);
    if (this.#bars[end]?.time !== barTimeMs) return undefined;
    return barColumns(this.#bars.slice(this.#placeOf(anchorMs), end + 1));
  }

  /** Of the first bar that does not start before the time. */
  #placeOf(timeMs: number): number {
    let low = 0;
    let high = this.#bars.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bars[middle] as MarketBar).time < timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #fetch(fromMs: number, toMs: number): Promise<MarketBar[]> {
    const { market, timeframeMs, source } = this.#options;
    const found: MarketBar[] = [];
    for (let startMs = fromMs; startMs < toMs; ) {
      const endMs = Math.min(startMs + BARS_PER_CALL * timeframeMs, toMs);
      for (const bar of await source.bars(market, timeframeMs, startMs, endMs)) {
        // What comes out of order or from elsewhere would be run in the wrong place.
        const isNext = bar.time >= startMs && bar.time < endMs && bar.time > (found.at(-1)?.time ?? -1);
        if (isNext) found.push(bar);
      }
      startMs = endMs;
    }
    return found;
  }
}

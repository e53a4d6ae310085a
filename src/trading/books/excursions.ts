// How far a closed trade was ahead and behind while it was held, by the bars of its market.
//
// Only bars that lie wholly within the time count, and the prices of entry and exit themselves: so an excursion is never larger
// than it was, and may be smaller by what happened in the first and the last bar.

import type { PricesOf } from '../account-prices.ts';
import { type Decimal, decimal, larger, minus, negate, smaller, times, ZERO } from '../decimal.ts';
import type { ClosedTrade } from './closed-trades.ts';

export interface Excursion {
  /** The length of the bars it was read from. */
  readonly resolutionMs: number;
  /** What it was behind at most, zero or less, before fees. */
  readonly adverse: Decimal;
  /** What it was ahead at most, zero or more, before fees. */
  readonly favorable: Decimal;
}

export interface ExcursionBars {
  bars(
    market: string,
    timeframeMs: number,
    fromMs: number,
    toMs: number,
  ): Promise<readonly { readonly time: number; readonly high: number; readonly low: number }[]>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** One request of a venue. */
const MAX_BARS = 720;
const RESOLUTIONS_MS = [MINUTE_MS, HOUR_MS, DAY_MS];
/** A closed trade never changes, and neither do its bars. */
const MAX_KEPT = 5000;

export class Excursions {
  readonly #pricesOf: PricesOf<ExcursionBars>;
  readonly #kept = new Map<string, Excursion>();

  constructor(pricesOf: PricesOf<ExcursionBars>) {
    this.#pricesOf = pricesOf;
  }

  /** Undefined where nothing is known: no bar lies within its time, or the bars cannot be had now. */
  async of(trade: ClosedTrade): Promise<Excursion | undefined> {
    const name = `${trade.exchange}:${trade.mode}:${trade.account}:${trade.id}`;
    const known = this.#kept.get(name);
    if (known) return known;
    const found = await this.#read(trade).catch(() => undefined);
    if (found === undefined) return undefined;
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= MAX_KEPT && !oldest.done) this.#kept.delete(oldest.value);
    this.#kept.set(name, found);
    return found;
  }

  async #read(trade: ClosedTrade): Promise<Excursion | undefined> {
    const { openedAtMs: fromMs, closedAtMs: toMs, market } = trade;
    if (fromMs === undefined) return undefined;
    const resolutionMs = RESOLUTIONS_MS.find((each) => (toMs - fromMs) / each <= MAX_BARS) ?? DAY_MS;
    const bars = await this.#pricesOf(trade).bars(market, resolutionMs, fromMs, toMs);
    const within = bars.filter(({ time }) => time >= fromMs && time + resolutionMs <= toMs);
    if (within.length === 0) return undefined;
    const prices = [trade.entryPrice, trade.exitPrice];
    const highest = [...prices, ...within.map(({ high }) => decimal(high))].reduce(larger);
    const lowest = [...prices, ...within.map(({ low }) => decimal(low))].reduce(smaller);
    const gain = (price: Decimal): Decimal => {
      const move = minus(price, trade.entryPrice);
      return times(trade.side === 'LONG' ? move : negate(move), trade.quantity);
    };
    const [best, worst] = trade.side === 'LONG' ? [highest, lowest] : [lowest, highest];
    return { resolutionMs, adverse: smaller(ZERO, gain(worst)), favorable: larger(ZERO, gain(best)) };
  }
}

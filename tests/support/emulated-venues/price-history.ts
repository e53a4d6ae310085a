// The bars of an emulated market: every price that the test has set, in stretches of time. Before the first price the
// market stood still at it, so that charts and warm-ups have something to read.

import type { LiveBar } from '../../../src/market-data/bar-feed.ts';
import { barStart } from '../../../src/market-data/timeframe.ts';
import { toNumber } from '../../../src/trading/decimal.ts';
import type { MatchingMarket } from './matching-market.ts';

interface PricePoint {
  readonly atMs: number;
  readonly price: number;
}

export class PriceHistory {
  readonly #market: MatchingMarket;
  readonly #points = new Map<string, PricePoint[]>();

  constructor(market: MatchingMarket) {
    this.#market = market;
    market.listen((event) => {
      if (event.type === 'price') this.#note(event.symbol);
    });
  }

  #note(symbol: string): void {
    const points = this.#points.get(symbol) ?? [];
    points.push({ atMs: this.#market.nowMs(), price: toNumber(this.#market.prices(symbol).last) });
    this.#points.set(symbol, points);
  }

  /** Whose start lies in [fromMs, toMs), oldest first, none from the future; none of a market without a price. */
  bars(symbol: string, timeframeMs: number, fromMs: number, toMs: number): LiveBar[] {
    const points = this.#points.get(symbol) ?? [];
    const bars: LiveBar[] = [];
    const endMs = Math.min(toMs, this.#market.nowMs() + 1);
    let time = barStart(fromMs, timeframeMs);
    if (time < fromMs) time += timeframeMs;
    for (; points.length > 0 && time < endMs; time += timeframeMs) bars.push(this.#bar(points, time, timeframeMs));
    return bars;
  }

  /** Each price counts as one unit of volume. */
  #bar(points: readonly PricePoint[], time: number, timeframeMs: number): LiveBar {
    const before = points.findLast(({ atMs }) => atMs < time) ?? points[0]!;
    const inside = points.filter(({ atMs }) => atMs >= time && atMs < time + timeframeMs);
    const prices = [before.price, ...inside.map(({ price }) => price)];
    return {
      time,
      open: before.price,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1)!,
      volume: inside.length,
      closed: time + timeframeMs <= this.#market.nowMs(),
    };
  }
}

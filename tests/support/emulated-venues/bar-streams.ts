// Who follows the bars of an emulated market, and what each is told when a price is set: the bar that the price belongs to,
// and before it the one that it has ended.

import type { LiveBar } from '../../../src/market-data/bar-feed.ts';
import { barStart } from '../../../src/market-data/timeframe.ts';
import type { MatchingMarket } from './matching-market.ts';
import type { PriceHistory } from './price-history.ts';
import type { VenueStream } from './venue-server.ts';

interface Follower {
  readonly stream: VenueStream;
  readonly symbol: string;
  readonly timeframeMs: number;
  readonly textOf: (bar: LiveBar) => string;
  /** The start of the bar that was told last. */
  toldMs: number;
}

export class BarStreams {
  readonly #market: MatchingMarket;
  readonly #followers = new Set<Follower>();

  constructor(market: MatchingMarket, history: PriceHistory) {
    this.#market = market;
    market.listen((event) => {
      if (event.type !== 'price') return;
      for (const follower of this.#followers) if (follower.symbol === event.symbol) this.#tell(follower, history);
    });
  }

  follow(stream: VenueStream, symbol: string, timeframeMs: number, textOf: (bar: LiveBar) => string): void {
    const toldMs = barStart(this.#market.nowMs(), timeframeMs);
    this.#followers.add({ stream, symbol, timeframeMs, textOf, toldMs });
  }

  drop(stream: VenueStream): void {
    for (const follower of this.#followers) if (follower.stream === stream) this.#followers.delete(follower);
  }

  #tell(follower: Follower, history: PriceHistory): void {
    const { stream, symbol, timeframeMs, textOf, toldMs } = follower;
    const nowMs = this.#market.nowMs();
    for (const bar of history.bars(symbol, timeframeMs, toldMs, nowMs + 1)) stream.reply(textOf(bar));
    follower.toldMs = barStart(nowMs, timeframeMs);
  }
}

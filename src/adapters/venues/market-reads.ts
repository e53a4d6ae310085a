// What is asked of a venue about one market before every order: the best prices, and what is held. Orders in many markets at once
// share their questions, see shared-read.ts.

import type { Timers } from '../../timing/timers.ts';
import { type Quote, VenueError, type VenuePosition } from '../../trading/venue.ts';
import { SharedRead } from './shared-read.ts';
import type { VenueAdapter, VenueMarket } from './venue-adapter.ts';

export interface MarketReadsOptions {
  /** As people write it: Binance. */
  readonly title: string;
  readonly adapter: Pick<VenueAdapter, 'quote' | 'quotes' | 'positions' | 'allPositions'>;
  readonly listed: () => Promise<readonly VenueMarket[]>;
  readonly monotonicMs: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

export class MarketReads {
  readonly #quotes: SharedRead<Quote> | undefined;
  readonly #adapter: MarketReadsOptions['adapter'];
  readonly #positions: SharedRead<readonly VenuePosition[]>;

  constructor({ title, adapter, listed, monotonicMs, timers }: MarketReadsOptions) {
    this.#adapter = adapter;
    const { quotes } = adapter;
    this.#quotes =
      quotes &&
      new SharedRead({
        ...{ monotonicMs, timers, one: (market) => adapter.quote(market) },
        all: async () => {
          const found = await quotes();
          return ({ symbol, venueSymbol }) => found.get(venueSymbol) ?? noPrice(title, symbol);
        },
      });
    this.#positions = new SharedRead({
      ...{ monotonicMs, timers, one: (market) => adapter.positions(market) },
      all: async () => {
        const { positions, unreadable } = await adapter.allPositions(await listed());
        return ({ symbol }) =>
          unreadable.has(symbol)
            ? unreadablePosition(title, symbol)
            : positions.filter(({ market }) => market === symbol);
      },
    });
  }

  quote(market: VenueMarket, place?: 'aside'): Promise<Quote> {
    const isShared = this.#quotes !== undefined && place !== 'aside';
    return isShared ? this.#quotes.ask(market) : this.#adapter.quote(market);
  }

  /** Only those that are not flat. */
  positions(market: VenueMarket): Promise<readonly VenuePosition[]> {
    return this.#positions.ask(market);
  }

  /** Who still waits hears that nothing was asked. */
  close(): void {
    this.#quotes?.close();
    this.#positions.close();
  }
}

function unreadablePosition(title: string, market: string): never {
  throw new VenueError('unknown', `${title} tells a position in ${market} that cannot be read; look at it there`);
}

function noPrice(title: string, market: string): never {
  throw new VenueError('not-sent', `${title} tells no price of ${market} now`);
}

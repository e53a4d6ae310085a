// The markets as the paper venue sees them: last prices as decimals, and the rules of each market, read once.

import { FeedRefusal } from '../../../market-data/bar-feed.ts';
import type { PriceSource } from '../../../market-data/price-source.ts';
import { type Decimal, decimal, toNumber, ZERO } from '../../../trading/decimal.ts';
import type { Exchange } from '../../../trading/signal.ts';
import { type Market, VenueError } from '../../../trading/venue.ts';
import { listedRules, rulesFromPrice } from './market-rules.ts';

/** Anyone may name a market; beyond this many the notes start afresh. */
const MAX_NOTES = 2_000;
const NAME = /^[A-Z0-9][A-Z0-9.]{0,39}$/;

interface Note {
  readonly text: string;
  readonly price: Decimal;
}

export class MarketPrices {
  readonly #exchange: Exchange;
  readonly #prices: PriceSource;
  readonly #rules = new Map<string, Market>();
  /** The same text is the same price: it is parsed once. */
  readonly #lastSeen = new Map<string, Note>();

  constructor(exchange: Exchange, prices: PriceSource) {
    this.#exchange = exchange;
    this.#prices = prices;
  }

  /** Rejects with `not-sent` when there is no price: without one nothing was done. With `rejected` when there is no such market. */
  async price(market: string): Promise<Decimal> {
    let text: string;
    try {
      text = await this.#prices.lastPrice(market);
    } catch (cause) {
      if (cause instanceof FeedRefusal) throw new VenueError('rejected', cause.message, { cause });
      const message = `no price of ${market} from the ${this.#prices.label} market data; try again`;
      throw new VenueError('not-sent', message, { cause });
    }
    const seen = this.#lastSeen.get(market);
    if (seen?.text === text) return seen.price;
    const price = decimal(text);
    if (price <= ZERO) throw new VenueError('not-sent', `the market data gave ${text} as the price of ${market}`);
    note(this.#lastSeen, market, { text, price });
    return price;
  }

  /** The rules, if they are known without asking for a price. */
  knownRules(market: string): Market | undefined {
    const known = this.#rules.get(market);
    if (known) return known;
    const listed = listedRules(this.#exchange, market);
    if (listed) note(this.#rules, market, listed);
    return listed;
  }

  async rules(market: string): Promise<Market> {
    const known = this.knownRules(market);
    if (known) return known;
    if (!NAME.test(market))
      throw new VenueError('rejected', `${this.#exchange} has no market ${JSON.stringify(market.slice(0, 40))}`);
    const rules = rulesFromPrice(this.#exchange, market, toNumber(await this.price(market)));
    note(this.#rules, market, rules);
    return rules;
  }

  /** The rules by a price that was true once, for a moment in which no price can be had. */
  async rulesNear(market: string, earlierPrice: string): Promise<Market> {
    try {
      return await this.rules(market);
    } catch {
      return rulesFromPrice(this.#exchange, market, Number(earlierPrice));
    }
  }
}

function note<T>(notes: Map<string, T>, key: string, value: T): void {
  if (notes.size >= MAX_NOTES && !notes.has(key)) notes.clear();
  notes.set(key, value);
}

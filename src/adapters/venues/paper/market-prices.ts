// The markets as the paper venue sees them: last prices as decimals, and the rules of each market, read once.

import type { Exchange } from '../../../exchanges/exchange.ts';
import { FeedRefusal } from '../../../market-data/bar-feed.ts';
import type { RangeSource } from '../../../market-data/price-source.ts';
import { type Decimal, decimal, toNumber, ZERO } from '../../../trading/decimal.ts';
import { noSuchMarket } from '../../../trading/intake/gates.ts';
import { UnknownMarket, VenueError } from '../../../trading/venue.ts';
import { listedRules, type PaperMarket, rulesFromPrice } from './market-rules.ts';

/** Anyone may name a market; beyond this many the notes start afresh. */
const MAX_NOTES = 2_000;
const NAME = /^[A-Z0-9][A-Z0-9.]{0,39}$/;

interface Note {
  readonly text: string;
  readonly price: Decimal;
}

export class MarketPrices {
  readonly #exchange: Exchange;
  readonly #prices: Pick<RangeSource, 'label' | 'lastPrice' | 'unlisted'>;
  readonly #rules = new Map<string, PaperMarket>();
  /** The same text is the same price: it is parsed once. */
  readonly #lastSeen = new Map<string, Note>();

  constructor(exchange: Exchange, prices: Pick<RangeSource, 'label' | 'lastPrice' | 'unlisted'>) {
    this.#exchange = exchange;
    this.#prices = prices;
  }

  /** Rejects with `not-sent` when there is no price: without one nothing was done. With `rejected` when there is no such market. */
  async price(market: string): Promise<Decimal> {
    let text: string;
    try {
      text = await this.#prices.lastPrice(market);
    } catch (cause) {
      if (cause instanceof FeedRefusal) throw new UnknownMarket(cause.message, { cause });
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

  unlisted(market: string): readonly string[] | undefined {
    return this.#prices.unlisted?.(market);
  }

  /** Throws `rejected` for a market in which nothing can be opened. */
  requireListed(market: string): void {
    const nearest = this.unlisted(market);
    if (nearest) throw new UnknownMarket(noSuchMarket(this.#exchange, market, nearest));
  }

  /** The rules, if they are known without asking for a price. */
  knownRules(market: string): PaperMarket | undefined {
    const known = this.#rules.get(market);
    if (known) return known;
    const listed = listedRules(this.#exchange, market);
    if (listed) note(this.#rules, market, listed);
    return listed;
  }

  async rules(market: string): Promise<PaperMarket> {
    const known = this.knownRules(market);
    if (known) return known;
    this.requireListed(market);
    if (!NAME.test(market))
      throw new UnknownMarket(`${this.#exchange} has no market ${JSON.stringify(market.slice(0, 40))}`);
    const rules = rulesFromPrice(this.#exchange, market, toNumber(await this.price(market)));
    note(this.#rules, market, rules);
    return rules;
  }

  /** The rules by a price that was true once, for a moment in which no price can be had. */
  async rulesNear(market: string, earlierPrice: string): Promise<PaperMarket> {
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

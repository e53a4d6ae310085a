// What is assumed of a market that somebody names and does not describe: its tick, its smallest quantity, its currency and what
// a point is worth, by the tables of the exchanges, else by its price as on paper, else what the engine takes when nobody says anything.

import { EXCHANGE_ROWS, EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { stepsFromPrice } from '../exchanges/market-steps.ts';
import type { SymbolInfo } from '../pine/index.ts';

/** In the names of `syminfo.*`. */
interface MarketTerms {
  readonly type?: string;
  readonly currency?: string;
  readonly basecurrency?: string;
  readonly mintick?: number;
  readonly mincontract?: number;
  readonly pointvalue?: number;
}

/** As answers tell it. */
export interface AssumedMarket {
  /** As it was named. */
  readonly symbol: string;
  /** The exchange whose table knows the market; `price` where its price decided, `default` where nothing is known. */
  readonly source: Exchange | 'price' | 'default';
  /** What was not said, and is taken for it. */
  readonly assumed: MarketTerms;
}

export interface DescribedMarket {
  /** What was said, and what a table knows besides. */
  readonly symbol: SymbolInfo;
  /** Undefined where nothing is named, or everything was said. */
  readonly market: AssumedMarket | undefined;
}

/** All markets of the tables are settled in it. */
const QUOTE = 'USDT';
/** The three notations of a tick: who says one of them has said it. */
const TICK_FIELDS = ['mintick', 'pricescale', 'minmove'] as const;

/**
 * `marketOf` turns any spelling of a market into its plain name, undefined for what is none. The exchange is that on which a
 * market is traded whose name says none. The price decides for a market of no table, as it does where it is traded on paper.
 */
export function describeMarket(
  info: SymbolInfo,
  marketOf: (symbol: string) => string | undefined,
  exchange = '',
  lastPrice?: number,
): DescribedMarket {
  const symbol = info.tickerid || info.ticker || '';
  if (symbol === '') return { symbol: info, market: undefined };
  const listed = isCoin(info)
    ? knownAt(venueOf(info.prefix || exchange, symbol), marketOf(symbol), lastPrice)
    : undefined;
  const assumed = unsaid(info, listed?.terms ?? defaultTerms(info));
  if (Object.keys(assumed).length === 0) return { symbol: info, market: undefined };
  return {
    // What the engine takes by itself need not be said to it.
    symbol: listed === undefined ? info : { ...assumed, ...info },
    market: { symbol, source: listed?.source ?? 'default', assumed },
  };
}

interface KnownTerms {
  readonly source: Exclude<AssumedMarket['source'], 'default'>;
  readonly terms: MarketTerms;
}

/** The tables have coins alone: a stock or a contract of the same name is another market. */
const isCoin = ({ type }: SymbolInfo): boolean => !type || type === 'crypto';

/** What stands before the colon, else what was said besides. */
const venueOf = (prefix: string, symbol: string): string =>
  (symbol.includes(':') ? symbol.slice(0, symbol.indexOf(':')) : prefix).toLowerCase();

/** At its exchange; at the first that knows it where none is named. Of another exchange than ours nothing is known. */
function knownAt(venue: string, market: string | undefined, lastPrice: number | undefined): KnownTerms | undefined {
  const named = EXCHANGES.find((exchange) => exchange === venue);
  if (venue !== '' && named === undefined) return undefined;
  for (const exchange of named === undefined ? EXCHANGES : [named]) {
    const row = EXCHANGE_ROWS[exchange].markets.find(([name]) => name === market);
    if (row === undefined) continue;
    const [name, tick, step] = row;
    return { source: exchange, terms: coinTerms(name, tick, step) };
  }
  // Only what is quoted in the currency of the tables: the digits of other prices say nothing about ticks.
  if (!market?.endsWith(QUOTE) || lastPrice === undefined || !(lastPrice > 0)) return undefined;
  const { tick, step } = stepsFromPrice(lastPrice);
  return { source: 'price', terms: coinTerms(market, tick, step) };
}

function coinTerms(market: string, tick: string, step: string): MarketTerms {
  const currencies = { currency: QUOTE, basecurrency: market.slice(0, -QUOTE.length) };
  return { type: 'crypto', ...currencies, mintick: Number(tick), mincontract: Number(step), pointvalue: 1 };
}

/** Those of the engine; a test compares the two. */
const defaultTerms = (info: SymbolInfo): MarketTerms => ({
  type: 'crypto',
  currency: 'USD',
  mintick: 0.01,
  mincontract: isCoin(info) ? 0.000001 : 1,
  pointvalue: 1,
});

function unsaid(info: SymbolInfo, terms: MarketTerms): MarketTerms {
  const isSaid = (name: string): boolean =>
    name === 'mintick'
      ? TICK_FIELDS.some((field) => info[field] !== undefined)
      : Boolean((info as Record<string, unknown>)[name] ?? false);
  return Object.fromEntries(Object.entries(terms).filter(([name]) => !isSaid(name)));
}

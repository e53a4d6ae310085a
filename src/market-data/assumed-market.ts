// What is assumed of a market that somebody names and does not describe: its tick, its smallest quantity, its currency and what
// a point is worth, by the tables of the exchanges, else what the engine takes when nobody says anything.

import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { MARKET_ROWS } from '../exchanges/market-rows.ts';
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
  /** The exchange whose table knows the market, or `default` where none does. */
  readonly source: Exchange | 'default';
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

/** `marketOf` turns any spelling of a market into its plain name, undefined for what is none. */
export function describeMarket(info: SymbolInfo, marketOf: (symbol: string) => string | undefined): DescribedMarket {
  const symbol = info.tickerid || info.ticker || '';
  if (symbol === '') return { symbol: info, market: undefined };
  const listed = isCoin(info) ? listedAt(info.prefix ?? '', symbol, marketOf(symbol)) : undefined;
  const assumed = unsaid(info, listed?.terms ?? defaultTerms(info));
  if (Object.keys(assumed).length === 0) return { symbol: info, market: undefined };
  return {
    // What the engine takes by itself need not be said to it.
    symbol: listed === undefined ? info : { ...assumed, ...info },
    market: { symbol, source: listed?.exchange ?? 'default', assumed },
  };
}

/** The tables have coins alone: a stock or a contract of the same name is another market. */
const isCoin = ({ type }: SymbolInfo): boolean => !type || type === 'crypto';

/** At the exchange that stands before the colon; at the first that knows it where there is no such exchange. */
function listedAt(
  prefix: string,
  symbol: string,
  market: string | undefined,
): { readonly exchange: Exchange; readonly terms: MarketTerms } | undefined {
  const venue = (symbol.includes(':') ? symbol.slice(0, symbol.indexOf(':')) : prefix).toLowerCase();
  const named = EXCHANGES.find((exchange) => exchange === venue);
  if (venue !== '' && named === undefined) return undefined;
  for (const exchange of named === undefined ? EXCHANGES : [named]) {
    const row = MARKET_ROWS[exchange].find(([name]) => name === market);
    if (row === undefined) continue;
    const [name, tick, step] = row;
    const currencies = { currency: QUOTE, basecurrency: name.slice(0, -QUOTE.length) };
    const terms = { type: 'crypto', ...currencies, mintick: Number(tick), mincontract: Number(step), pointvalue: 1 };
    return { exchange, terms };
  }
  return undefined;
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

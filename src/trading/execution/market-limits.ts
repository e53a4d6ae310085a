// The limits that compare an entry with its market: the leverage it trades with, how far its limit price is away, and the spread
// that a market order would pay.
//
// | what                                   | compared with                                       | whose                        |
// |----------------------------------------|-----------------------------------------------------|------------------------------|
// | a limit price, on either side          | the ask for a buy, the bid for a sell               | `priceDeviationPercent`      |
// | a limit price, on the side that costs  | the same                                            | MAX_PRICE_THROUGH_PERCENT    |
// | the spread, in percent of its middle   | only for market orders: a limit price is a bound    | `spreadPercent`, MAX_SPREAD_PERCENT |

import {
  absolute,
  type Decimal,
  decimal,
  floorTo,
  minus,
  over,
  plus,
  product,
  times,
  toText,
  ZERO,
} from '../decimal.ts';
import { isEntry, type LimitCode, type LimitRefusal, refusal } from '../intake/limit-rules.ts';
import type { Restriction } from '../intake/restrictions.ts';
import type { SignalOrder } from '../signal.ts';
import type { Market, OrderSide, Quote } from '../venue.ts';

/** What of an entry is compared with the market. */
export interface PricedEntry {
  readonly market: Pick<Market, 'symbol' | 'tickSize'>;
  readonly side: OrderSide;
  /** Of a limit order, on the tick; undefined for a market order. */
  readonly price: Decimal | undefined;
  /** Undefined where it cannot be had now. */
  readonly quote: Quote | undefined;
}

/** What binds every entry on a testnet or live account, whoever sends it; zero lets everything pass. */
export interface LiveGuards {
  /** How far a limit price may be on the side of the market that costs money. */
  readonly priceThroughPercent: number;
  readonly spreadPercent: number;
}

const HUNDRED = decimal(100);
const CENT = decimal('0.01');
const NO_QUOTE = 'the market shows no bid and ask now, so it cannot be compared with them; try again';

export function leverageRefusal(
  row: Restriction,
  { leverage, market: { symbol } }: { readonly leverage?: number | undefined; readonly market: Pick<Market, 'symbol'> },
  { leverage: asked, exchange, action }: Pick<SignalOrder, 'leverage' | 'exchange' | 'action'>,
): LimitRefusal | undefined {
  const { leverage: most = Number.POSITIVE_INFINITY } = row.limits;
  if (leverage !== undefined && leverage <= most) return undefined;
  const set =
    leverage === undefined
      ? `${exchange} does not tell what ${symbol} is set to`
      : `${symbol} is set to ${leverage} on ${exchange}`;
  const isNamed = isEntry(action) && asked !== undefined;
  const words = isNamed
    ? `this entry asks for ${asked}; send ${most} or less`
    : `this order names none, and ${set}; send ${most} or less, or set it there`;
  return refusal(row, 'leverage', 'LIMIT_LEVERAGE', `a leverage of at most ${most} is allowed, and ${words}`);
}

export function priceRefusal(row: Restriction, entry: PricedEntry): LimitRefusal | undefined {
  const { price, quote } = entry;
  if (price === undefined) return undefined;
  if (quote === undefined) return refusal(row, 'priceDeviationPercent', 'LIMIT_PRICE', NO_QUOTE);
  const most = decimal(row.limits.priceDeviationPercent as number);
  const best = bestFor(entry.side, quote);
  const distance = absolute(minus(price, best));
  if (isWithin(distance, most, best)) return undefined;
  const [lowest, highest] = [boundOf(entry, best, most, -1n), boundOf(entry, best, most, 1n)];
  const words = `${farInWords(entry, price, best, distance)}, and ${toText(most)} % are allowed; send a price from ${toText(lowest)} to ${toText(highest)}`;
  return refusal(row, 'priceDeviationPercent', 'LIMIT_PRICE', words);
}

export function spreadRefusal(row: Restriction, entry: PricedEntry): LimitRefusal | undefined {
  if (entry.price !== undefined) return undefined;
  if (entry.quote === undefined) return refusal(row, 'spreadPercent', 'LIMIT_SPREAD', NO_QUOTE);
  const most = decimal(row.limits.spreadPercent as number);
  const wide = tooWide(entry.market.symbol, entry.quote, most);
  return wide === undefined ? undefined : refusal(row, 'spreadPercent', 'LIMIT_SPREAD', wide);
}

/** Of a testnet or live account. */
export const guardRefusal = (guards: LiveGuards, entry: PricedEntry): LimitRefusal | undefined =>
  entry.price === undefined ? spreadGuard(guards, entry) : throughGuard(guards, entry, entry.price);

function spreadGuard({ spreadPercent }: LiveGuards, { market, quote }: PricedEntry): LimitRefusal | undefined {
  if (spreadPercent === 0) return undefined;
  const words = quote === undefined ? NO_QUOTE : tooWide(market.symbol, quote, decimal(spreadPercent));
  return words === undefined ? undefined : guarded('MAX_SPREAD_PERCENT', 'LIMIT_SPREAD', words);
}

function throughGuard(
  { priceThroughPercent }: LiveGuards,
  entry: PricedEntry,
  price: Decimal,
): LimitRefusal | undefined {
  if (priceThroughPercent === 0) return undefined;
  const name = 'MAX_PRICE_THROUGH_PERCENT';
  const { side, quote } = entry;
  if (quote === undefined) return guarded(name, 'LIMIT_PRICE', NO_QUOTE);
  const most = decimal(priceThroughPercent);
  const best = bestFor(side, quote);
  const through = side === 'BUY' ? minus(price, best) : minus(best, price);
  if (isWithin(through, most, best)) return undefined;
  const bound = toText(boundOf(entry, best, most, side === 'BUY' ? 1n : -1n));
  const allowed = `send a price of ${side === 'BUY' ? 'at most' : 'at least'} ${bound}`;
  const words = `${farInWords(entry, price, best, through)}, and ${toText(most)} % are allowed; ${allowed}`;
  return guarded(name, 'LIMIT_PRICE', words);
}

const guarded = (setting: string, code: LimitCode, words: string): LimitRefusal => ({
  code,
  message: `${setting}: ${words}, or change the setting; nothing was sent`,
});

/** What a taker pays, or gets. */
const bestFor = (side: OrderSide, { bid, ask }: Quote): Decimal => (side === 'BUY' ? ask : bid);

const isWithin = (part: Decimal, percent: Decimal, whole: Decimal): boolean =>
  product(part, HUNDRED) <= product(percent, whole);

/** The last price on the tick that is allowed, above or below the market. */
function boundOf({ market }: PricedEntry, best: Decimal, percent: Decimal, way: 1n | -1n): Decimal {
  const bound = plus(best, (way * over(times(best, percent), HUNDRED)) as Decimal);
  const down = floorTo(bound, market.tickSize);
  if (bound <= ZERO) return market.tickSize;
  return way === 1n || down === bound ? down : plus(down, market.tickSize);
}

function farInWords({ market, side }: PricedEntry, price: Decimal, best: Decimal, distance: Decimal): string {
  const where = `the ${side === 'BUY' ? 'ask' : 'bid'} of ${market.symbol}, ${toText(best)}`;
  return `a limit price of ${toText(price)} is ${percentInWords(distance, best)} % from ${where}`;
}

function tooWide(symbol: string, { bid, ask }: Quote, most: Decimal): string | undefined {
  const middle = over(plus(bid, ask), decimal(2));
  const spread = minus(ask, bid);
  if (isWithin(spread, most, middle)) return undefined;
  return `the spread of ${symbol} is ${percentInWords(spread, middle)} % (bid ${toText(bid)}, ask ${toText(ask)}), and market orders are allowed into ${toText(most)} %; wait, or send a limit price`;
}

/** Upward, so that what is refused never looks as if it were allowed. */
function percentInWords(part: Decimal, whole: Decimal): string {
  const percent = over(times(part, HUNDRED), whole);
  const down = floorTo(percent, CENT);
  return toText(product(part, HUNDRED) === product(down, whole) ? down : plus(down, CENT));
}

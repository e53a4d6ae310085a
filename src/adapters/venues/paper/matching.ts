// What the market has done to an account in a stretch of time: limits that it traded through, and positions that it could no
// longer carry, in the order in which they happened.
//
// A stretch in which nothing can have happened is looked at once. One in which more than one thing may have happened is
// halved and looked at again, until the parts are as short as the source of prices tells apart, or a minute long; so a stop of
// days costs a few dozen looks, and what happened comes in the order of time. Within such a part the order is that of the prices:
// what lies nearer to the side from which the market came is first. Where each part has one price, the same happens however a
// stretch was cut: an account that is looked at every second ends as one that is looked at after a week.

import type { RangeSource } from '../../../market-data/price-source.ts';
import { absolute, type Decimal, decimal, minus } from '../../../trading/decimal.ts';
import type { Account, MarketBook, RestingOrder } from './account.ts';
import { type Booking, bookMatch } from './booking.ts';
import { bestPriceOf, dangerIn, heldBooks, isEndangered, liquidate, type Range, type Ranges } from './liquidation.ts';

const MINUTE_MS = 60_000;

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

interface DueOrder {
  readonly book: MarketBook;
  readonly resting: RestingOrder;
}

export interface Happened {
  readonly due: readonly DueOrder[];
  /** Of the markets in which the account holds something. */
  readonly ranges: Ranges;
  readonly endangered: boolean;
  /** False when a market could not be read: then the same time must be compared again. */
  readonly complete: boolean;
}

/**
 * Compares resting orders and positions with the market. Strictly beyond: at its own price an order waits in the queue behind
 * others. Comparing the same time twice does no harm, for an order that was not passed then is not passed now.
 */
export async function compareWithMarket(account: Account, prices: RangeSource, stretch: Stretch): Promise<Happened> {
  const read = readerOf(prices, stretch.toMs);
  const held = heldBooks(account);
  const resting = [...account.books.values()].flatMap((book) =>
    [...book.resting.values()].map((order) => ({ book, resting: order })),
  );
  const found = await Promise.allSettled(
    resting.map(async (candidate) => {
      const { order } = candidate.resting;
      const range = await read(order.market, Math.max(stretch.fromMs, order.createdAtMs));
      return range && passed(candidate.resting, range) ? [candidate] : [];
    }),
  );
  const seen = await Promise.allSettled(
    held.map(async ({ rules }): Promise<readonly (readonly [string, Range])[]> => {
      const range = await read(rules.symbol, stretch.fromMs);
      return range ? [[rules.symbol, range]] : [];
    }),
  );
  const ranges = new Map(fulfilled(seen).flat());
  return {
    due: fulfilled(found).flat().sort(byAge),
    ranges,
    endangered: isEndangered(account, ranges),
    complete: [...found, ...seen].every(({ status }) => status === 'fulfilled'),
  };
}

const fulfilled = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));

/** Each stretch of a market is read once. */
function readerOf(prices: RangeSource, toMs: number) {
  const ranges = new Map<string, Promise<Range | undefined>>();
  return async (market: string, fromMs: number): Promise<Range | undefined> => {
    if (fromMs >= toMs) return undefined;
    const key = `${market} ${fromMs}`;
    const range =
      ranges.get(key) ??
      prices
        .range(market, fromMs, toMs)
        .then((traded) => traded && { low: decimal(traded.low), high: decimal(traded.high) });
    ranges.set(key, range);
    return range;
  };
}

/** Where to halve a stretch in which several things may have happened; undefined where it is short enough. */
export function middleOf(
  { fromMs, toMs }: Stretch,
  { due, endangered }: Happened,
  grainMs = MINUTE_MS,
): number | undefined {
  if (due.length + (endangered ? 2 : 0) < 2) return undefined;
  const middleMs = Math.ceil((fromMs + toMs) / 2 / grainMs) * grainMs;
  return middleMs < toMs ? middleMs : undefined;
}

/** Books what happened, one after the other: each may change what the next one comes to. */
export function bookHappened(account: Account, { due, ranges }: Happened, atMs: number): readonly Booking[] {
  const bookings: Booking[] = [];
  const waiting = due.toSorted((a, b) => distanceOf(a, ranges) - distanceOf(b, ranges));
  for (;;) {
    const next = waiting[0];
    const danger = dangerIn(account, ranges);
    if (danger && (!next || distance(danger.book, danger.price, ranges) <= distanceOf(next, ranges))) {
      bookings.push(...liquidate(account, ranges, atMs));
      continue;
    }
    if (!next) return bookings;
    waiting.shift();
    if (next.book.resting.has(next.resting.order.clientOrderId))
      bookings.push(...bookMatch(account, next.book, next.resting, atMs));
  }
}

const distanceOf = ({ book, resting }: DueOrder, ranges: Ranges): number =>
  distance(book, resting.order.price ?? book.mark, ranges);

/** As a share of the price, so that markets can be compared; none in a market in which nothing was held before. */
function distance(book: MarketBook, price: Decimal, ranges: Ranges): number {
  const range = ranges.get(book.rules.symbol);
  if (!range) return 0;
  const best = bestPriceOf(book, range);
  return Number(absolute(minus(price, best))) / Number(best);
}

function passed({ order }: RestingOrder, range: Range): boolean {
  if (order.price === undefined) return false;
  return order.side === 'BUY' ? range.low < order.price : range.high > order.price;
}

/** Order ids count upward; the longer one is the later one. */
function byAge({ resting: { order: a } }: DueOrder, { resting: { order: b } }: DueOrder): number {
  return a.orderId.length - b.orderId.length || (a.orderId < b.orderId ? -1 : 1);
}

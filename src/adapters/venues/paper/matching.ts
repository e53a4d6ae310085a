// Which resting orders the market has traded through since it was last compared with them.

import type { RangeSource } from '../../../market-data/price-source.ts';
import { type Decimal, decimal } from '../../../trading/decimal.ts';
import type { Account, MarketBook, RestingOrder } from './account.ts';

export interface DueOrder {
  readonly book: MarketBook;
  readonly resting: RestingOrder;
}

export interface Comparison {
  /** Oldest first. */
  readonly due: readonly DueOrder[];
  /** False when a market could not be read: then the same time must be compared again. */
  readonly complete: boolean;
}

type Range = { readonly low: Decimal; readonly high: Decimal } | undefined;

/**
 * Compares every resting order with the market from `account.matchedUntilMs`, or its own birth, to `untilMs`.
 * Strictly beyond: at its own price an order waits in the queue behind others. Comparing the same time twice does no
 * harm, for an order that was not passed then is not passed now.
 */
export async function compareWithMarket(account: Account, prices: RangeSource, untilMs: number): Promise<Comparison> {
  const resting = [...account.books.values()].flatMap((book) =>
    [...book.resting.values()].map((order) => ({ book, resting: order })),
  );
  const ranges = new Map<string, Promise<Range>>();
  const rangeSince = (market: string, fromMs: number): Promise<Range> => {
    const key = `${market} ${fromMs}`;
    const range = ranges.get(key) ?? readRange(prices, market, fromMs, untilMs);
    ranges.set(key, range);
    return range;
  };
  const outcomes = await Promise.allSettled(
    resting.map(async (candidate) => {
      const { order } = candidate.resting;
      const fromMs = Math.max(account.matchedUntilMs, order.createdAtMs);
      const range = fromMs < untilMs ? await rangeSince(order.market, fromMs) : undefined;
      return range && passed(candidate.resting, range) ? candidate : undefined;
    }),
  );
  const due = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : []));
  return { due: due.sort(byAge), complete: outcomes.every(({ status }) => status === 'fulfilled') };
}

async function readRange(prices: RangeSource, market: string, fromMs: number, toMs: number): Promise<Range> {
  const range = await prices.range(market, fromMs, toMs);
  return range && { low: decimal(range.low), high: decimal(range.high) };
}

function passed({ order }: RestingOrder, range: NonNullable<Range>): boolean {
  if (order.price === undefined) return false;
  return order.side === 'BUY' ? range.low < order.price : range.high > order.price;
}

/** Order ids count upward; the longer one is the later one. */
function byAge({ resting: { order: a } }: DueOrder, { resting: { order: b } }: DueOrder): number {
  return a.orderId.length - b.orderId.length || (a.orderId < b.orderId ? -1 : 1);
}

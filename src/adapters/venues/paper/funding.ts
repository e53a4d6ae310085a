// Funding: at 00, 08 and 16 o'clock UTC the two sides of a perpetual future settle, and whoever holds a position pays or gets
// its worth times the rate of its market.

import { FUNDING_EVERY_MS, type RangeSource } from '../../../market-data/price-source.ts';
import { type Decimal, decimal, negate, times, ZERO } from '../../../trading/decimal.ts';
import type { FundingPayment, PositionSide } from '../../../trading/venue.ts';
import type { Account, MarketBook } from './account.ts';
import { heldBooks } from './liquidation.ts';
import type { MarketPrices } from './market-prices.ts';

/** What real venues settle at while nothing else is known: 0.01 % in eight hours. */
const USUAL_RATE = '0.0001';
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

/** The funding times after `fromMs`, up to `toMs`. */
export function fundingTimes(fromMs: number, toMs: number): readonly number[] {
  const first = (Math.floor(fromMs / FUNDING_EVERY_MS) + 1) * FUNDING_EVERY_MS;
  const count = Math.max(0, Math.floor((toMs - first) / FUNDING_EVERY_MS) + 1);
  return Array.from({ length: count }, (_, index) => first + index * FUNDING_EVERY_MS);
}

export interface FundingSource {
  readonly prices: RangeSource;
  readonly markets: MarketPrices;
}

interface FundingTerms {
  readonly book: MarketBook;
  readonly price: Decimal;
  readonly rate: Decimal;
}

/** Rates and prices of everything that is held; throws where no price can be had. */
export const fundingTerms = (account: Account, source: FundingSource, atMs: number): Promise<readonly FundingTerms[]> =>
  Promise.all(
    heldBooks(account).map(async (book) => {
      const market = book.rules.symbol;
      const rate = (await source.prices.fundingRate?.(market, atMs)) ?? USUAL_RATE;
      return { book, rate: decimal(rate), price: await priceAt(market, source, atMs) };
    }),
  );

/** Of what is held now: nothing can have changed since the terms were read but by an order of this very moment. */
export function paymentsOf(terms: readonly FundingTerms[], atMs: number): readonly FundingPayment[] {
  return terms.flatMap(({ book, price, rate }) =>
    SIDES.filter((side) => book[side].holding.quantity > ZERO).map((side): FundingPayment => {
      const { quantity } = book[side].holding;
      const due = times(times(quantity, price), rate);
      return {
        market: book.rules.symbol,
        side,
        atMs,
        quantity,
        price,
        rate,
        amount: side === 'LONG' ? negate(due) : due,
      };
    }),
  );
}

/** What the market traded at then: the second itself, else the minute before it, else now. */
async function priceAt(market: string, { prices, markets }: FundingSource, atMs: number): Promise<Decimal> {
  const range =
    (await prices.range(market, atMs, atMs + SECOND_MS)) ?? (await prices.range(market, atMs - MINUTE_MS, atMs));
  return range ? decimal(range.low) : markets.price(market);
}

// The best prices of a market at Bybit: the first row of each side of its order book, which says when it was made.

import { type Decimal, ZERO } from '../../../trading/decimal.ts';
import type { Quote } from '../../../trading/venue.ts';
import { fieldsOf, listOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);

export const quoteCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'public', path: 'v5/market/orderbook', cost: READ },
  params: { category: 'linear', symbol, limit: 1 },
});

export function readQuote(body: unknown): Quote {
  const { b: bids, a: asks, ts: atMs } = fieldsOf(fieldsOf(body).result);
  return { bid: bestOf(bids), ask: bestOf(asks), atMs: read.moment(atMs) };
}

/** Rows are price and size; a side on which nobody waits has no row. */
function bestOf(side: unknown): Decimal {
  const rows = listOf(side) ?? read.fail();
  return rows.length === 0 ? ZERO : read.decimal(listOf(rows[0])?.[0]);
}

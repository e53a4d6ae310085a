// The best prices at MEXC, of one market or of all.

import type { Quote } from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { PUBLIC, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);

export const quoteCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: PUBLIC, path: 'ticker', cost: { prices: 1 } },
  params: { symbol },
});

export const ALL_QUOTES_CALL: VenueCall = { method: 'GET', section: PUBLIC, path: 'ticker', cost: { prices: 1 } };

export const readQuote = (body: unknown): Quote => quoteOf(fieldsOf(fieldsOf(body).data));

export const readQuotes = (body: unknown): ReadonlyMap<string, Quote> =>
  read.byMarket(read.list(fieldsOf(body).data), quoteOf);

/** A side on which nobody waits has the price 0. */
function quoteOf({ bid1, ask1, timestamp }: Fields): Quote {
  return { bid: read.decimal(bid1), ask: read.decimal(ask1), atMs: read.moment(timestamp) };
}

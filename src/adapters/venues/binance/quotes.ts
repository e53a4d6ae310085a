// The best prices at Binance, of one market or of all.

import type { Quote } from '../../../trading/venue.ts';
import { fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);

export const quoteCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPublic', path: 'ticker/bookTicker', cost: READ(2) },
  params: { symbol },
});

export const ALL_QUOTES_CALL: VenueCall = {
  ...{ method: 'GET', section: 'fapiPublic', path: 'ticker/bookTicker', cost: READ(5) },
};

/** A side on which nobody waits has the price 0. */
export function readQuote(body: unknown): Quote {
  const { bidPrice, askPrice, time } = fieldsOf(body);
  return { bid: read.decimal(bidPrice), ask: read.decimal(askPrice), atMs: read.moment(time) };
}

export const readQuotes = (body: unknown): ReadonlyMap<string, Quote> => read.byMarket(read.list(body), readQuote);

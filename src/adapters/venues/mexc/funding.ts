// Funding at MEXC: its records, the newest first, without a way to ask for a stretch of time.

import type { VenueFunding } from '../../../trading/books/funding-store.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { PRIVATE, TITLE } from './dialect.ts';
import { pagesOf } from './pages.ts';

const read = new AnswerReader(TITLE);

const RECORDS_CALL: VenueCall = {
  ...{ method: 'GET', section: PRIVATE, path: 'position/funding_records', cost: { positions: 1 } },
};

export async function readFunding(
  client: Pick<VenueClient, 'send'>,
  fromMs: number,
  toMs: number,
  markets: readonly VenueMarket[],
): Promise<readonly VenueFunding[]> {
  const names = new Map(markets.map(({ venueSymbol, symbol }) => [venueSymbol, symbol]));
  const rows = await pagesOf(client, RECORDS_CALL, {
    listOf: (data) => fieldsOf(data).resultList,
    isEnough: ({ settleTime }) => read.moment(settleTime) < fromMs,
  });
  return rows.map((row) => fundingOf(row, names)).filter(({ atMs }) => fromMs <= atMs && atMs < toMs);
}

/** A market that is not traded any more keeps MEXC's name. */
function fundingOf(row: Fields, names: ReadonlyMap<string, string>): VenueFunding {
  const venueSymbol = read.text(row.symbol);
  return {
    fundingId: read.text(row.id),
    market: names.get(venueSymbol) ?? venueSymbol,
    atMs: read.moment(row.settleTime),
    amount: read.decimal(row.funding),
  };
}

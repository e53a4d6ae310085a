// Funding at Bybit: the settlements in its log of transactions, where what was received is positive. In its list of fills the same
// payment has the opposite sign.

import type { VenueFunding } from '../../../trading/books/funding-store.ts';
import type { Fields } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';
import { pagesOf } from './pages.ts';

const read = new AnswerReader(TITLE);

const settlementsCall = (startTime: number, endTime: number): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/account/transaction-log', cost: READ },
  params: { accountType: 'UNIFIED', category: 'linear', type: 'SETTLEMENT', startTime, endTime, limit: 50 },
});

export async function readFunding(
  client: Pick<VenueClient, 'send'>,
  fromMs: number,
  toMs: number,
): Promise<readonly VenueFunding[]> {
  const rows = await pagesOf(client, settlementsCall(fromMs, toMs - 1));
  // A settlement of another kind has no funding.
  return rows.filter(({ funding }) => funding !== '').map(fundingOf);
}

const fundingOf = (row: Fields): VenueFunding => ({
  fundingId: read.text(row.id),
  market: read.text(row.symbol),
  atMs: read.moment(row.transactionTime),
  amount: read.decimal(row.funding),
});

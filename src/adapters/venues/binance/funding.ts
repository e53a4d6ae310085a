// Funding at Binance: its list of income, oldest first, a thousand at a time.

import type { VenueFunding } from '../../../trading/books/funding-store.ts';
import type { Fields } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const MAX_ROWS = 1000;
/** Far more than a week has. */
const MAX_PAGES = 50;

const incomeCall = (startTime: number, endTime: number): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'income', cost: READ(30) },
  params: { incomeType: 'FUNDING_FEE', startTime, endTime, limit: MAX_ROWS },
});

export async function readFunding(
  client: Pick<VenueClient, 'send'>,
  fromMs: number,
  toMs: number,
): Promise<readonly VenueFunding[]> {
  const found: VenueFunding[] = [];
  let startMs = fromMs;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const rows = read.list(await client.send(incomeCall(startMs, toMs - 1))).map(fundingOf);
    found.push(...rows);
    const lastMs = rows.at(-1)?.atMs;
    if (rows.length < MAX_ROWS || lastMs === undefined) return found;
    // The next page begins with the moment at which this one was cut; what is told twice has the same id.
    if (lastMs === startMs) return read.fail();
    startMs = lastMs;
  }
  return read.fail();
}

const fundingOf = (row: Fields): VenueFunding => ({
  fundingId: `${read.text(row.tranId)}:${read.text(row.symbol)}`,
  market: read.text(row.symbol),
  atMs: read.moment(row.time),
  amount: read.decimal(row.income),
});

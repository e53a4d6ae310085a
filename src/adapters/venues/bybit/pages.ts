// Bybit's lists come in pages, each with a cursor to the next.

import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** Far more than any list has; a venue that gives cursors for ever must not hold us for ever. */
const MAX_PAGES = 50;

/** The rows of all pages. */
export async function pagesOf(client: Pick<VenueClient, 'send'>, call: VenueCall): Promise<readonly Fields[]> {
  const rows: Fields[] = [];
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = { ...call.params, ...(cursor !== '' && { cursor }) };
    const { list, nextPageCursor } = fieldsOf(fieldsOf(await client.send({ ...call, params })).result);
    rows.push(...read.list(list));
    if (typeof nextPageCursor !== 'string' || nextPageCursor === '') return rows;
    cursor = nextPageCursor;
  }
  return read.fail();
}

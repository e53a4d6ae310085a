// Lists that MEXC gives page by page. It counts pages from one and tells no end: a page that is not full is the last.

import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** The most that MEXC gives at once. */
const PAGE_SIZE = 100;
/** Far more than any list has; a venue that gives full pages for ever must not hold us for ever. */
const MAX_PAGES = 50;

interface PagesOptions {
  /** Where the rows stand in the data of an answer; they are the data itself unless said. */
  readonly listOf?: (data: unknown) => unknown;
  /** True for a row behind which nothing is wanted. */
  readonly isEnough?: (row: Fields) => boolean;
}

/** The rows of all pages, or of those up to one that has enough. */
export async function pagesOf(
  client: Pick<VenueClient, 'send'>,
  call: VenueCall,
  { listOf = (data) => data, isEnough = () => false }: PagesOptions = {},
): Promise<readonly Fields[]> {
  const rows: Fields[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const params = { ...call.params, page_num: page, page_size: PAGE_SIZE };
    const found = read.list(listOf(fieldsOf(await client.send({ ...call, params })).data));
    rows.push(...found);
    if (found.length < PAGE_SIZE || found.some(isEnough)) return rows;
  }
  return read.fail();
}

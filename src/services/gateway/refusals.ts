// GET /refusals: why signals were refused, newest first, for whoever never saw the answer.

import { z } from 'zod';
import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import type { RefusalFilter, Refusals, RefusedSignal } from '../../trading/intake/refusals.ts';
import { asksForCsv, type CsvTable, csvAnswer, formatFilter, mapPages, orCsv, pagesOf } from './csv.ts';
import { actionFilter, rangeOf, searchFilter, timeFilters, tradeFilters } from './list-filters.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, refusalSchema, refusalsQuerySchema, tradesQuerySchema } from './schemas.ts';

const DEFAULT_LIMIT = 10;
const CSV_PAGE = 200;

const { exchange, account, symbol, strategy } = tradesQuerySchema.shape;
const refusalListSchema = refusalsQuerySchema.extend({
  ...{
    exchange,
    account: described(account, 'Only signals for this account; those that name none are for main'),
    symbol,
  },
  strategy: described(strategy, 'Only signals of this strategy'),
  ...{ action: actionFilter, source: tradeFilters.source, ...timeFilters },
  search: searchFilter('id, key, code, error, faults and body'),
  format: formatFilter,
});

export interface RefusalsDeps {
  readonly refusals: Pick<Refusals, 'list'>;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function refusalEndpoints(deps: RefusalsDeps): readonly Endpoint[] {
  const handler: EndpointHandler = async (c) => {
    const query = readQuery(c, refusalListSchema);
    const { requestId } = c.var;
    const { limit = DEFAULT_LIMIT, before, format } = query;
    const read = refusalReader(deps, filterOf(query), requestId);
    if (asksForCsv(c, format)) return csvAnswer(c, refusalTable(read, query));
    const found = await read({ limit, beforeId: before });
    return c.json({ success: true, requestId, result: found.map(view) });
  };
  return [
    {
      method: 'get',
      path: '/refusals',
      summary: 'Why signals were refused, newest first',
      tags: ['Signals'],
      query: refusalListSchema,
      responses: orCsv({
        ...ok('Refusals', z.array(refusalSchema)),
        400: refused('INVALID_QUERY'),
        500: refused('STORAGE_FAILED'),
      }),
      handler,
    },
  ];
}

type RefusalQuery = z.infer<typeof refusalListSchema>;
type ReadRefusals = (of: Pick<RefusalFilter, 'limit' | 'beforeId'>) => Promise<readonly RefusedSignal[]>;

function filterOf({ symbol, key, limit: _, before: __, format: ___, ...query }: RefusalQuery) {
  const market = symbol === undefined ? undefined : marketOf(symbol);
  if (symbol !== undefined && market === undefined)
    throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  return { ...query, keyLabel: key, market, ...rangeOf(query) };
}

const refusalReader =
  ({ refusals, onFault }: RefusalsDeps, filter: ReturnType<typeof filterOf>, requestId: string): ReadRefusals =>
  async (of) => {
    const found = await refusals.list({ ...filter, ...of }).catch((error) => {
      if (!(error instanceof StorageError)) throw error;
      onFault(error, requestId);
      const words = `the refusals cannot be read: ${withoutFolders(error.message)}`;
      throw new Refusal('STORAGE_FAILED', words, { cause: error });
    });
    // An empty page would look like the end of the list.
    if (!found) throw new Refusal('INVALID_QUERY', 'before: no refusal has this id, send the id of one in the list');
    return found;
  };

const refusalTable = (read: ReadRefusals, { before, limit }: RefusalQuery): CsvTable => ({
  ...{ name: 'refusals', columns: Object.keys(refusalSchema.shape), times: ['receivedAt'], limit },
  pages: mapPages(
    pagesOf((last: RefusedSignal | undefined) => read({ limit: CSV_PAGE, beforeId: last?.id ?? before }), CSV_PAGE),
    (found) => found.map(view),
  ),
});

const view = ({ id, receivedAtMs, door, keyLabel, address, status, code, error, faults, ...rest }: RefusedSignal) => ({
  id,
  receivedAt: receivedAtMs,
  door,
  key: keyLabel ?? null,
  address: address ?? null,
  status,
  code,
  error,
  faults,
  body: rest.body,
  alertId: rest.signal?.order.alertId ?? null,
  resendable: rest.signal !== undefined,
  resentAs: rest.resentAs ?? null,
});

// POST /query: one guarded SQL statement over the journal and the signals, for the owner's own reports.

import { z } from 'zod';
import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint, EndpointDoc, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import type { DataQueries, QueryDeclined, QueryDone, QueryOutcome } from '../../trading/books/data-query.ts';
import type { GatewayErrorCode } from './errors.ts';
import { queryAnswerSchema, querySchema, queryTableSchema } from './query-schemas.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';

/** A query takes seconds at most, so a second later is worth a try. */
const RETRY_AFTER_S = '1';

const QUERY_DOC: EndpointDoc = {
  method: 'post',
  path: '/query',
  unknownQuery: 'ignored',
  summary: 'Run one guarded SQL statement',
  description: 'Reads trade_signals, trades, orders, fills, positions and events; writes trade_signals only.',
  tags: ['Query'],
  body: querySchema,
  bodyExample: {
    query: 'SELECT symbol, count(*) AS n FROM trades WHERE state = ? GROUP BY symbol',
    params: ['filled'],
  },
  responses: {
    200: { description: 'Done', schema: queryAnswerSchema },
    400: refused('INVALID_JSON, INVALID_PAYLOAD, INVALID_SQL'),
    401: refused('UNAUTHORIZED'),
    403: refused('STATEMENT_REFUSED: kind, second statement, literal, UNION, table or function'),
    408: refused('QUERY_TIMEOUT: 5 s for reading, 1 s for writing'),
    413: refused('PAYLOAD_TOO_LARGE; QUERY_TOO_LARGE: 10 000 rows, 16 MiB'),
    429: refused('QUERY_BUSY'),
    500: refused('STORAGE_FAILED'),
  },
};

const TABLES_DOC: EndpointDoc = {
  method: 'get',
  path: '/query/tables',
  summary: 'The tables that a statement may name, with their columns',
  tags: ['Query'],
  responses: {
    ...ok('Which may be written is told of each', z.array(queryTableSchema)),
    400: refused('INVALID_QUERY'),
    401: refused('UNAUTHORIZED'),
  },
};

export interface QueryLine {
  /** The statement's kind, or why there was none. Never its values. */
  readonly query: QueryDone['statement'] | QueryDeclined['kind'] | 'failed';
  readonly ms: number;
  readonly rows: number;
  readonly changes: number;
  readonly requestId: string;
}

export interface QueryDeps {
  readonly queries: Pick<DataQueries, 'run' | 'tables'>;
  readonly monotonicMs: () => number;
  /** Told of every query. */
  readonly log: (line: QueryLine) => void;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const CODES: Readonly<Record<QueryDeclined['kind'], GatewayErrorCode>> = {
  refused: 'STATEMENT_REFUSED',
  invalid: 'INVALID_SQL',
  timeout: 'QUERY_TIMEOUT',
  'too-large': 'QUERY_TOO_LARGE',
  busy: 'QUERY_BUSY',
};

export function queryEndpoints({ queries, monotonicMs, log, onFault }: QueryDeps): readonly Endpoint[] {
  const handler: EndpointHandler = async (c) => {
    const { query, params } = await readValid(c, querySchema, { code: 'INVALID_PAYLOAD' });
    const { requestId } = c.var;
    const startedMs = monotonicMs();
    const tell = (what: QueryLine['query'], done?: QueryDone): void => {
      const ms = Math.round(monotonicMs() - startedMs);
      log({ query: what, ms, rows: done?.rows ?? 0, changes: done?.changes ?? 0, requestId });
    };
    let outcome: QueryOutcome;
    try {
      outcome = await queries.run(query, params);
    } catch (error) {
      tell('failed');
      if (!(error instanceof StorageError)) throw error;
      onFault(error, requestId);
      throw new Refusal('STORAGE_FAILED', `the query failed: ${withoutFolders(error.message)}`, { cause: error });
    }
    if (outcome.kind !== 'done') {
      tell(outcome.kind);
      const headers = outcome.kind === 'busy' ? { headers: { 'retry-after': RETRY_AFTER_S } } : {};
      throw new Refusal(CODES[outcome.kind], outcome.reason, headers);
    }
    tell(outcome.statement, outcome);
    const pieces = answerOf(outcome, requestId);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const headers = { 'content-type': 'application/json', 'content-length': String(length) };
    return c.body(ReadableStream.from(pieces), 200, headers);
  };
  return [
    { ...QUERY_DOC, handler },
    {
      ...TABLES_DOC,
      handler(c) {
        readQuery(c, NO_QUERY);
        return c.json({ success: true, requestId: c.var.requestId, result: queries.tables });
      },
    },
  ];
}

/** Put together by hand: the rows are JSON already, and to read and write them again would cost the event loop dearly. */
function answerOf({ resultsJson, lastRowId, changes }: QueryDone, requestId: string): readonly Uint8Array[] {
  const before = Buffer.from(`{"success":true,"requestId":"${requestId}","results":`);
  const after = Buffer.from(`,"lastRowId":${lastRowId},"changes":${changes}}`);
  return [before, ...resultsJson, after];
}

// POST and GET /signals: write a signal down without trading it, and read back every signal there was, newest first.

import { z } from 'zod';
import { StorageError } from '../../errors/storage-error.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { readValid } from '../../http/read-body.ts';
import { type SignalFilter, type SignalRecord, type SignalStore, STORED } from '../../trading/books/signal-store.ts';
import { plainName } from '../../trading/name-spelling.ts';
import { rangeOf, searchFilter, timeFilters } from './list-filters.ts';
import { readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import {
  answerOf,
  described,
  newSignalSchema,
  signalRecordSchema,
  signalsQuerySchema,
  storedSignalSchema,
} from './schemas.ts';
import { storageRefusal } from './storage-refusal.ts';

const DEFAULT_LIMIT = 10;
const DEFAULT_SOURCE = 'api';

const signalListSchema = signalsQuerySchema.extend({
  decision: described(
    z.string().min(1).max(64).optional(),
    'Only with this decision: accepted, stored, or the code of a refusal',
  ),
  action: described(z.string().min(1).max(64).optional(), 'Only of this signal_type, such as LONG'),
  ...timeFilters,
  search: searchFilter('signal_id, symbol, signal_type, source, decision and alert_id'),
});

export interface SignalsDeps {
  readonly signals: SignalStore;
  readonly nowMs: () => number;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function signalEndpoints({ signals, nowMs, onFault }: SignalsDeps): readonly Endpoint[] {
  /** A storage that fails says what to do about it, and the log has the whole story. */
  const inWords = (error: unknown, failed: string, requestId: string): unknown => {
    if (error instanceof StorageError) onFault(error, requestId);
    return storageRefusal(error, { failed, unknown: 'it is not known whether the signal was stored' });
  };

  const store: EndpointHandler = async (c) => {
    const given = await readValid(c, newSignalSchema, { code: 'INVALID_PAYLOAD' });
    const { requestId } = c.var;
    const record: SignalRecord = {
      // As with every other signal, the id of the request is the id of the record.
      signalId: requestId,
      timestampMs: given.timestamp ?? nowMs(),
      symbol: given.symbol,
      signalType: given.signal_type,
      // Free text that is stored: a key that slipped in must not stay.
      source: given.source === undefined ? DEFAULT_SOURCE : maskSecrets(given.source),
      decision: STORED,
    };
    await signals.add(record).catch((error) => {
      throw inWords(error, 'the signal was not stored', requestId);
    });
    return c.json({ success: true, requestId, result: { signalId: record.signalId } }, 201);
  };

  const list: EndpointHandler = async (c) => {
    const filter = filterOf(readQuery(c, signalListSchema));
    const { requestId } = c.var;
    const records = await signals.list(filter).catch((error) => {
      throw inWords(error, 'the signals cannot be read', requestId);
    });
    // An empty page would look like the end of the list.
    if (!records) throw new Refusal('INVALID_QUERY', 'before: no signal has this id, send the signal_id of a record');
    return c.json({ success: true, requestId, result: records.map(recordView) });
  };

  return [
    {
      method: 'post',
      path: '/signals',
      unknownQuery: 'ignored',
      summary: 'Write a signal down without trading it',
      tags: ['Signals'],
      body: newSignalSchema,
      bodyExample: { symbol: 'BTCUSDT', signal_type: 'LONG', source: 'my-script' },
      responses: {
        201: { description: 'Stored under this id', schema: answerOf(storedSignalSchema) },
        400: BAD_BODY,
        413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
        500: refused('STORAGE_FAILED, STORAGE_UNKNOWN'),
      },
      handler: store,
    },
    {
      method: 'get',
      path: '/signals',
      summary: 'Every signal there was, traded or not, newest first',
      tags: ['Signals'],
      query: signalListSchema,
      responses: {
        ...ok('Signals', z.array(signalRecordSchema)),
        400: refused('INVALID_QUERY'),
        500: refused('STORAGE_FAILED'),
      },
      handler: list,
    },
  ];
}

function filterOf(query: z.infer<typeof signalListSchema>): SignalFilter {
  const { limit = DEFAULT_LIMIT, symbol, source, alertId, before, decision, action, search } = query;
  const named = alertId === undefined ? undefined : plainName(alertId);
  const asked = { decision, signalType: action, search, ...rangeOf(query) };
  return { limit, symbol, source, alertId: named, beforeSignalId: before, ...asked };
}

const recordView = (record: SignalRecord) => ({
  signal_id: record.signalId,
  timestamp: record.timestampMs,
  symbol: record.symbol,
  signal_type: record.signalType,
  source: record.source,
  decision: record.decision,
  ...(record.alertId !== undefined && { alert_id: record.alertId }),
});

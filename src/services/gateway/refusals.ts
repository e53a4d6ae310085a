// GET /refusals: why signals were refused, newest first, for whoever never saw the answer.

import { z } from 'zod';
import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Refusals, RefusedSignal } from '../../trading/intake/refusals.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { refusalSchema, refusalsQuerySchema } from './schemas.ts';

const DEFAULT_LIMIT = 10;

export interface RefusalsDeps {
  readonly refusals: Pick<Refusals, 'list'>;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function refusalEndpoints({ refusals, onFault }: RefusalsDeps): readonly Endpoint[] {
  const handler: EndpointHandler = async (c) => {
    const { limit = DEFAULT_LIMIT, code, key, door, before } = readQuery(c, refusalsQuerySchema);
    const { requestId } = c.var;
    const found = await refusals.list({ limit, code, keyLabel: key, door, beforeId: before }).catch((error) => {
      if (!(error instanceof StorageError)) throw error;
      onFault(error, requestId);
      const words = `the refusals cannot be read: ${withoutFolders(error.message)}`;
      throw new Refusal('STORAGE_FAILED', words, { cause: error });
    });
    // An empty page would look like the end of the list.
    if (!found) throw new Refusal('INVALID_QUERY', 'before: no refusal has this id, send the id of one in the list');
    return c.json({ success: true, requestId, result: found.map(view) });
  };
  return [
    {
      method: 'get',
      path: '/refusals',
      summary: 'Why signals were refused, newest first',
      tags: ['Signals'],
      query: refusalsQuerySchema,
      responses: {
        ...ok('Refusals', z.array(refusalSchema)),
        400: refused('INVALID_QUERY'),
        500: refused('STORAGE_FAILED'),
      },
      handler,
    },
  ];
}

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

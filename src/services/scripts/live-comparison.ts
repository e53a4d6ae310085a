// GET /api/deployments/{id}/compare: a user's live deployment beside the backtest of the same days.

import { z } from 'zod';
import { type Endpoint, type EndpointDoc, paramOf } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { liveComparisonSchema } from '../../library/live-comparison/comparison-schema.ts';
import type { LiveComparisons, Uncompared } from '../../library/live-comparison/live-comparisons.ts';
import { compileFaultFields, runtimeFaultFields } from '../../library/run-contract.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import { createCallWindow } from './call-window.ts';
import { refusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import { RETRY_LATER, type StorageGuard } from './storage-refusal.ts';

export interface ComparisonRouteDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly comparisons: LiveComparisons | undefined;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/** Each runs a script over all bars since it was deployed. */
const COMPARED_PER_MINUTE = 10;

const refused = (description: string) => ({ description, schema: statusErrorSchema });
const DOC: EndpointDoc = {
  method: 'get',
  path: '/api/deployments/{id}/compare',
  summary: 'Lay the live trades of a deployed strategy over its backtest',
  description: 'Each fill of the script as the backtest has it, with what was told, sent and filled of it.',
  tags: ['Live deployments'],
  door: 'scriptKey',
  params: z.object({ id: z.string().meta({ examples: ['$DEPLOYMENT_ID'] }) }),
  responses: {
    200: {
      description: 'Fill by fill',
      schema: z.object({ status: z.literal('success'), comparison: liveComparisonSchema }),
    },
    400: {
      description: 'INVALID_FIELD: it is no strategy; SCRIPT_ERROR with diagnostics',
      schema: statusErrorSchema.extend(compileFaultFields),
    },
    401: refused('NO_KEY, INVALID_KEY'),
    404: refused('NOT_FOUND'),
    408: refused('TIMEOUT'),
    409: refused('CONFLICT: no bar has closed yet'),
    422: { description: 'RUNTIME_ERROR, MEMORY_LIMIT', schema: statusErrorSchema.extend(runtimeFaultFields) },
    429: refused('RATE_LIMIT, BUSY'),
    500: refused('INTERNAL'),
    503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
  },
};

export function comparisonEndpoint({ authenticate, comparisons, stored, monotonicMs }: ComparisonRouteDeps): Endpoint {
  const take = createCallWindow({ policy: 'comparisons', callsPerMinute: COMPARED_PER_MINUTE, monotonicMs });
  return {
    ...DOC,
    async handler(c) {
      const { userId } = await authenticate(c);
      if (comparisons === undefined)
        throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
      const headers = take(userId);
      const outcome = await stored(c, comparisons.compare(paramOf(c, 'id'), userId));
      if (outcome.kind !== 'compared') throw uncompared(outcome);
      return c.json({ status: 'success', comparison: outcome.comparison }, 200, headers);
    },
  };
}

function uncompared(outcome: Uncompared): Error {
  switch (outcome.kind) {
    case 'missing':
      return refusal(
        'NOT_FOUND',
        'there is no such deployment of this key; GET /api/deployments lists those there are',
      );
    case 'no-strategy':
      return refusal('INVALID_FIELD', `id: ${outcome.reason}`);
    case 'too-early':
      return refusal('CONFLICT', outcome.reason);
    case 'unavailable':
      return refusal('UNAVAILABLE', outcome.reason, RETRY_LATER);
    case 'run-failed': {
      const fault = runFaultOf(outcome.outcome);
      if (fault instanceof Error) return fault;
      return refusal(fault.code, fault.message, { ...(fault.isPassing && RETRY_LATER), extra: fault.extra ?? {} });
    }
  }
}

// GET /api/usage: how many runs of a key there were, and when.

import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { WORKER_DOCS } from './docs.ts';
import { refusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import type { StorageGuard } from './storage-refusal.ts';

export interface UsageDeps {
  readonly authenticate: Authenticate;
  /** Undefined where nothing keeps the counts. */
  readonly usage: UsageCounter | undefined;
  readonly stored: StorageGuard;
}

export function usageEndpoint({ authenticate, usage, stored }: UsageDeps): Endpoint {
  const handler: EndpointHandler = async (c) => {
    const { userId, tier } = await authenticate(c);
    if (usage === undefined)
      throw refusal('UNAVAILABLE', 'no database keeps the counts; the operator has to set SCRIPT_DATABASE');
    const counted = await stored(c, usage.read(userId));
    return c.json({
      status: 'success',
      tier,
      usage: {
        calls_used: counted?.calls ?? 0,
        first_used_at: counted?.firstUsedAtMs ?? null,
        last_used_at: counted?.lastUsedAtMs ?? null,
      },
    });
  };
  return { ...WORKER_DOCS.usage, handler };
}

// GET /api/usage: how many runs of a key there were, and when.

import type { App } from '../../http/app.ts';
import type { UsageCounter } from '../../library/usage.ts';
import { refusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import type { Stored } from './stored.ts';

export interface UsageDeps {
  readonly authenticate: Authenticate;
  /** Undefined where nothing keeps the counts. */
  readonly usage: UsageCounter | undefined;
  readonly stored: Stored;
}

export function mountUsage(app: App, { authenticate, usage, stored }: UsageDeps): void {
  app.get('/api/usage', async (c) => {
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
  });
}

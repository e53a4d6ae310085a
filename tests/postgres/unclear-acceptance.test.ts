// A signal whose acceptance is committed while PostgreSQL hangs, so that its answer is lost: it is traded in its turn, by the same
// process, as soon as the database is back, and whoever sent it is told.

import { expect, test } from 'vitest';
import { openPostgresProxy } from '../support/postgres-proxy.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startGatewayProcess } from '../support/process.ts';
import { INTERNAL_TOKEN, listAt, post, STANDBY_KEY } from '../support/standby.ts';

/** Longer than the outcome of other commits is looked for, and shorter than a lease may be late. */
const HANGS_MS = 9500;
const CLOSE = { action: 'CLOSE_LONG', quantity: 0.1 };

interface ListedTrade {
  readonly alertId: string;
  readonly status: string;
}

test.each(['carried out', 'answer lost'] as const)(
  'is traded before a later signal of its market (%s)',
  async (fate) => {
    const server = await startPostgres();
    const proxy = await openPostgresProxy(server.port);
    const env = {
      ...{ DATABASE_URL: proxy.urlOf(await server.newDatabase()), WEBHOOK_API_KEYS: STANDBY_KEY, INTERNAL_TOKEN },
      ...{ LOG_LEVEL: 'error', WEBHOOK_RATE_PER_MINUTE: '0' },
    };
    const { url } = await startGatewayProcess({ env });
    expect(await post(url, 'open')).toBe(200);

    void proxy.atNextCommit(fate, () => {
      server.pause();
      setTimeout(() => server.resume(), HANGS_MS);
    });
    const first = await post(url, 'close', CLOSE);
    // A transaction that hung before its commit may have been given up: then its sender is told so, and sends it again.
    if (first >= 500) expect([fate, await post(url, 'close', CLOSE)]).toEqual(['answer lost', 200]);
    else expect([200, 202]).toContain(first);

    expect(await post(url, 'open again')).toBe(200);
    const trades = async () =>
      (await listAt<ListedTrade>(url, '/trades'))?.map(({ alertId, status }) => `${alertId}: ${status}`).sort();
    await expect.poll(trades).toEqual(['close: Filled', 'open again: Filled', 'open: Filled']);
    const positions = await listAt<{ quantity: number }>(url, '/positions');
    expect(positions?.map(({ quantity }) => quantity)).toEqual([0.1]);
  },
);

// A venue that is away for longer than SIGNAL_MAX_AGE_S, seen through the whole gateway: what was to close a position closes
// it when the venue is back, what was to open one has expired, and the owner is told.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LIVE_VENUES, openLiveGateway } from '../support/live-gateway.ts';

test.each(LIVE_VENUES)(
  '$exchange: an exit waits for its venue, an entry expires and is told',
  async (row) => {
    const gateway = await openLiveGateway(row, { settings: { SIGNAL_MAX_AGE_S: '1' } });
    try {
      await gateway.outcome();
      expect(gateway.held()).toBe('LONG 0.01');
      gateway.emulated.faults.maintenance = true;
      const exit = await gateway.send({ action: 'CLOSE_LONG' });
      const entry = await gateway.send();
      expect([exit, entry]).toMatchObject([{ tradeResult: { status: 'Enqueued' } }, { status: 'Enqueued' }]);
      await sleep(1500);
      gateway.emulated.faults.maintenance = false;
      const statusOf = async ({ requestId }: { readonly requestId?: string }): Promise<unknown> =>
        (await gateway.ask<{ result: { status: string } }>(`/trades/${requestId}`)).result.status;
      await expect.poll(() => statusOf(exit), { timeout: 15_000 }).toBe('Filled');
      await expect.poll(() => statusOf(entry), { timeout: 15_000 }).toBe('Expired');
      expect([gateway.held(), gateway.orders()]).toEqual(['', ['BUY 0.01 FILLED', 'SELL 0.01 FILLED']]);
      const { warnings } = await gateway.ask<{ warnings: readonly string[] }>('/ready');
      expect(warnings).toContainEqual(
        expect.stringMatching(
          new RegExp(`LONG 0.01 BTCUSDT on ${row.exchange} \\(LIVE\\) has expired: the signal waited`),
        ),
      );
    } finally {
      await gateway.close();
    }
  },
  60_000,
);

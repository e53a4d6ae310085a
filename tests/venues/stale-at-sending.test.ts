// What opens something goes by fresh prices also where it was held up behind the look at them, seen through the whole gateway: by the
// closing half of a reversal, or by what the venue is asked before the order.

import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES, UNSEEN } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

const SLOW_MS = 1500;

describe.each(STOP_VENUES)('$exchange', (row) => {
  async function reversing(prices: (gateway: StopsGateway) => void) {
    const gateway = await openStopsGateway(row, { settings: { MAX_SPREAD_PERCENT: '2' } });
    await gateway.outcome();
    const { market } = gateway.emulated;
    market.fillDelayMs = SLOW_MS;
    const ended = gateway.outcome({ action: 'SHORT', quantity: 0.02 });
    await eventually(() => expect(market.orders.length).toBe(2));
    market.fillDelayMs = 0;
    prices(gateway);
    return { gateway, ended: await ended };
  }
  const HALF = /the opposite position was closed, the new one was not opened/;

  test('prices that have grown old meanwhile open nothing', async () => {
    const { gateway, ended } = await reversing(({ emulated }) =>
      emulated.market.setPrice(MARKET, { last: '50000', bid: '49999', ask: '50001', quotedAtMs: Date.now() - 60_000 }),
    );
    expect(ended).toMatchObject({ status: 'Rejected', error: expect.stringMatching(HALF) });
    expect([gateway.held(), gateway.orders()]).toEqual(['', ['BUY 0.01 FILLED', 'SELL 0.01 FILLED']]);
    expect(gateway.alarms()).toMatch(/An entry was refused: the prices of BTCUSDT/);
  });

  test('a spread that has become too wide meanwhile opens nothing', async () => {
    const { gateway, ended } = await reversing(({ emulated }) =>
      emulated.market.setPrice(MARKET, { last: '50000', bid: '40000', ask: '60000' }),
    );
    expect(ended).toMatchObject({ status: 'Rejected', error: expect.stringMatching(HALF) });
    expect(gateway.held()).toBe('');
  });

  test('an order that was held up until its prices were too old is not sent', async () => {
    const gateway = await openStopsGateway(row, { settings: { STALE_QUOTE_S: '2', QUEUE_MODE: 'async' } });
    const { market, faults } = gateway.emulated;
    faults.delay(row.leverage, SLOW_MS, 'before');
    // Fresh when it is looked at, and for half a second more.
    market.setPrice(MARKET, { last: '50000', bid: '49999', ask: '50001', quotedAtMs: Date.now() - 1500 });
    const { status, error } = await gateway.outcome({ leverage: 7 });
    expect({ status, error }).toEqual({
      status: 'Rejected',
      error: expect.stringMatching(/the prices of BTCUSDT .* s old/),
    });
    expect([gateway.orders(), faults.take({ ...row.leverage, apiKey: '' } as never)]).toEqual([[], []]);
  });

  describe('an exit of a share against that of another strategy, in two orders', () => {
    async function against(settings: Readonly<Record<string, string>>): Promise<StopsGateway> {
      const gateway = await openStopsGateway(row, { settings: { QUEUE_MODE: 'async', ...settings } });
      await gateway.outcome({ strategy: 'a', action: 'LONG', quantity: 0.01 });
      await gateway.outcome({ strategy: 'b', action: 'SHORT', quantity: 0.004 });
      expect(gateway.held()).toBe('LONG 0.006');
      return gateway;
    }

    test('goes by no prices: it is sent when its venue takes orders again, however old they are', async () => {
      const gateway = await against({ STALE_QUOTE_S: '1' });
      const { faults, market } = gateway.emulated;
      const stop = market.listen(() => {
        stop();
        faults.answerInstead(row.orders, ...UNSEEN[row.exchange], Number.POSITIVE_INFINITY);
      });
      const ended = gateway.outcome({ strategy: 'a', action: 'CLOSE_LONG', quantity: 5 });
      await eventually(() => expect(gateway.alarms()).toMatch(/cannot be reached/));
      market.setPrice(MARKET, { last: '50000', bid: '49999', ask: '50001', quotedAtMs: Date.now() - 60_000 });
      faults.clear();
      expect(await ended).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    });

    test('goes into any spread', async () => {
      const gateway = await against({ MAX_SPREAD_PERCENT: '2' });
      gateway.emulated.market.setPrice(MARKET, { last: '50000', bid: '48000', ask: '52000' });
      expect(await gateway.outcome({ strategy: 'a', action: 'CLOSE_LONG', quantity: 5 })).toMatchObject({
        ...{ status: 'Filled', executedQty: 0.01 },
      });
    });
  });

  test('prices that stay as they are open it', async () => {
    const { gateway, ended } = await reversing(() => undefined);
    expect(ended).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('SHORT 0.02');
  });
});

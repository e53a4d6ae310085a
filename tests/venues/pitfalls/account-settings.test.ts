// What the owner changes at the venue by hand, and what must be set there before an order: position mode, leverage, clock.

import { afterEach, describe, expect, test } from 'vitest';
import { BybitClient } from '../../support/emulated-venues/bybit/bybit-client.ts';
import type { BybitVenue } from '../../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../../support/emulated-venues/emulated-venue.ts';
import { MexcClient } from '../../support/emulated-venues/mexc/mexc-client.ts';
import type { MexcVenue } from '../../support/emulated-venues/mexc/mexc-venue.ts';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

type Mode = 'one-way' | 'hedge';

/** As its owner does in the venue's own app. */
const SET_MODE = {
  async binance(venue: EmulatedVenue, mode: Mode) {
    venue.market.account.positionMode = mode;
  },
  async bybit(venue: EmulatedVenue, mode: Mode) {
    const body = { category: 'linear', coin: 'USDT', mode: mode === 'hedge' ? 3 : 0 };
    await new BybitClient(venue as BybitVenue).post('/v5/position/switch-mode', body);
  },
  async mexc(venue: EmulatedVenue, mode: Mode) {
    const body = { positionMode: mode === 'hedge' ? 1 : 2 };
    await new MexcClient(venue as MexcVenue).post('position/change_position_mode', body);
  },
};

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  afterEach(() => gateway.close());

  test.each<[Mode, Mode]>([
    ['one-way', 'hedge'],
    ['hedge', 'one-way'],
  ])(
    'an account that is changed from %s to %s by hand: the next signal is traded as the account is now',
    async (from, to) => {
      gateway = await openLiveGateway(row);
      await SET_MODE[row.exchange](gateway.emulated, from);
      await gateway.restart();
      await gateway.outcome();
      await gateway.outcome({ action: 'CLOSE_LONG' });
      await SET_MODE[row.exchange](gateway.emulated, to);
      await gateway.outcome({ action: 'SHORT', quantity: 0.02 });
      await expect.poll(() => gateway.held()).toBe('SHORT 0.02');
      expect(await gateway.outcome({ action: 'CLOSE_SHORT', quantity: 5 })).toMatchObject({
        status: 'Filled',
        executedQty: 0.02,
      });
      expect(gateway.held()).toBe('');
    },
  );

  test('a leverage that is set already is no fault, and the order is sent', async () => {
    gateway = await openLiveGateway(row);
    for (let times = 0; times < 2; times += 1)
      expect(await gateway.send({ leverage: 7 })).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(gateway.emulated.market.account.settings(MARKET).leverage).toBe(7);
  });

  test('a clock that jumps is read again, and the order is sent once', async () => {
    let aheadMs = 0;
    gateway = await openLiveGateway(row, { venue: { nowMs: () => Date.now() + aheadMs } });
    await gateway.send();
    aheadMs = 90_000;
    expect(await gateway.send()).toMatchObject({ tradeResult: { status: 'Filled' } });
    aheadMs = -90_000;
    expect(await gateway.send()).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(gateway.orders()).toEqual(Array(3).fill('BUY 0.01 FILLED'));
  });
});

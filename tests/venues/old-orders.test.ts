// Orders that have rested for longer than a venue lists fills without being asked for a time: they are booked, closed and compared
// like young ones.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../support/live-gateway.ts';
import { eventually } from '../support/stops-gateway.ts';

const DAY_MS = 24 * 3_600_000;

interface Compared {
  readonly agrees: boolean;
  readonly error: string | null;
  readonly differences: readonly { readonly outcome: string; readonly detail: string }[];
}

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  /** How far the venue's clock is ahead of ours. */
  let clockAheadMs: number;

  beforeEach(async () => {
    clockAheadMs = 0;
    gateway = await openLiveGateway(row, { venue: { nowMs: () => Date.now() + clockAheadMs } });
  });
  afterEach(() => gateway.close());

  const booked = async () =>
    (await gateway.ask('/positions')).result.map(({ side, quantity }) => `${side} ${quantity}`).join();
  const bookedIs = (held: string) => eventually(async () => expect(await booked()).toBe(held));
  const trade = async (requestId: string) =>
    (await gateway.ask<{ readonly result: Readonly<Record<string, unknown>> }>(`/trades/${requestId}`)).result;
  /** As often as it takes until nothing is in flux any more. */
  const compare = async (): Promise<Compared> => {
    for (;;) {
      const { result } = await gateway.ask<{ readonly result: readonly [Compared] }>('/reconciliation', {
        method: 'POST',
        headers: { host: 'localhost' },
      });
      if (!result[0].differences.some(({ outcome }) => outcome === 'open')) return result[0];
    }
  };

  /** An entry of which 0.01 has filled; then so many days pass. */
  async function partlyFilled(days: number): Promise<string> {
    const { requestId = '' } = await gateway.send({ quantity: 0.02, price: 49000, strategy: 'trend' });
    gateway.emulated.market.setLiquidity(MARKET, '0.01');
    gateway.emulated.market.setPrice(MARKET, '48900');
    await bookedIs('LONG 0.01');
    await gateway.stop();
    clockAheadMs += days * DAY_MS;
    await gateway.restart();
    return requestId;
  }

  test('one that has filled in part is closed eight days later, and what filled on the eighth day is booked once', async () => {
    const requestId = await partlyFilled(8);
    gateway.emulated.market.setLiquidity(MARKET, '0.005');
    await bookedIs('LONG 0.015');
    expect(await compare()).toMatchObject({ agrees: true, error: null, differences: [] });
    gateway.emulated.market.setPrice(MARKET, '50000');
    gateway.emulated.market.setLiquidity(MARKET);
    const close = { action: 'CLOSE_LONG', quantity: 0.015, strategy: 'trend' };
    expect(await gateway.outcome(close)).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('');
    expect(await booked()).toBe('');
    expect(await compare()).toMatchObject({ agrees: true, error: null, differences: [] });
    expect(await trade(requestId)).toMatchObject({
      status: 'Canceled',
      executedQty: 0.015,
      fills: [{ quantity: 0.01 }, { quantity: 0.005 }],
    });
  });

  // Binance does not show such an order at all, and MEXC shows fills for as long as it shows their order.
  if (row.exchange !== 'bybit') return;
  test('one whose fills the venue shows no more is closed all the same', async () => {
    const requestId = await partlyFilled(740);
    gateway.emulated.market.setPrice(MARKET, '50000');
    gateway.emulated.market.setLiquidity(MARKET);
    expect(await gateway.outcome({ action: 'CLOSE_LONG', strategy: 'trend' })).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('');
    expect(gateway.orders()).toEqual(['BUY 0.01 CANCELED', 'SELL 0.01 FILLED']);
    expect(await compare()).toMatchObject({ agrees: true, error: null, differences: [] });
    // What was booked when it filled is not booked again, and its owner is told.
    expect(await trade(requestId)).toMatchObject({
      ...{ status: 'Canceled', executedQty: 0.01, fills: [{ quantity: 0.01 }] },
      error: expect.stringContaining('does not show every fill of an order this old any more'),
    });
  });
});

// A venue that bans this machine, through the whole gateway: neither orders nor prices are asked for until it ends. What only questions
// for prices are told holds up no order.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { FaultMatch } from '../support/emulated-venues/faults.ts';
import { LIVE_VENUES, type LiveGateway, type LiveVenueRow, openLiveGateway } from '../support/live-gateway.ts';
import { eventually } from '../support/stops-gateway.ts';

const BAN_S = 600;
/** Prices of a guarded position are looked at every second. */
const LOOKS_MS = 4_000;

const BANS: Readonly<Record<Exchange, { readonly price: FaultMatch; readonly status?: 418 | 403 }>> = {
  binance: { price: { path: '/fapi/v2/ticker/price' }, status: 418 },
  bybit: { price: { path: '/v5/market/tickers' }, status: 403 },
  // It bans nobody, and says with every answer that was too much for which kind of request.
  mexc: { price: { path: '/api/v1/contract/ticker' } },
};

describe.each(LIVE_VENUES.filter(({ exchange }) => BANS[exchange].status !== undefined))('$exchange', (row) => {
  const { price, status = 418 } = BANS[row.exchange];

  async function guarded(options: LiveVenueRow = row): Promise<LiveGateway> {
    const gateway = await openLiveGateway(options);
    closeAtEnd(() => gateway.close());
    await gateway.send({ stopLoss: 49000 });
    const path = price.path ?? '';
    await eventually(() => expect(gateway.emulated.requests.some((request) => request.path === path)).toBe(true));
    return gateway;
  }

  async function expectSilence({ emulated }: LiveGateway): Promise<void> {
    // What was on its way may still arrive.
    await wait(500);
    const before = emulated.requests.length;
    await wait(LOOKS_MS);
    expect(emulated.requests.slice(before).map(({ path }) => path)).toEqual([]);
  }

  test('a ban that an order is told of stops the questions for prices', async () => {
    const gateway = await guarded();
    gateway.emulated.faults.tooManyRequests(row.orders, status, BAN_S);
    await gateway.send({ quantity: 0.02 });
    await eventually(() => expect(gateway.emulated.requests.some((request) => request.status === status)).toBe(true));
    await expectSilence(gateway);
  });

  test.each([...new Set([status, 403] as const)])(
    'a %d to a question for prices stops those, and closes go on',
    async (refusal) => {
      const gateway = await guarded();
      gateway.emulated.faults.tooManyRequests(price, refusal, BAN_S, Number.POSITIVE_INFINITY);
      const asked = () =>
        gateway.emulated.requests.filter(({ path, status: told }) => path === price.path && told === refusal);
      await eventually(() => expect(asked()).not.toEqual([]));
      const before = asked().length;
      expect(await gateway.outcome({ action: 'CLOSE_LONG' })).toMatchObject({ status: 'Filled' });
      await wait(LOOKS_MS);
      expect([gateway.held(), asked().length - before]).toEqual(['', 0]);
    },
  );
});

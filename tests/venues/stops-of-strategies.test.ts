// Stops of several strategies in one market of an emulated venue, through the whole gateway: the venue knows one position, and the stop of
// one strategy never takes what another one holds.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { eventually, openStopsGateway, STOP_VENUES, type StopsGateway } from '../support/stops-gateway.ts';

/** Stops are looked at every second. */
const LOOKS_MS = 2_500;

interface Share {
  readonly strategy: string | null;
  readonly side: string;
  readonly quantity: number;
}

/** What each strategy holds by our books, as `trend LONG 0.01`. */
async function sharesOf(gateway: StopsGateway): Promise<readonly string[]> {
  const { result } = await gateway.ask<{ readonly result: readonly { readonly strategies: readonly Share[] }[] }>(
    '/positions',
  );
  return result
    .flatMap(({ strategies }) => strategies)
    .map(({ strategy, side, quantity }) => `${strategy} ${side} ${quantity}`)
    .toSorted();
}

async function expectHeld(gateway: StopsGateway, held: string, shares: readonly string[]): Promise<void> {
  await eventually(async () => expect([gateway.held(), await sharesOf(gateway)]).toEqual([held, shares]));
  await wait(LOOKS_MS);
  expect([gateway.held(), await sharesOf(gateway)]).toEqual([held, shares]);
}

const closes = async (gateway: StopsGateway): Promise<readonly string[]> =>
  (await gateway.trades()).filter((trade) => trade.includes('CLOSE'));

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  const two = async (first: object = {}): Promise<StopsGateway> => {
    const gateway = await openStopsGateway(row);
    await gateway.outcome({ strategy: 'trend', stopLoss: 49000, ...first });
    await gateway.outcome({ strategy: 'range', quantity: 0.02, stopLoss: 48000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.02 at 48000');
    return gateway;
  };

  test('each has a stop of its own, and it closes its own share', async () => {
    const gateway = await two();
    gateway.trade(48990);
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
    expect(await closes(gateway)).toEqual(['stop-loss CLOSE_LONG 0.01 Filled trend']);
    gateway.trade(47990);
    await expectHeld(gateway, '', []);
    await gateway.expectStops();
    expect(await closes(gateway)).toEqual([
      'stop-loss CLOSE_LONG 0.01 Filled trend',
      'stop-loss CLOSE_LONG 0.02 Filled range',
    ]);
  });

  test('also while we are down', async () => {
    const gateway = await two();
    await gateway.stop();
    gateway.trade(48990);
    gateway.trade(50000);
    await gateway.restart();
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
    expect(await closes(gateway)).toEqual(['stop-loss CLOSE_LONG 0.01 Filled trend']);
  });

  test('the exit of one takes its stop along and leaves the other’s', async () => {
    const gateway = await two();
    await gateway.outcome({ strategy: 'trend', action: 'CLOSE_LONG', quantity: 5 });
    await gateway.expectStops('SELL 0.02 at 48000');
    gateway.trade(48990);
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
  });

  test('the exit of one whose stop acts at that moment leaves the other’s share', async () => {
    const gateway = await two();
    gateway.trade(48990);
    await gateway.outcome({ strategy: 'trend', action: 'CLOSE_LONG', quantity: 5 });
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
  });

  test('a take profit waits here while another strategy holds something, and closes its own share', async () => {
    const gateway = await two({ takeProfit: 51000 });
    gateway.trade(51010);
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
    expect(await closes(gateway)).toEqual(['take-profit CLOSE_LONG 0.01 Filled trend']);
  });

  test('a strategy that holds the other way is not closed by the stop of the larger one', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.outcome({ strategy: 'trend', quantity: 0.03, stopLoss: 49000 });
    await gateway.outcome({ strategy: 'range', action: 'SHORT', quantity: 0.01, stopLoss: 51000 });
    await eventually(() => expect(gateway.held()).toBe('LONG 0.02'));
    await gateway.expectStops('SELL 0.02 at 49000');
    gateway.trade(48990);
    await expectHeld(gateway, 'SHORT 0.01', ['range SHORT 0.01']);
    await gateway.expectStops('BUY 0.01 at 51000');
    gateway.trade(51010);
    await expectHeld(gateway, '', []);
    await gateway.expectStops();
  });

  test('on a hedge account each side has its own, and the other side stays', async () => {
    const gateway = await openStopsGateway(row, { isHedge: true });
    await gateway.outcome({ stopLoss: 49000, takeProfit: 52000 });
    await gateway.outcome({ action: 'SHORT', quantity: 0.02, stopLoss: 51000, takeProfit: 48000 });
    const ofShort = ['BUY 0.02 at 48000', 'BUY 0.02 at 51000'];
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 52000', ...ofShort);
    gateway.trade(48990);
    await eventually(() => expect(gateway.held()).toBe('SHORT 0.02'));
    await gateway.expectStops(...ofShort);
    await gateway.restart();
    gateway.trade(51010);
    await eventually(() => expect(gateway.held()).toBe(''));
    await gateway.expectStops();
    expect(await closes(gateway)).toEqual(['stop-loss CLOSE_LONG 0.01 Filled', 'stop-loss CLOSE_SHORT 0.02 Filled']);
    expect(gateway.emulated.market.account.heldPositions(MARKET)).toEqual([]);
  });
});

// Stops of several strategies in one market of an emulated venue, through the whole gateway: the venue knows one position, and the stop of
// one strategy never takes what another one holds.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import type { FaultMatch } from '../support/emulated-venues/faults.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

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

const FOR_GOOD = Number.POSITIVE_INFINITY;
const EVERYTHING: FaultMatch = {};
const TOO_MANY: Readonly<Record<Exchange, object>> = {
  binance: { code: -4045, msg: 'Reach max stop order limit.' },
  bybit: { retCode: 110079, retMsg: 'The number of conditional orders exceeds the limit', result: {} },
  mexc: { success: false, code: 2036, message: 'Maximum order quantity limit' },
};

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  /** From the moment at which the venue has taken a stop back, it does not hear these any more. */
  const fallsSilent = ({ emulated: { faults } }: StopsGateway, ...silent: readonly FaultMatch[]): void =>
    faults.changeAnswer(row.cancels, (text) => {
      for (const match of silent) faults.dropBefore(match, FOR_GOOD);
      return text;
    });
  const closeTrend = (gateway: StopsGateway) => gateway.send({ strategy: 'trend', action: 'CLOSE_LONG', quantity: 5 });
  const expectNamed = (gateway: StopsGateway) =>
    eventually(() => expect(gateway.alarms()).toMatch(/LONG of strategy "trend" .* has no stop at the venue since/));
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

  test('the exit of one that waits after its stop was taken away has it back, also after a restart', async () => {
    const gateway = await two();
    // One venue takes stops and orders at the same address.
    fallsSilent(gateway, row.positions, ...(row.orders.path === row.stops.path ? [] : [row.orders]));
    await closeTrend(gateway);
    await eventually(() => expect(gateway.everTaken()).toBe(3));
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.02 at 48000');
    await gateway.restart();
    await wait(LOOKS_MS);
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.02 at 48000');
    expect([gateway.held(), gateway.everTaken()]).toEqual(['LONG 0.03', 3]);
    gateway.emulated.faults.clear();
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
    expect(gateway.alarms()).not.toContain('has no stop');
  });

  test('the exit of one that waits where the venue falls silent after it took its stop away raises an alarm', async () => {
    const gateway = await two();
    fallsSilent(gateway, EVERYTHING);
    await closeTrend(gateway);
    await expectNamed(gateway);
    expect([gateway.held(), gateway.stops()]).toEqual(['LONG 0.03', ['SELL 0.02 at 48000']]);
    gateway.emulated.faults.clear();
    await expectHeld(gateway, 'LONG 0.02', ['range LONG 0.02']);
    await gateway.expectStops('SELL 0.02 at 48000');
    await eventually(() => expect(gateway.alarms()).not.toContain('has no stop'));
  });

  test.each<[string, boolean, (gateway: StopsGateway) => void]>([
    [
      'is refused',
      true,
      ({ emulated: { faults } }) => faults.answerInstead(row.stops, 400, TOO_MANY[row.exchange], FOR_GOOD),
    ],
    ['has no answer', false, ({ emulated: { faults } }) => faults.dropAnswerAfterAccept(row.stops)],
    ['and all after it are not heard', true, (gateway) => fallsSilent(gateway, EVERYTHING)],
  ])('a trail that is moved where the order of the new stop %s', async (_, isNaked, plan) => {
    const gateway = await two({ stopLoss: undefined, trailPercent: 2 });
    plan(gateway);
    // Prices that were said before somebody listened are not said again.
    await eventually(() => {
      gateway.trade(52000);
      expect(gateway.stops()).not.toContain('SELL 0.01 at 49000');
    });
    if (isNaked) {
      await expectNamed(gateway);
      expect(gateway.stops()).toEqual(['SELL 0.02 at 48000']);
      gateway.emulated.faults.clear();
    }
    await gateway.expectStops('SELL 0.01 at 50960', 'SELL 0.02 at 48000');
    await eventually(() => expect(gateway.alarms()).not.toContain('has no stop'));
    gateway.trade(50950);
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

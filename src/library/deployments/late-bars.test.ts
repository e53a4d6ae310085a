// Bars that come late from the venue of a testnet or live account: nothing is opened on them, exits act, and an alarm stands.

import { afterEach, describe, expect, test } from 'vitest';
import type { TestSetup } from './testing/open-test-setup.ts';
import { deployOrders, type OrderingOptions, type OrderingStrategy } from './testing/ordering-strategy.ts';

const GRACE_MS = 60_000;
/** An order that is never reached has the script look at every tick. */
const RESTING: OrderingOptions = { lines: () => 'strategy.order("far", strategy.long, 1, limit = 1)\n' };
const AT_CLOSE: OrderingOptions = { ...RESTING, declared: ', process_orders_on_close = true' };

let strategy: OrderingStrategy;
let setup: TestSetup;
afterEach(() => setup.close());

async function deployed(orders: readonly number[], options: OrderingOptions): Promise<void> {
  strategy = await deployOrders(orders, options);
  ({ setup } = strategy);
}
const moves = () => strategy.orders().map(({ action, contracts }) => `${action} ${contracts}`);
const lateAlarms = () => strategy.raised.filter((text) => /come late|late bars/.test(text));

/** Each bar of the market ends so long ago when it is told, at the market's pace. */
async function liveLate(ms: number, bars = 1): Promise<void> {
  for (let bar = 0; bar < bars; bar += 1) {
    await setup.clock.advance(
      Math.max(0, setup.market.formingMs + setup.market.timeframeMs + ms - setup.clock.nowMs()),
    );
    setup.market.closeBar();
    await setup.clock.advance(1000);
    await strategy.tick();
  }
}

describe.each([
  ['at their close', AT_CLOSE],
  ['at the open of the next bar', RESTING],
])('orders %s', (_, declared) => {
  test('open nothing at a real account while bars come late, and act again when they come on time', async () => {
    await deployed([0, 0, 1, 2, 0, 4, 0], { ...declared, isReal: true });
    await strategy.live(2);
    await liveLate(GRACE_MS + 1000, 2);
    expect(moves()).toEqual([]);
    expect(new Set(lateAlarms())).toEqual(
      new Set([expect.stringMatching(/^The bars of BTCUSDT come late from binance, more than 60 s/)]),
    );
    expect((await setup.logs(strategy.id)).join('\n')).toContain('its bars came late');
    await strategy.live(3);
    expect(moves()).toEqual(['buy 4']);
    expect(lateAlarms().at(-1)).toMatch(/^over: late bars of binance BTCUSDT/);
  });

  test('open nothing at a real account when the first bars after a start come late', async () => {
    await deployed([1, 2, 0], { ...declared, isReal: true });
    await liveLate(GRACE_MS + 1000, 2);
    expect(moves()).toEqual([]);
  });

  test('leave at a real account also while bars come late', async () => {
    await deployed([3, 0, -3, 0, 0], { ...declared, isReal: true });
    await strategy.live(2);
    expect(moves()).toEqual(['buy 3']);
    await liveLate(GRACE_MS + 1000, 3);
    expect(moves()).toEqual(['buy 3', 'sell 3']);
  });

  test('act at a real account when bars come within the grace', async () => {
    await deployed([0, 0, 1, 0, 0], { ...declared, isReal: true });
    await strategy.live(2);
    await liveLate(GRACE_MS - 5000, 2);
    expect(moves()).toEqual(['buy 1']);
    expect(lateAlarms()).toEqual([]);
  });

  test('act on paper at the pace of the market, since there the clock may be wrong', async () => {
    await deployed([0, 0, 1, 0, 0], declared);
    await strategy.live(2);
    await liveLate(GRACE_MS + 1000, 2);
    expect(moves()).toEqual(['buy 1']);
    expect(lateAlarms()).toEqual([]);
  });
});

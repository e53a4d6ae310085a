// A strategy that left its position while its deployment was paused, failed or ended with an error: it is closed late, once.

import { afterEach, describe, expect, test } from 'vitest';
import type { Stopped } from '../script-runner.ts';
import { createDeploymentOperator } from './operator.ts';
import { ANN, type TestSetup } from './testing/open-test-setup.ts';
import { deployOrders, HOUR_MS, type OrderingOptions, type OrderingStrategy } from './testing/ordering-strategy.ts';

const TIMEOUT: Stopped = { kind: 'timeout', reason: 'stopped after 10 s' };

let strategy: OrderingStrategy;
let setup: TestSetup;
let id: string;
let stopped: Stopped | undefined;
afterEach(() => setup.close());

/** Two bars long 1 by its first order, unless a test says otherwise. */
async function holding(orders: readonly number[], options: OrderingOptions = {}): Promise<void> {
  stopped = undefined;
  strategy = await deployOrders(orders, { ...options, hold: async () => stopped });
  ({ setup, id } = strategy);
  await strategy.live(2);
  expect(moves()).toEqual([['buy', 1, 0, 1]]);
}

const moves = () => strategy.orders().map(({ action, contracts, before, after }) => [action, contracts, before, after]);
const linesOf = async (kind: string): Promise<string[]> =>
  (await setup.logs(id)).filter((line) => line.startsWith(`${kind}: `));
const resume = async (): Promise<void> => {
  expect(await setup.deployments.resume(ANN, id)).toMatchObject({ deployment: { state: 'running' } });
  await setup.clock.advance(2000);
};

describe('after a pause', () => {
  test('what the script left meanwhile is closed at once, and what it entered meanwhile is not opened', async () => {
    await holding([1, 0, -1, 2]);
    await setup.deployments.pause(ANN, id);
    await strategy.live(4);
    expect(moves()).toHaveLength(1);
    await resume();
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
    expect((await linesOf('order')).at(-1)).toContain('It is late: the deployment did not run.');
    expect(await linesOf('missed')).toEqual([
      expect.stringContaining('4 bars were missed and will not act: the deployment did not run'),
      expect.stringContaining('o3: buy 2 at 100 was missed'),
    ]);
    expect((await linesOf('resumed'))[0]).toContain('of bars that closed meanwhile only exits act');
    await strategy.live(2);
    expect(moves()).toHaveLength(2);
  });

  test('not even an entry of the bar that has just closed acts, and the next one does', async () => {
    await holding([1, 0, -1, 3, 2], { declared: ', process_orders_on_close = true' });
    await strategy.live(1);
    await setup.deployments.pause(ANN, id);
    await setup.closeBar();
    await resume();
    await strategy.tick();
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
    await strategy.live(1);
    expect(moves().slice(2)).toEqual([['buy', 2, 3, 5]]);
  });

  test('that the operator ended while nothing ran, it is closed after the start', async () => {
    await holding([1, 0, -1]);
    await setup.deployments.pause(ANN, id);
    await strategy.live(3);
    const nowMs = () => setup.clock.nowMs();
    const operator = createDeploymentOperator({ store: setup.store, opinions: {} as never, nowMs });
    expect(await operator.resume(id)).toMatchObject({ state: 'running' });
    await strategy.away(0);
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
  });

  test('what the script still holds stays', async () => {
    await holding([1]);
    await setup.deployments.pause(ANN, id);
    await strategy.live(3);
    await resume();
    expect(moves()).toHaveLength(1);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 1, toldPosition: 1 });
  });
});

describe('after bars that ended with an error', () => {
  test('a deployment that failed closes what the script has left when it is resumed', async () => {
    await holding([1, 0, -1]);
    stopped = TIMEOUT;
    await strategy.live(10);
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'failed' });
    stopped = undefined;
    await strategy.live(2);
    await resume();
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
    expect((await linesOf('order')).at(-1)).toContain('the script has left it on a bar that was not told');
    await strategy.away(2);
    expect(moves()).toHaveLength(2);
  });

  test.each([
    ['all of it', [1, 0, -1], ['sell', 1, 1, 0]],
    ['what it turned round', [1, 0, -3], ['sell', 1, 1, 0]],
  ])('the next bar closes %s', async (_, orders, closed) => {
    await holding(orders);
    await setup.closeBar();
    stopped = TIMEOUT;
    await strategy.tick();
    await setup.closeBar();
    stopped = undefined;
    expect(moves()).toHaveLength(1);
    await strategy.live(2);
    expect(moves().slice(1)).toEqual([closed]);
  });

  test('what the script left with disable_alert is left to its owner', async () => {
    const quiet = (firstMs: number) =>
      `if time == ${firstMs + 2 * HOUR_MS}\n    strategy.order("x", strategy.short, 1, disable_alert = true)\n`;
    await holding([1], { lines: quiet });
    await strategy.live(2);
    stopped = TIMEOUT;
    await strategy.live(1);
    stopped = undefined;
    await strategy.live(2);
    expect(moves()).toHaveLength(1);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 0, toldPosition: 0 });
  });
});

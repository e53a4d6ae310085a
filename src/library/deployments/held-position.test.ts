// A deployment that stops running while it holds a position: pausing, removing and failing say what is left, and how to close it.

import { afterEach, describe, expect, test } from 'vitest';
import type { Deployment } from './deployment.ts';
import { heldBy } from './held-position.ts';
import { createDeploymentOperator } from './operator.ts';
import { ANN, HOOK } from './testing/open-test-setup.ts';
import { deployOrders, HOUR_MS, type OrderingOptions, type OrderingStrategy } from './testing/ordering-strategy.ts';

let strategy: OrderingStrategy;
let held: number;
afterEach(() => strategy.setup.close());

/** Long 2, and the books of the gateway agree. */
async function holding(options: OrderingOptions = {}): Promise<OrderingStrategy> {
  held = 0;
  strategy = await deployOrders([2], { held: () => held, ...options });
  await strategy.live();
  held = 2;
  return strategy;
}

const NAME = 'deployment deployment-1';
const CLOSING = `signalbox signal --exchange binance --action CLOSE_LONG --symbol BTCUSDT --quantity 2 --strategy '${NAME}'`;
const SHARES = [{ strategy: NAME, account: 'binance:main', quantity: 2 }];

describe('a deployment that holds a position', () => {
  test('says so when it is paused, each time, with the command that closes it', async () => {
    const { setup, id } = await holding();
    for (let turn = 0; turn < 2; turn += 1) {
      const outcome = await setup.deployments.pause(ANN, id);
      expect(outcome).toMatchObject({ kind: 'found', deployment: { state: 'paused' }, held: { shares: SHARES } });
      const note = outcome.kind === 'found' ? outcome.held.note : null;
      expect(note).toContain(
        `It still holds long 2 BTCUSDT (strategy "${NAME}", on binance:main): nothing closes it now`,
      );
      expect(note).toContain(CLOSING);
    }
  });

  test('is removed only when its position is kept or closed', async () => {
    const { setup, id } = await holding();
    const refused = await setup.deployments.remove(ANN, id);
    expect(refused).toMatchObject({ kind: 'holds', reason: expect.stringContaining(CLOSING) });
    expect(refused).toMatchObject({ reason: expect.stringContaining('keep=true') });
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'running' });
    expect(await setup.deployments.remove(ANN, id, true)).toMatchObject({ kind: 'removed', held: { shares: SHARES } });
    expect(await setup.store.read(ANN, id)).toBeUndefined();
  });

  test('is removed without a word once its book is flat, whatever the script believes', async () => {
    const { setup, id } = await holding();
    held = 0;
    expect(await setup.deployments.remove(ANN, id)).toEqual({ kind: 'removed', held: { shares: [], note: null } });
  });

  test('says the same to the operator, also where no books can be read: then its signals count', async () => {
    const { setup, id } = await holding();
    const parts = { store: setup.store, opinions: {} as never, nowMs: setup.clock.nowMs };
    const failing = { held: () => Promise.reject(new Error('the gateway is away')) };
    for (const books of [undefined, failing]) {
      const operator = createDeploymentOperator({ ...parts, books });
      const share = { strategy: NAME, account: null, quantity: 2 };
      expect(await operator.pause(id)).toMatchObject({ held: { shares: [share] } });
      const refused = await operator.remove(id);
      expect(refused).toMatchObject({ kind: 'holds', reason: expect.stringContaining('as the books cannot be read') });
      expect(refused).toMatchObject({ reason: expect.stringContaining(CLOSING) });
    }
    expect(await createDeploymentOperator(parts).remove(id, true)).toMatchObject({ deployment: { id } });
    expect(await createDeploymentOperator(parts).remove(id, true)).toBeUndefined();
  });

  test('says nothing in a dry run, without a trade target, and of an indicator', async () => {
    const { setup, id } = await holding();
    const deployment = (await setup.store.read(ANN, id)) as Deployment;
    const books = { held: async () => [{ account: 'binance:main', quantity: 2 }] };
    const others: Partial<Deployment>[] = [{ mode: 'dry-run' }, { targets: [HOOK] }, { scriptType: 'indicator' }];
    for (const other of others)
      for (const each of [books, undefined])
        expect(await heldBy(each, { ...deployment, ...other })).toEqual({ shares: [], note: null });
  });

  test('names accounts, sides and strategies so that the command can be pasted, whatever a strategy is called', async () => {
    const { setup, id } = await holding();
    const deployment = (await setup.store.read(ANN, id)) as Deployment;
    const target = { type: 'trade', keyId: 'k', keyLabel: 'l', exchange: 'bybit', strategy: "a'$(b)" } as const;
    const asked: object[] = [];
    const books = {
      held: async (of: object) => {
        asked.push(of);
        return [{ account: 'bybit:scalp', quantity: -0.1 }];
      },
    };
    const { note } = await heldBy(books, { ...deployment, targets: [target] });
    expect(asked).toEqual([{ strategy: "a'$(b)", market: 'BTCUSDT' }]);
    expect(note).toContain('short 0.1 BTCUSDT');
    expect(note).toContain(
      `--exchange bybit --account scalp --action CLOSE_SHORT --symbol BTCUSDT --quantity 0.1 --strategy 'a'\\''$(b)'`,
    );
  });
});

describe('a deployment that fails', () => {
  const failing = (firstMs: number): string => `if time > ${firstMs + HOUR_MS}\n    runtime.error("boom")\n`;
  const alarms = (): string[] => strategy.raised.filter((text) => text.includes('nobody runs its exits'));

  test('with a position open raises an alarm that says what is held, once, and again after a start', async () => {
    const { setup, id } = await holding({ lines: failing });
    await strategy.live(11);
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'failed' });
    await setup.clock.advance(120_000);
    expect(alarms().at(-1)).toContain('It still holds long 2 BTCUSDT');
    expect(alarms().at(-1)).toContain(CLOSING);
    expect(new Set(alarms()).size).toBe(1);
    strategy.raised.length = 0;
    await strategy.away(1);
    await setup.clock.advance(60_000);
    expect(alarms()).not.toEqual([]);
    held = 0;
    await setup.clock.advance(60_000);
    expect(strategy.raised.at(-1)).toBe(`over: failed deployment ${id}`);
  });

  test('without a position raises none', async () => {
    const { setup, id } = await holding({ lines: failing });
    held = 0;
    await strategy.live(11);
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'failed' });
    await setup.clock.advance(120_000);
    expect(alarms()).toEqual([]);
  });

  test.each(['resume', 'remove'] as const)('and is followed by a %s raises it no longer', async (change) => {
    const { setup, id } = await holding({ lines: failing });
    await strategy.live(11);
    await setup.clock.advance(60_000);
    expect(alarms()).not.toEqual([]);
    await setup.deployments[change](ANN, id, true);
    await setup.clock.advance(60_000);
    expect(strategy.raised).toContain(`over: failed deployment ${id}`);
  });
});

describe('a deployment whose key has ended', () => {
  test('with a position open says so in its log and as an alarm, until it is closed', async () => {
    const { setup, id } = await holding({ isOwned: true });
    setup.isOwned = () => false;
    await setup.clock.advance(7000);
    const paused = (await setup.logs(id)).filter((line) => line.startsWith('paused: '));
    expect(paused).toEqual([
      expect.stringContaining('It is paused while it holds long 2; close it by hand or resume it.'),
    ]);
    expect(strategy.raised.at(-1)).toContain('is paused while it holds a position, and nobody runs its exits');
    expect(strategy.raised.at(-1)).toContain('It still holds long 2 BTCUSDT');
    expect(strategy.raised.at(-1)).toContain(CLOSING);
    held = 0;
    await setup.clock.advance(60_000);
    expect(strategy.raised.at(-1)).toBe(`over: paused deployment ${id}`);
  });

  test('without a position says nothing of one', async () => {
    const { setup, id } = await holding({ isOwned: true, target: HOOK });
    held = 0;
    setup.isOwned = () => false;
    await setup.clock.advance(60_000);
    expect((await setup.logs(id)).find((line) => line.startsWith('paused: '))).not.toContain('holds');
    expect(strategy.raised).toEqual([]);
  });
});

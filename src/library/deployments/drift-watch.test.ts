// Drift of a strategy that does not run: what is closed by hand meanwhile is told, and no alarm of drift stands for it.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Stopped } from '../script-runner.ts';
import { ANN, type TestSetup } from './testing/open-test-setup.ts';
import { deployOrders, type OrderingStrategy } from './testing/ordering-strategy.ts';

/** Two looks, each half a minute after the one before. */
const TWO_LOOKS_MS = 70_000;

let strategy: OrderingStrategy;
let setup: TestSetup;
let id: string;
/** What the books of the gateway hold. */
let held: number;
let stopped: Stopped | undefined;
beforeEach(async () => {
  [held, stopped] = [0, undefined];
  strategy = await deployOrders([2], { held: () => held, hold: async () => stopped });
  ({ setup, id } = strategy);
  await strategy.live();
});
afterEach(() => setup.close());

const driftAfter = async (holds: number): Promise<string | null | undefined> => {
  held = holds;
  await setup.clock.advance(TWO_LOOKS_MS);
  const found = await setup.store.read(ANN, id);
  expect(found?.position).toBe(2);
  return found?.drift;
};
const alarms = (): string[] => strategy.raised.filter((text) => text.includes('drifts.'));
const ends = (): string[] => strategy.raised.filter((text) => text === `over: drift of deployment ${id}`);
const flat = (when: string): string =>
  `The script was long 2 when it ${when}, the strategy "deployment ${id}" is flat on every account. Nothing of it is held any more: it was closed by hand or by a stop`;

test('of one that is paused says that its position was closed by hand, once, and raises no alarm', async () => {
  expect(await driftAfter(2)).toBeNull();
  await setup.deployments.pause(ANN, id);
  expect(await driftAfter(2)).toBeNull();
  expect(await driftAfter(0)).toContain(flat('was paused'));
  expect(await driftAfter(0)).toContain(flat('was paused'));
  const lines = (await setup.logs(id)).filter((line) => line.startsWith('drift'));
  expect([lines, alarms()]).toEqual([[expect.stringContaining(flat('was paused'))], []]);
});

test('of one that is paused says what is left of a part, and is told as any drift once it is resumed', async () => {
  await driftAfter(2);
  await setup.deployments.pause(ANN, id);
  const words = `The script was long 2 when it was paused, the strategy "deployment ${id}" is long 1 on binance:main. Close or open`;
  expect(await driftAfter(1)).toContain(words);
  await setup.deployments.resume(ANN, id);
  const running = `The script is long 2, the strategy "deployment ${id}" is long 1 on binance:main.`;
  expect(await driftAfter(1)).toContain(running);
  expect(alarms()).toEqual([expect.stringContaining(running)]);
});

test('of one that has failed says the same', async () => {
  await driftAfter(2);
  stopped = { kind: 'timeout', reason: 'stopped after 10 s' };
  await strategy.live(10);
  expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'failed' });
  expect(await driftAfter(0)).toContain(flat('failed'));
  expect(alarms()).toEqual([]);
});

test('has an alarm that a pause ends, and so does a removal', async () => {
  expect(await driftAfter(0)).toContain('The script is long 2');
  expect(alarms()).toHaveLength(1);
  const before = ends().length;
  await setup.deployments.pause(ANN, id);
  await driftAfter(0);
  expect(ends().length).toBe(before + 1);
  await setup.deployments.resume(ANN, id);
  await driftAfter(0);
  expect(alarms()).toHaveLength(2);
  await setup.deployments.remove(ANN, id, true);
  await setup.clock.advance(TWO_LOOKS_MS);
  expect(ends().length).toBe(before + 2);
});

// Deployments whose key is revoked or has expired: paused within a second, with the reason, and nothing of theirs leaves.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_OWNER } from './owner-watch.ts';
import { barAt } from './testing/hand-market.ts';
import { isAlerting } from './testing/hand-runner.ts';
import { ANN, openTestSetup, type TestSetup } from './testing/open-test-setup.ts';

let setup: TestSetup;
beforeEach(async () => {
  setup = openTestSetup();
  await setup.deployments.start();
});
afterEach(() => setup.close());

const stateOf = async (id: string) => {
  const { state, lastError } = (await setup.store.read(ANN, id))!;
  return [state, lastError];
};

/** Stops before a bar on which the script alerts. */
async function untilAlerting(): Promise<void> {
  while (!isAlerting(barAt(setup.market.formingMs).close)) await setup.closeBar();
}

describe('a key that opens nothing any more', () => {
  test('pauses every deployment of its library within a second, with the reason, and no bar runs', async () => {
    const [first, second] = [await setup.deploy(), await setup.deploy()];
    setup.isOwned = () => false;
    await setup.clock.advance(1000);
    for (const { id } of [first, second]) {
      expect(await stateOf(id)).toEqual(['paused', NO_OWNER]);
      // As it must be typed.
      expect(NO_OWNER).toContain('signalbox keys renew --scripts --user <user id>');
      expect((await setup.logs(id)).at(-1)).toBe(`paused: Paused. ${NO_OWNER}`);
    }
    expect(setup.warnings.filter((line) => line.includes('revoked'))).toHaveLength(2);
    const { length } = setup.runner.requests;
    for (let bars = 0; bars < 20; bars += 1) await setup.closeBar();
    expect([setup.runner.requests.length, setup.events(), setup.arrived]).toEqual([length, [], []]);
    expect(setup.market.followers).toBe(0);
  });

  test('sends nothing that was still on its way', async () => {
    await untilAlerting();
    const { id } = await setup.deploy();
    setup.onDeliver = () => {
      // The first try fails, and before the second one the key is revoked.
      setup.isOwned = () => false;
      throw new Error('not now');
    };
    await setup.closeBar();
    setup.onDeliver = undefined;
    await setup.clock.advance(60_000);
    expect(setup.arrived).toEqual([]);
    expect(await setup.logs(id)).toContain('abandoned: webhook: not sent, because its key is revoked or has expired');
  });

  test('is noticed at the start, before anything runs or leaves', async () => {
    const { id } = await setup.deploy();
    setup.die();
    setup.isOwned = () => false;
    await setup.pass(300_000);
    await setup.rise();
    expect(await stateOf(id)).toEqual(['paused', NO_OWNER]);
    expect(setup.market.followers).toBe(0);
  });

  test('can resume nothing; a new key of the library can, and nothing is sent twice', async () => {
    const { id } = await setup.deploy();
    setup.isOwned = () => false;
    await setup.clock.advance(1000);
    expect(await setup.deployments.resume(ANN, id)).toEqual({ kind: 'no-owner', reason: NO_OWNER });
    setup.isOwned = () => true;
    expect(await setup.deployments.resume(ANN, id)).toMatchObject({ deployment: { state: 'running' } });
    await untilAlerting();
    await setup.closeBar();
    await setup.clock.advance(5000);
    const ids = setup.arrived.map(({ event }) => event.id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('other libraries go on', async () => {
  const mine = await setup.deploy();
  await setup.store.create({ ...mine, id: 'other', userId: 'b'.repeat(32) }, 'alert', {
    atMs: 1,
    kind: 'created',
    message: '',
  });
  setup.isOwned = (userId) => userId === ANN;
  await setup.clock.advance(1000);
  expect(await stateOf(mine.id)).toEqual(['running', null]);
  expect((await setup.store.read('b'.repeat(32), 'other'))?.state).toBe('paused');
});

test('a key store that does not answer pauses nothing, and holds every alert back until it does', async () => {
  await untilAlerting();
  const { id } = await setup.deploy();
  setup.isOwned = () => {
    throw new Error('Redis is lost');
  };
  await setup.closeBar();
  await setup.clock.advance(3000);
  expect([(await stateOf(id))[0], setup.arrived]).toEqual(['running', []]);
  setup.isOwned = () => true;
  await setup.clock.advance(60_000);
  expect(setup.arrived).toHaveLength(setup.events().length);
  expect(setup.arrived.length).toBeGreaterThan(0);
});

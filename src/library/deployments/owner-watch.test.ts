// Deployments whose key is revoked or has expired: paused within a second, with the reason, and nothing of theirs leaves.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_OWNER } from './owner-watch.ts';
import { barAt } from './testing/hand-market.ts';
import { isAlerting } from './testing/hand-runner.ts';
import { ANN, openTestDesk, type TestDesk } from './testing/open-test-desk.ts';

let desk: TestDesk;
beforeEach(async () => {
  desk = openTestDesk();
  await desk.deployments.start();
});
afterEach(() => desk.close());

const stateOf = async (id: string) => {
  const { state, lastError } = (await desk.store.read(ANN, id))!;
  return [state, lastError];
};

/** Stops before a bar on which the script alerts. */
async function untilAlerting(): Promise<void> {
  while (!isAlerting(barAt(desk.market.formingMs).close)) await desk.closeBar();
}

describe('a key that opens nothing any more', () => {
  test('pauses every deployment of its library within a second, with the reason, and no bar runs', async () => {
    const [first, second] = [await desk.deploy(), await desk.deploy()];
    desk.isOwned = () => false;
    await desk.clock.advance(1000);
    for (const { id } of [first, second]) {
      expect(await stateOf(id)).toEqual(['paused', NO_OWNER]);
      // As it must be typed.
      expect(NO_OWNER).toContain('signalbox keys renew --scripts --user <user id>');
      expect((await desk.logs(id)).at(-1)).toBe(`paused: Paused. ${NO_OWNER}`);
    }
    expect(desk.warnings.filter((line) => line.includes('revoked'))).toHaveLength(2);
    const { length } = desk.runner.requests;
    for (let bars = 0; bars < 20; bars += 1) await desk.closeBar();
    expect([desk.runner.requests.length, desk.events(), desk.arrived]).toEqual([length, [], []]);
    expect(desk.market.followers).toBe(0);
  });

  test('sends nothing that was still on its way', async () => {
    await untilAlerting();
    const { id } = await desk.deploy();
    desk.onDeliver = () => {
      // The first try fails, and before the second one the key is revoked.
      desk.isOwned = () => false;
      throw new Error('not now');
    };
    await desk.closeBar();
    desk.onDeliver = undefined;
    await desk.clock.advance(60_000);
    expect(desk.arrived).toEqual([]);
    expect(await desk.logs(id)).toContain('abandoned: webhook: not sent, because its key is revoked or has expired');
  });

  test('is noticed at the start, before anything runs or leaves', async () => {
    const { id } = await desk.deploy();
    desk.die();
    desk.isOwned = () => false;
    await desk.pass(300_000);
    await desk.rise();
    expect(await stateOf(id)).toEqual(['paused', NO_OWNER]);
    expect(desk.market.followers).toBe(0);
  });

  test('can resume nothing; a new key of the library can, and nothing is sent twice', async () => {
    const { id } = await desk.deploy();
    desk.isOwned = () => false;
    await desk.clock.advance(1000);
    expect(await desk.deployments.resume(ANN, id)).toEqual({ kind: 'no-owner', reason: NO_OWNER });
    desk.isOwned = () => true;
    expect(await desk.deployments.resume(ANN, id)).toMatchObject({ deployment: { state: 'running' } });
    await untilAlerting();
    await desk.closeBar();
    await desk.clock.advance(5000);
    const ids = desk.arrived.map(({ event }) => event.id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('other libraries go on', async () => {
  const mine = await desk.deploy();
  await desk.store.create({ ...mine, id: 'other', userId: 'b'.repeat(32) }, 'alert', {
    atMs: 1,
    kind: 'created',
    message: '',
  });
  desk.isOwned = (userId) => userId === ANN;
  await desk.clock.advance(1000);
  expect(await stateOf(mine.id)).toEqual(['running', null]);
  expect((await desk.store.read('b'.repeat(32), 'other'))?.state).toBe('paused');
});

test('a key store that does not answer pauses nothing, and holds every alert back until it does', async () => {
  await untilAlerting();
  const { id } = await desk.deploy();
  desk.isOwned = () => {
    throw new Error('Redis is lost');
  };
  await desk.closeBar();
  await desk.clock.advance(3000);
  expect([(await stateOf(id))[0], desk.arrived]).toEqual(['running', []]);
  desk.isOwned = () => true;
  await desk.clock.advance(60_000);
  expect(desk.arrived).toHaveLength(desk.events().length);
  expect(desk.arrived.length).toBeGreaterThan(0);
});

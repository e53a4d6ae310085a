// Whose turn it is: what trades first, then owners by the time they used, then their deployments in turn; and nobody for ever.

import { describe, expect, test } from 'vitest';
import { FairQueue, type Member } from './fair-queue.ts';
import { createHandClock, settled } from './testing/hand-clock.ts';

interface Begun {
  readonly id: string;
  end(againMs?: number): Promise<void>;
}

function openQueue(places = { quick: 2, slow: 2 }) {
  const clock = createHandClock(0);
  const slow = new Set<string>();
  const usedMs = new Map<string, number>();
  const begun: Begun[] = [];
  const paces = {
    isQuick: ({ id }: Member) => !slow.has(id),
    usedMs: (userId: string) => usedMs.get(userId) ?? 0,
  };
  const queue = new FairQueue({ places, maxWaiting: 100, timers: clock, paces });
  const add = (userId: string, id: string, isTrading = false): void =>
    queue.add({ id, userId, timeframeMs: 60_000, isTrading }, () => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const end = async (againMs?: number): Promise<void> => {
        resolve(againMs);
        await settled();
      };
      begun.push({ id, end });
      return promise;
    });
  const ids = async (): Promise<string[]> => {
    await settled();
    return begun.map(({ id }) => id);
  };
  /** Ends the tasks one after the other, in the order in which they began, until none is left. */
  const endAll = async (): Promise<string[]> => {
    await settled();
    for (let place = 0; place < begun.length; place += 1) await begun[place]?.end();
    return ids();
  };
  return { queue, clock, slow, usedMs, begun, add, ids, endAll };
}

describe('of those who wait for a place', () => {
  test('what trades goes before what only alerts, in whatever order they were told of a close', async () => {
    const { add, ids } = openQueue();
    add('ann', 'a1');
    add('ben', 'b1');
    add('cat', 'c1', true);
    add('dan', 'd1', true);
    expect(await ids()).toEqual(['c1', 'd1']);
  });

  test('the owner whose runs took less time lately goes first', async () => {
    const { add, endAll, usedMs } = openQueue();
    usedMs.set('ann', 2).set('ben', 1);
    add('ann', 'a1');
    add('ben', 'b1');
    add('cat', 'c1');
    expect(await endAll()).toEqual(['c1', 'b1', 'a1']);
  });

  test('owners come before their deployments: an owner has one place, and the others are left to others', async () => {
    const { add, ids, begun } = openQueue({ quick: 4, slow: 2 });
    for (const id of ['a1', 'a2', 'a3']) add('ann', id, true);
    add('ben', 'b1');
    expect(await ids()).toEqual(['a1', 'b1']);
    await begun[1]?.end();
    expect(await ids()).toHaveLength(2);
    await begun[0]?.end();
    expect(await ids()).toEqual(['a1', 'b1', 'a2']);
  });

  test('of one owner the deployment goes first whose last turn is the longest ago', async () => {
    const { add, begun, ids } = openQueue();
    for (const id of ['a1', 'a2', 'a1', 'a2']) add('ann', id);
    for (let turn = 0; turn < 4; turn += 1) {
      await settled();
      await begun[turn]?.end();
    }
    expect(await ids()).toEqual(['a1', 'a2', 'a1', 'a2']);
  });

  test('the task that has waited for the longest time is passed over three times, and then goes first', async () => {
    const { add, begun, ids } = openQueue();
    add('ben', 'b', true);
    add('cat', 'c', true);
    await settled();
    add('ann', 'a');
    for (let turn = 0; turn < 4; turn += 1) {
      add('ben', 'b', true);
      add('cat', 'c', true);
      await begun[turn]?.end();
    }
    expect(await ids()).toEqual(['b', 'c', 'b', 'c', 'b', 'a']);
  });
});

test('a quick one finds a place at once while slow ones have all of theirs', async () => {
  const { add, ids, slow } = openQueue();
  for (const id of ['a1', 'b1', 'c1']) slow.add(id);
  add('ann', 'a1', true);
  add('ben', 'b1', true);
  add('cat', 'c1', true);
  await settled();
  add('dan', 'd1');
  expect(await ids()).toEqual(['a1', 'b1', 'd1']);
});

test('who turns out to be slow waits for a place of the slow ones at its next try', async () => {
  const { add, ids, slow, begun, clock } = openQueue();
  slow.add('b1').add('c1');
  add('ben', 'b1');
  add('cat', 'c1');
  add('ann', 'a1');
  expect(await ids()).toEqual(['a1', 'b1', 'c1']);
  slow.add('a1');
  await begun[0]?.end(1000);
  await clock.advance(1000);
  expect(await ids()).toHaveLength(3);
  await begun[1]?.end();
  expect(await ids()).toEqual(['a1', 'b1', 'c1', 'a1']);
});

test('what is dropped is not begun, and after a stop nothing is', async () => {
  const { add, ids, begun, queue } = openQueue();
  for (const id of ['a1', 'a2', 'a3']) add('ann', id);
  await settled();
  queue.drop('a2');
  await begun[0]?.end();
  expect(await ids()).toEqual(['a1', 'a3']);
  const stopped = queue.stop();
  add('ben', 'b1');
  await begun[1]?.end();
  await stopped;
  expect(await ids()).toEqual(['a1', 'a3']);
});

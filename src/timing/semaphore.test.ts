// Only so many inside, the others in order, none for ever, and no more than there is room for.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Leave, Semaphore, type TurnedAway } from './semaphore.ts';

const inside = (turn: Leave | TurnedAway): Leave => {
  if (typeof turn === 'string') throw new Error(turn);
  return turn;
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('lets as many in as it may, and the others in order', async () => {
  const semaphore = new Semaphore({ atOnce: 2, maxWaiting: 3, maxWaitMs: 1000 });
  const first = inside(await semaphore.enter());
  inside(await semaphore.enter());
  const order: string[] = [];
  const others = ['a', 'b', 'c'].map(async (name) => {
    const leave = inside(await semaphore.enter());
    order.push(name);
    leave();
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual([]);
  first();
  await Promise.all(others);
  expect(order).toEqual(['a', 'b', 'c']);
  expect(vi.getTimerCount()).toBe(0);
  inside(await semaphore.enter())();
});

it('turns away whoever finds it full', async () => {
  const semaphore = new Semaphore({ atOnce: 1, maxWaiting: 1, maxWaitMs: 1000 });
  const leave = inside(await semaphore.enter());
  const second = semaphore.enter();
  expect(await semaphore.enter()).toBe('full');
  leave();
  inside(await second)();
});

it('turns away whoever has waited too long, and does not let it in afterwards', async () => {
  const semaphore = new Semaphore({ atOnce: 1, maxWaiting: 2, maxWaitMs: 20 });
  const leave = inside(await semaphore.enter());
  const late = semaphore.enter();
  await vi.advanceTimersByTimeAsync(20);
  expect(await late).toBe('late');
  leave();
  inside(await semaphore.enter())();
});

it('lets one in for one that leaves, also when that leaves twice', async () => {
  const semaphore = new Semaphore({ atOnce: 1, maxWaiting: 2, maxWaitMs: 1000 });
  const leave = inside(await semaphore.enter());
  const second = semaphore.enter();
  const third = vi.fn();
  const entered = semaphore.enter().then((turn) => {
    third();
    return inside(turn);
  });
  leave();
  leave();
  const leaveSecond = inside(await second);
  await vi.advanceTimersByTimeAsync(0);
  expect(third).not.toHaveBeenCalled();
  leaveSecond();
  (await entered)();
});

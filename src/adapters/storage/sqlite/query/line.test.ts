// The line: one inside, the others in order, none for ever, and no more than it has room for.

import { expect, test } from 'vitest';
import { createLine, type Turn } from './line.ts';

const inside = (turn: Turn): Extract<Turn, { ok: true }> => {
  if (!turn.ok) throw new Error(turn.reason);
  return turn;
};

test('one goes in at once and the others in order', async () => {
  const line = createLine({ maxWaiting: 3, maxWaitMs: 1000 });
  const first = inside(await line.enter());
  const order: string[] = [];
  const others = ['a', 'b', 'c'].map(async (name) => {
    const turn = inside(await line.enter());
    order.push(name);
    turn.leave();
  });
  expect(order).toEqual([]);
  first.leave();
  await Promise.all(others);
  expect(order).toEqual(['a', 'b', 'c']);
  inside(await line.enter()).leave();
});

test('whoever finds it full is told so', async () => {
  const line = createLine({ maxWaiting: 1, maxWaitMs: 1000 });
  const first = inside(await line.enter());
  const second = line.enter();
  expect(await line.enter()).toEqual({ ok: false, reason: '1 queries wait already; try again soon' });
  first.leave();
  inside(await second).leave();
});

test('whoever has waited too long leaves, and is not called any more', async () => {
  const line = createLine({ maxWaiting: 2, maxWaitMs: 20 });
  const first = inside(await line.enter());
  expect(await line.enter()).toMatchObject({ ok: false, reason: expect.stringContaining('waited 20 ms') });
  first.leave();
  inside(await line.enter()).leave();
});

test('leaving twice lets only one in', async () => {
  const line = createLine({ maxWaiting: 2, maxWaitMs: 1000 });
  const first = inside(await line.enter());
  const second = line.enter();
  const third = line.enter();
  first.leave();
  first.leave();
  const turn = inside(await second);
  expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits');
  turn.leave();
  inside(await third).leave();
});

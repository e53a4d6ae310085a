// One switch between the two orders of several trades.

import { expect, test } from 'vitest';
import type { HalfWay } from './gate-order.ts';
import { StoppedTogether } from './stopped-together.ts';

const change: HalfWay['change'] = {
  kind: 'control',
  atMs: 1,
  entry: { atMs: 1, actor: 'cli', setting: 'killSwitch', before: null, after: '{"active":true,"scope":"all"}' },
};
const stopped = [
  { requestId: 'a', order: '1' },
  { requestId: 'b', order: '2' },
];
const two = (turn: () => Promise<void>) => new StoppedTogether({ change, stopped }, turn);
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

test('is turned once, when the last of them is half way, and all wait until it is', async () => {
  const done: string[] = [];
  const together = two(async () => {
    done.push('begun');
    await soon();
    done.push('turned');
  });
  const first = together.isHalfWay('a').then(() => done.push('a'));
  await soon();
  expect(done).toEqual([]);
  await Promise.all([first, together.isHalfWay('b').then(() => done.push('b'))]);
  expect(done).toEqual(['begun', 'turned', 'a', 'b']);
});

test('one that ends without its first order keeps nobody waiting', async () => {
  let turned = 0;
  const together = two(async () => {
    turned++;
  });
  together.hasEnded('b');
  await together.isHalfWay('a');
  together.hasEnded('a');
  expect(turned).toBe(1);
});

test('is not turned where all of them end otherwise', async () => {
  let turned = 0;
  const together = two(async () => {
    turned++;
  });
  for (const requestId of together.requestIds) together.hasEnded(requestId);
  await soon();
  expect(turned).toBe(0);
});

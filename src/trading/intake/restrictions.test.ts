// Restrictions while the storage takes its time: stored first and only then in force, and no change loses another.

import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { memoryRestrictions } from '../testing/test-desk.ts';
import { patched, type RestrictionStore, Restrictions } from './restrictions.ts';

const EMA = { kind: 'strategy', name: 'ema' } as const;
let store: RestrictionStore;
let writes: (() => void)[];
let restrictions: Restrictions;
beforeEach(() => {
  store = memoryRestrictions();
  writes = [];
  const slowly = (write: () => Promise<void>): Promise<void> =>
    new Promise<void>((resolve) => writes.push(resolve)).then(write);
  const slow: RestrictionStore = {
    list: () => store.list(),
    put: (row, entry) => slowly(() => store.put(row, entry)),
    remove: (subject, entry) => slowly(() => store.remove(subject, entry)),
  };
  restrictions = new Restrictions({ store: slow, nowMs: () => 0 });
});

/** Lets the write that is under way end, and what comes of it happen. */
async function written(): Promise<void> {
  await setImmediate();
  expect(writes).toHaveLength(1);
  writes.shift()?.();
  await setImmediate();
}

test('a change is in force, and told, when it is stored and not before', async () => {
  const heard: string[] = [];
  restrictions.watch((row, actor) => heard.push(`${row.name} by ${actor}`));
  const pausing = restrictions.pause(EMA, {}, 'owner');
  await setImmediate();
  expect([restrictions.find(EMA), heard]).toEqual([undefined, []]);
  await written();
  await pausing;
  expect(restrictions.find(EMA)?.pause).toEqual({ sinceMs: 0 });
  expect(heard).toEqual(['ema by owner']);
});

test('two who change different limits at the same moment both have theirs, and so does a pause', async () => {
  const all = Promise.all([
    restrictions.changeLimits(EMA, ({ limits }) => patched(limits, { rate: 3 }), 'first'),
    restrictions.changeLimits(EMA, ({ limits }) => patched(limits, { leverage: 5 }), 'second'),
    restrictions.pause(EMA, {}, 'third'),
  ]);
  for (let count = 0; count < 3; count += 1) await written();
  await all;
  const expected = { ...EMA, limits: { rate: 3, leverage: 5 }, pause: { sinceMs: 0 } };
  expect(restrictions.list()).toEqual([expected]);
  expect(store.list()).toEqual([expected]);
});

test('a switch that is ensured does not make one milder that was thrown just before', async () => {
  const [strict, mild] = [{ active: true, scope: 'all' } as const, { active: true, scope: 'entries' } as const];
  const both = Promise.all([
    restrictions.turnKillSwitch(EMA, strict, 'owner'),
    restrictions.ensureKillSwitch(EMA, mild, 'drawdown-guard'),
  ]);
  await written();
  await both;
  expect(writes).toEqual([]);
  expect(restrictions.find(EMA)?.killSwitch).toEqual(strict);
});

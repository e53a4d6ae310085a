// A search that others see: put into the store until its end is there, whatever the store does meanwhile.

import { expect, test } from 'vitest';
import { StorageError } from '../../errors/storage-error.ts';
import { KEPT_MS, type SearchJob } from './search-jobs.ts';
import { type SearchStore, SharedSearches } from './shared-searches.ts';

const RUNNING: SearchJob = {
  ...{ id: '1', state: 'running', startedAtMs: 1, endedAtMs: null, progress: { done: 0, total: 1, failed: 0 } },
  ...{ best: null, result: null, failure: null },
};

/** One search of `me`, whose store says what a test wants. */
function open() {
  const held: { job: SearchJob | undefined; answer: boolean | Error } = { job: RUNNING, answer: false };
  const puts: [state: string, lifeMs: number][] = [];
  const removed: string[] = [];
  const waits: { delayMs: number; work: () => void }[] = [];
  const away = () => Promise.reject(new Error('nobody asks for this'));
  const store: SearchStore = {
    async put(_, { state }, lifeMs) {
      puts.push([state, lifeMs]);
      if (held.answer instanceof Error) throw held.answer;
      return held.answer;
    },
    ...{ find: away, askForEnd: away, forget: away, isForgotten: away },
  };
  const shared = new SharedSearches({
    jobs: { find: () => held.job, remove: (_, id) => void removed.push(id) as undefined },
    store,
    timers: {
      after(delayMs, work) {
        waits.push({ delayMs, work });
        return () => {};
      },
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets the pause end that it is in; gives how long it would have been. */
  const pass = async (): Promise<number | undefined> => {
    await settle();
    const wait = waits.shift();
    wait?.work();
    await settle();
    return wait?.delayMs;
  };
  return { shared, held, puts, removed, pass };
}

test('is put each second while it runs, once more at its end for an hour, and then never again', async () => {
  const { shared, held, puts, pass } = open();
  await shared.begin('me', '1');
  expect(puts).toEqual([['running', 15_000]]);
  expect(await pass()).toBe(1_000);
  held.job = { ...RUNNING, state: 'done' };
  expect(await pass()).toBe(1_000);
  expect(puts.slice(1)).toEqual([
    ['running', 15_000],
    ['done', KEPT_MS],
  ]);
  expect(await pass()).toBeUndefined();
});

test('is put again after a store that was away: soon while it runs, after ten seconds with its result', async () => {
  const { shared, held, puts, pass } = open();
  held.answer = new StorageError('Redis is away');
  await shared.begin('me', '1');
  expect(await pass()).toBe(1_000);
  held.job = { ...RUNNING, state: 'canceled' };
  expect(await pass()).toBe(1_000);
  expect(await pass()).toBe(10_000);
  held.answer = false;
  expect(await pass()).toBe(10_000);
  expect(await pass()).toBeUndefined();
  expect(puts.map(([state]) => state)).toEqual(['running', 'running', 'canceled', 'canceled', 'canceled']);
});

test('is ended when that was asked for elsewhere, but not when it has ended by itself', async () => {
  const { shared, held, removed, pass } = open();
  await shared.begin('me', '1');
  held.answer = true;
  await pass();
  expect(removed).toEqual(['1']);
  held.job = { ...RUNNING, state: 'done' };
  await pass();
  expect(removed).toEqual(['1']);
});

test('is followed no longer when its owner had it forgotten', async () => {
  const { shared, held, puts, pass } = open();
  await shared.begin('me', '1');
  held.job = undefined;
  await pass();
  expect(await pass()).toBeUndefined();
  expect(puts).toHaveLength(1);
});

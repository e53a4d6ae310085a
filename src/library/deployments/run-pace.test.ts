// Who counts as quick, by what its runs took, at each limit; and how much time an owner has used lately.

import { beforeEach, expect, test } from 'vitest';
import { QUICK_FETCH_MS, QUICK_RUN_MS, RunPaces } from './run-pace.ts';
import { createHandClock, type HandClock } from './testing/hand-clock.ts';

const HOUR_MS = 3_600_000;
const ANN = { id: 'a1', userId: 'ann', timeframeMs: 60_000 };
const step = (runMs: number, more = {}) => ({ runMs, fetchMs: 0, isOpening: false, ...more });

let clock: HandClock;
let paces: RunPaces;
beforeEach(() => {
  clock = createHandClock(0);
  paces = new RunPaces(clock);
});

test('one that has just had a trial is what its trial was; any other is not quick before its run was opened quickly', () => {
  paces.begin('a1', QUICK_RUN_MS);
  expect(paces.isQuick(ANN)).toBe(true);
  paces.begin('a1', QUICK_RUN_MS + 1);
  expect(paces.isQuick(ANN)).toBe(false);
  paces.begin('a1');
  paces.note(ANN, step(1));
  expect(paces.isQuick(ANN)).toBe(false);
  paces.note(ANN, step(QUICK_RUN_MS, { isOpening: true }));
  expect(paces.isQuick(ANN)).toBe(true);
});

test.each([
  ['a run', step(QUICK_RUN_MS), step(QUICK_RUN_MS + 1)],
  ['a wait for bars of other markets', step(1, { fetchMs: QUICK_FETCH_MS }), step(1, { fetchMs: QUICK_FETCH_MS + 1 })],
])('%s that takes too long makes it slow, for an hour', async (_, quick, slow) => {
  paces.begin('a1', 1);
  paces.note(ANN, quick);
  expect(paces.isQuick(ANN)).toBe(true);
  paces.note(ANN, slow);
  expect(paces.isQuick(ANN)).toBe(false);
  await clock.advance(HOUR_MS - 1);
  expect(paces.isQuick(ANN)).toBe(false);
  await clock.advance(1);
  expect(paces.isQuick(ANN)).toBe(true);
});

test('on long bars for three of them, and one that opens slowly stays slow', async () => {
  const daily = { ...ANN, timeframeMs: 24 * HOUR_MS };
  paces.begin('a1', 1);
  paces.note(daily, step(QUICK_RUN_MS + 1));
  await clock.advance(72 * HOUR_MS - 1);
  expect(paces.isQuick(daily)).toBe(false);
  await clock.advance(1);
  expect(paces.isQuick(daily)).toBe(true);
  paces.note(daily, step(QUICK_RUN_MS + 1, { isOpening: true }));
  paces.note(daily, step(1));
  await clock.advance(100 * HOUR_MS);
  expect(paces.isQuick(daily)).toBe(false);
});

test('an owner of three that were quick and are not any more is slow as a whole, for an hour, whatever he deploys anew', async () => {
  for (const id of ['a1', 'a2', 'a3', 'a4']) paces.begin(id, 1);
  for (const id of ['a1', 'a2']) paces.note({ ...ANN, id }, step(QUICK_RUN_MS + 1));
  expect(paces.isQuick({ ...ANN, id: 'a4' })).toBe(true);
  paces.note({ ...ANN, id: 'a3' }, step(QUICK_RUN_MS + 1));
  expect(paces.isQuick({ ...ANN, id: 'a4' })).toBe(false);
  for (const id of ['a1', 'a2', 'a3', 'a4']) paces.end(id);
  paces.begin('a5', 1);
  expect(paces.isQuick({ ...ANN, id: 'a5' })).toBe(false);
  paces.begin('b1', 1);
  expect(paces.isQuick({ id: 'b1', userId: 'ben' })).toBe(true);
  await clock.advance(HOUR_MS);
  expect(paces.isQuick({ ...ANN, id: 'a5' })).toBe(true);
});

test('the time that an owner used counts half after a minute', async () => {
  paces.begin('a1', 1);
  paces.note(ANN, step(300, { fetchMs: 100 }));
  expect(paces.usedMs('ann')).toBe(400);
  await clock.advance(60_000);
  paces.note({ ...ANN, id: 'a2' }, step(100));
  expect(paces.usedMs('ann')).toBe(300);
  expect(paces.usedMs('ben')).toBe(0);
});

// Answers that are shown stay, and of the others the last few.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('fetch', async (path: string) => Response.json({ path }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const EVERY_MS = 5_000;

test('the same question is one answer, with another key another one', () => {
  const cache = new AnswerCache();
  expect(cache.of('/a', EVERY_MS)).toBe(cache.of('/a', EVERY_MS));
  expect(cache.of('/a', EVERY_MS, 'pn_1')).not.toBe(cache.of('/a', EVERY_MS));
});

test('a page that one goes back to is there at once; what was left long ago is forgotten, and what is shown is not', async () => {
  const cache = new AnswerCache();
  const shown = cache.of('/health', EVERY_MS);
  shown.show(() => {});
  const left = cache.of('/trades/0', EVERY_MS);
  left.show(() => {})();
  for (let trade = 1; trade < 50; trade += 1) cache.of(`/trades/${trade}`, EVERY_MS);
  // Wanted again, it is the last one.
  expect(cache.of('/trades/0', EVERY_MS)).toBe(left);
  for (let trade = 50; trade < 99; trade += 1) cache.of(`/trades/${trade}`, EVERY_MS);
  expect(cache.of('/trades/0', EVERY_MS)).toBe(left);
  for (let trade = 100; trade < 150; trade += 1) cache.of(`/trades/${trade}`, EVERY_MS);
  expect(cache.of('/trades/0', EVERY_MS)).not.toBe(left);
  expect(cache.of('/health', EVERY_MS)).toBe(shown);
});

test('whoever logs in next sees nothing of it', async () => {
  const cache = new AnswerCache();
  const account = cache.of('/account', EVERY_MS);
  const leave = account.show(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(account.shown.answer).toEqual({ path: '/account' });
  leave();
  cache.clear();
  expect(cache.of('/account', EVERY_MS).shown.answer).toBeUndefined();
});

test('something that happened is asked about by those that are shown, or by the one that is meant', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return Response.json({});
  });
  const cache = new AnswerCache();
  for (const path of ['/a', '/b']) cache.of(path, EVERY_MS).show(() => {});
  cache.of('/c', EVERY_MS);
  await vi.advanceTimersByTimeAsync(0);
  cache.refresh();
  await vi.advanceTimersByTimeAsync(0);
  cache.refresh('/b');
  cache.refresh('/d');
  expect(asked).toEqual(['/a', '/b', '/a', '/b', '/b']);
});

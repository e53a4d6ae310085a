// GET and DELETE /optimize/{id} with LONG_JOBS=redis: one process runs the search, another one shows it, ends it and forgets it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openSearches } from '../../src/adapters/storage/redis/searches.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { SearchJob } from '../../src/library/search/search-jobs.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const ADMIN_TOKEN = 'admin-token-of-this-test';
/** The loop takes a tenth of a second or so, as often as the input says. */
const SCRIPT = `//@version=6
strategy("Held", initial_capital = 100000)
to = input.int(9, "To")
rounds = input.int(0, "Rounds")
letters = 0
if bar_index == 1 and rounds > 0
    for i = 0 to rounds * 100000
        letters += str.length(str.tostring(i))
if bar_index == 2
    strategy.entry("E", strategy.long, 1)
if bar_index == to
    strategy.close("E")`;
const data = Array.from({ length: 40 }, (_, i) => {
  const open = 100 + (i % 7);
  return { time: 1_700_000_000_000 + i * 60_000, open, high: open + 1, low: open - 1, close: open + 0.5, volume: 1 };
});
const QUICK = { script: SCRIPT, data, vary: { To: { from: 5, to: 14 } } };
/** Minutes of work. */
const LONG = { script: SCRIPT, data, vary: { To: { from: 5, to: 35 }, Rounds: { from: 1, to: 30 } } };

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly code?: string;
  readonly progress: { readonly done: number; readonly total: number };
  readonly result: { readonly top: readonly unknown[] } | null;
}

let redis: RedisServer;
let runs: RunningProcess;
let other: RunningProcess;

beforeAll(async () => {
  redis = await startRedis();
  const env = {
    ...{ STORE_BACKEND: 'redis', LONG_JOBS: 'redis', REDIS_URL: redis.url },
    ADMIN_TOKEN,
  };
  [runs, other] = await Promise.all([startProcess({ env }), startProcess({ env })]);
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([runs?.stop(), other?.stop()]);
  await redis?.kill();
});

type Headers = Readonly<Record<string, string>>;

async function call<T>(at: RunningProcess, method: string, path: string, headers: Headers, body?: object) {
  const answer = await fetch(`${at.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

async function newKey(): Promise<Headers> {
  const admin = { 'x-admin-token': ADMIN_TOKEN };
  const made = await call<{ api_key: string }>(runs, 'POST', '/auth/create_key', admin, { tier: 'pro' });
  return { authorization: `Bearer ${made.body.api_key}` };
}

const look = (at: RunningProcess, id: string, key: Headers) => call<Shown>(at, 'GET', `/optimize/${id}`, key);
const end = (at: RunningProcess, id: string, key: Headers) => call<Shown>(at, 'DELETE', `/optimize/${id}`, key);

async function begin(body: object, key: Headers): Promise<string> {
  const begun = await call<Shown>(runs, 'POST', '/optimize', key, body);
  expect(begun.status).toBe(202);
  return begun.body.id;
}

test('another process shows a search as soon as it was begun, then its progress, and ends it for its owner alone', async () => {
  const [key, stranger] = [await newKey(), await newKey()];
  const id = await begin(LONG, key);
  expect((await look(other, id, key)).body).toMatchObject({ id, state: 'running', result: null });
  await expect
    .poll(async () => (await look(other, id, key)).body.progress.done, { timeout: 60_000 })
    .toBeGreaterThan(0);
  for (const refused of [await look(other, id, stranger), await end(other, id, stranger)])
    expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
  expect((await look(runs, id, key)).body.state).toBe('running');

  expect((await end(other, id, key)).body).toMatchObject({ id, state: 'canceled' });
  for (const at of [runs, other])
    await expect.poll(async () => (await look(at, id, key)).body.state, { timeout: 20_000 }).toBe('canceled');
  const ended = (await look(runs, id, key)).body;
  expect(ended.progress.done).toBeLessThan(ended.progress.total);
  expect((await look(other, id, key)).body).toEqual(ended);
});

test.each([
  ['the other', () => other],
  ['the same', () => runs],
])('a result is the same at both; forgotten at %s process, it is gone at both', async (_, where) => {
  const key = await newKey();
  const id = await begin(QUICK, key);
  await expect.poll(async () => (await look(other, id, key)).body.state, { timeout: 60_000 }).toBe('done');
  const found = (await look(runs, id, key)).body;
  expect(found.result?.top).toHaveLength(10);
  expect((await look(other, id, key)).body).toEqual(found);
  expect((await end(where(), id, key)).body).toMatchObject({ id, state: 'done' });
  for (const at of [runs, other]) expect((await look(at, id, key)).status).toBe(404);
  expect((await end(other, id, key)).status).toBe(404);
});

/** So much takes longer than the two seconds of an answer where the machine is busy; then it is asked again, as the product does. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError) || performance.now() > untilMs) throw error;
      await sleep(200);
    }
  }
}

test('Redis keeps a result of 16 MB, of a larger one why it is not there, and nothing without an end', async () => {
  const searches = await openSearches({ url: redis.url, prefix: 'large:' });
  const client = new Redis(redis.url);
  onTestFinished(async () => {
    await searches.close();
    client.disconnect();
  });
  const job: SearchJob = {
    ...{ id: '1', state: 'done', startedAtMs: 1, endedAtMs: 2, progress: { done: 1, total: 1, failed: 0 }, best: null },
    ...{ result: new Uint8Array(16 * 1024 * 1024).fill(32), failure: null },
  };
  expect(await patiently(() => searches.put('me', job, 600_000))).toBe(false);
  expect((await patiently(() => searches.find('me', '1')))?.result).toHaveLength(16 * 1024 * 1024);
  const larger = { ...job, id: '2', result: new Uint8Array(16 * 1024 * 1024 + 1) };
  await patiently(() => searches.put('me', larger, 600_000));
  expect(await searches.find('me', '2')).toMatchObject({ state: 'done', result: null });
  expect((await searches.find('me', '2'))?.failure).toContain('its result of 17 MB is too large to be shared');

  await searches.askForEnd('me', '3');
  await searches.forget('me', '3', 60_000);
  for (const work of [() => searches.askForEnd('you', '1'), () => searches.forget('you', '1', 60_000)]) await work();
  expect(await searches.put('me', { ...job, state: 'running', result: null }, 60_000)).toBe(false);
  await searches.askForEnd('me', '1');
  expect(await searches.put('me', { ...job, state: 'running', result: null }, 60_000)).toBe(true);
  const names = await client.keys('large:*');
  expect(names.sort()).toEqual(['large:search:1', 'large:search:2']);
  for (const name of names) expect(await client.pttl(name)).toBeGreaterThan(0);
});

test('of a process that died its results stay, and what it was at is soon not known any more', async () => {
  const [key, busy] = [await newKey(), await newKey()];
  const done = await begin(QUICK, key);
  await expect.poll(async () => (await look(other, done, key)).body.state, { timeout: 60_000 }).toBe('done');
  const running = await begin(LONG, busy);
  await runs.kill();
  expect((await look(other, running, busy)).body.state).toBe('running');
  expect((await look(other, done, key)).body.result?.top).toHaveLength(10);
  await expect.poll(async () => (await look(other, running, busy)).status, { timeout: 40_000 }).toBe(404);
});

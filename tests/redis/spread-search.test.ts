// POST /optimize with LONG_JOBS=redis: a thousand backtests over an instance and three workers, one of which is killed midway.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningProcess, spawnSignalbox, startProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const ADMIN_TOKEN = 'admin-token-of-this-test';
const SCRIPT = `//@version=6
strategy("Held", initial_capital = 100000)
from = input.int(0, "From")
to = input.int(9, "To")
if bar_index == from
    strategy.entry("E", strategy.long, 1)
if bar_index == to
    strategy.close("E")`;
const BARS = 4_000;
const data = Array.from({ length: BARS }, (_, i) => {
  const open = 100 + (i % 97) / 10;
  return { time: 1_700_000_000_000 + i * 60_000, open, high: open + 1, low: open - 1, close: open + 0.5, volume: 1 };
});
/** 25 × 40. */
const VARY = { From: { from: 0, to: 24 }, To: { from: 100, to: 139 } };

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly progress: { readonly done: number };
  readonly result: { readonly backtests: object; readonly top: readonly unknown[] } | null;
}

let redis: RedisServer;
let instance: RunningProcess;
const workers: { readonly child: ChildProcess; output: string }[] = [];

function startWorker() {
  const child = spawnSignalbox(['worker'], { REDIS_URL: redis.url });
  const worker = { child, output: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      worker.output += chunk.toString();
    });
  workers.push(worker);
  return worker;
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  return child.exitCode;
}

beforeAll(async () => {
  redis = await startRedis();
  const env = { LONG_JOBS: 'redis', REDIS_URL: redis.url, ADMIN_TOKEN };
  [instance] = await Promise.all([startProcess({ env }), ...[1, 2, 3].map(startWorker)]);
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  await instance?.stop();
  for (const { child } of workers) await stopped(child, 'SIGKILL');
  await redis?.kill();
});

async function call<T>(method: string, path: string, headers: Record<string, string>, body?: object): Promise<T> {
  const answer = await fetch(`${instance.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
}

async function newKey(): Promise<Record<string, string>> {
  const made = await call<{ api_key: string }>(
    'POST',
    '/auth/create_key',
    { 'x-admin-token': ADMIN_TOKEN },
    { tier: 'pro' },
  );
  return { authorization: `Bearer ${made.api_key}` };
}

test('every result is there once, as if one process had run them all', async () => {
  const key = await newKey();
  for (const worker of workers) await expect.poll(() => worker.output).toContain('taking backtests');
  const { id } = await call<Shown>('POST', '/optimize', key, { script: SCRIPT, data, vary: VARY, top: 100 });
  const look = (): Promise<Shown> => call('GET', `/optimize/${id}`, key);
  await expect.poll(async () => (await look()).progress.done, { interval: 10 }).toBeGreaterThan(100);
  const victim = workers[0]!.child;
  await stopped(victim, 'SIGKILL');
  expect((await look()).state).toBe('running');
  await expect.poll(async () => (await look()).state, { timeout: 120_000 }).not.toBe('running');
  const spread = await look();
  expect(spread.state).toBe('done');
  expect(spread.result?.backtests).toEqual({ done: 1_000, total: 1_000, failed: 0 });

  // The others end in good order, and the instance alone finds the same.
  for (const worker of workers.slice(1)) {
    expect(await stopped(worker.child, 'SIGTERM')).toBe(0);
    await expect.poll(() => worker.output).toMatch(/"jobs":[1-9]\d*,.*stopped/);
  }
  const again = await call<Shown>('POST', '/optimize', key, { script: SCRIPT, data, vary: VARY, top: 100 });
  const lookAgain = (): Promise<Shown> => call('GET', `/optimize/${again.id}`, key);
  await expect.poll(async () => (await lookAgain()).state, { timeout: 120_000 }).toBe('done');
  const alone = (await lookAgain()).result;
  expect(alone?.top).toEqual(spread.result?.top);
});

test('a worker says that Redis is away, and stops when it is told to all the same', async () => {
  const away = spawnSignalbox(['worker'], { REDIS_URL: 'redis://127.0.0.1:1' });
  let output = '';
  away.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => output).toContain('takes nothing until it is back');
  const beganMs = performance.now();
  expect(await stopped(away, 'SIGTERM')).toBe(0);
  expect(performance.now() - beganMs).toBeLessThan(10_000);
});

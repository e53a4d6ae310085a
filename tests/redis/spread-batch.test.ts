// POST /backtest/batch with LONG_JOBS=redis: a thousand backtests over an instance and three workers, one of which is killed midway.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningProcess, spawnSignalbox, startProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const ADMIN_TOKEN = 'admin-token-of-this-test';
/** Holds from one bar to another: with other inputs another profit. */
const HELD = `//@version=6
strategy("Held", initial_capital = 100000)
to = input.int(9, "To")
if bar_index == 2
    strategy.entry("E", strategy.long, 1)
if bar_index == to
    strategy.close("E")`;
const data = (first: number) =>
  Array.from({ length: 300 }, (_, i) => {
    const open = first + ((i * 7) % 97) / 10;
    return { time: 1_700_000_000_000 + i * 60_000, open, high: open + 1, low: open - 1, close: open + 0.5, volume: 1 };
  });
const MARKETS = [100, 200, 300, 400].map((first, index) => ({
  symbol: `M${index}`,
  timeframe: '1m',
  data: data(first),
}));
const SCRIPTS = Array.from({ length: 250 }, (_, index) =>
  index === 7 ? { name: 'broken', script: 'strategy(' } : { script: HELD, inputs: { To: 10 + index } },
);
const BATCH = { scripts: SCRIPTS, markets: MARKETS };

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly code?: string;
  readonly progress: { readonly done: number; readonly total: number };
  readonly result: {
    readonly backtests: object;
    readonly results: readonly { script: string; market: string; figures: object | null; fault: string | null }[];
  } | null;
}

let redis: RedisServer;
let instance: RunningProcess;
const workers: { readonly child: ChildProcess; output: string }[] = [];

function startWorker(): void {
  const child = spawnSignalbox(['worker'], { REDIS_URL: redis.url });
  const worker = { child, output: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      worker.output += chunk.toString();
    });
  workers.push(worker);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

beforeAll(async () => {
  redis = await startRedis();
  for (let count = 0; count < 3; count += 1) startWorker();
  instance = await startProcess({ env: { LONG_JOBS: 'redis', REDIS_URL: redis.url, ADMIN_TOKEN } });
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  await instance?.stop();
  for (const { child } of workers) await ended(child, 'SIGKILL');
  await redis?.kill();
});

async function call(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Shown> {
  const answer = await fetch(`${instance.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Shown;
}

async function newKey(): Promise<Record<string, string>> {
  const made = await call('POST', '/auth/create_key', { 'x-admin-token': ADMIN_TOKEN }, { tier: 'pro' });
  return { authorization: `Bearer ${(made as unknown as { api_key: string }).api_key}` };
}

test('every result is there once, in its place, as if one process had run them all', { timeout: 600_000 }, async () => {
  const key = await newKey();
  for (const worker of workers) await expect.poll(() => worker.output).toContain('taking backtests');
  const begun = await call('POST', '/backtest/batch', key, BATCH);
  expect(begun).toMatchObject({ state: 'running' });
  const { id } = begun;
  const look = (of = id): Promise<Shown> => call('GET', `/backtest/batch/${of}`, key);
  await expect.poll(async () => (await look()).progress.done, { interval: 10, timeout: 120_000 }).toBeGreaterThan(100);
  await ended(workers[0]!.child, 'SIGKILL');
  expect((await look()).state).toBe('running');
  await expect.poll(async () => (await look()).state, { timeout: 240_000 }).not.toBe('running');
  const spread = await look();
  expect(spread).toMatchObject({ state: 'done', progress: { done: 1_000, total: 1_000, failed: 4 } });
  const rows = spread.result?.results ?? [];
  const names = SCRIPTS.map(({ name }, index) => name ?? String(index + 1));
  expect(rows.map(({ script, market }) => `${script} ${market}`)).toEqual(
    names.flatMap((name) => MARKETS.map(({ symbol }) => `${name} ${symbol} 1m`)),
  );
  expect(rows.filter(({ figures }) => figures === null).map(({ script }) => script)).toEqual(Array(4).fill('broken'));
  // It is no search, and nobody else's.
  expect((await call('GET', `/optimize/${id}`, key)).code).toBe('NOT_FOUND');
  expect((await call('GET', `/backtest/batch/${id}`, await newKey())).code).toBe('NOT_FOUND');

  // The others end in good order, and the instance alone finds the same.
  for (const worker of workers.slice(1)) {
    await ended(worker.child, 'SIGTERM');
    expect(worker.output).toMatch(/"jobs":[1-9]\d*,.*stopped/);
  }
  const again = await call('POST', '/backtest/batch', key, BATCH);
  await expect.poll(async () => (await look(again.id)).state, { timeout: 240_000 }).toBe('done');
  expect((await look(again.id)).result).toEqual(spread.result);
});

test('a batch is canceled by its owner, and keeps what was run', async () => {
  const key = await newKey();
  const begun = await call('POST', '/backtest/batch', key, BATCH);
  const { id } = begun;
  expect(begun).toMatchObject({ state: 'running' });
  expect(await call('POST', '/backtest/batch', key, BATCH)).toMatchObject({ code: 'BUSY' });
  expect(await call('DELETE', `/backtest/batch/${id}`, key)).toMatchObject({ state: 'canceled' });
  await expect.poll(async () => (await call('GET', `/backtest/batch/${id}`, key)).state).toBe('canceled');
  const { progress, result } = await call('GET', `/backtest/batch/${id}`, key);
  expect(progress.done).toBeLessThan(1_000);
  expect(result?.results.filter(({ figures, fault }) => figures !== null || fault !== null)).toHaveLength(
    progress.done,
  );
});

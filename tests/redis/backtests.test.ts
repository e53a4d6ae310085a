// Backtests through the queue in a real Redis: the same answers as on one's own threads, each once, whatever Redis does meanwhile.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createScriptPool, type ScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import { marketsKey } from '../../src/adapters/storage/redis/backtests/backtest-queue.ts';
import { packMarkets } from '../../src/adapters/storage/redis/backtests/packed-markets.ts';
import { type SpreadBacktests, spreadBacktests } from '../../src/adapters/storage/redis/backtests/spread-backtests.ts';
import { takeBacktests } from '../../src/adapters/storage/redis/backtests/take-backtests.ts';
import type { BacktestMarket, BacktestRunner, BacktestsRequest } from '../../src/library/backtest-runner.ts';
import { sharedBars } from '../../src/library/search/shared-bars.ts';
import { barColumns } from '../../src/pine/index.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const DYING_TAKER = fileURLToPath(new URL('../support/dying-taker.ts', import.meta.url));

const SOURCE = `//@version=6
strategy("Held", initial_capital = 100)
to = input.int(9, "To")
if to == 99
    runtime.error("not this one")
if bar_index == 2 and to > 0
    strategy.entry("E", strategy.long, 1)
if bar_index == to
    strategy.close("E")`;

const ROWS = Array.from({ length: 40 }, (_, i) => {
  const open = 100 + (i % 13);
  return { time: i * 60_000, open, high: open + 3, low: open - 3, close: open + (i % 3) - 1, volume: 1 };
});
/** The first makes no trade, which leaves figures that are no numbers; one throws. */
const TO = [0, 5, 9, 99, 20];

const requestOf = (more: Partial<BacktestsRequest> = {}): BacktestsRequest => ({
  source: SOURCE,
  markets: [{ bars: sharedBars(barColumns(ROWS)), timeframe: '1' }],
  backtests: TO.map((to) => ({ market: 0, inputs: { To: to } })),
  timeoutMs: 10_000,
  caller: { class: 'search', id: 'somebody' },
  ...more,
});

let server: RedisServer;
let pool: ScriptPool;
beforeAll(async () => {
  server = await startRedis();
  pool = createScriptPool({ size: 2, timeoutMs: 10_000 });
}, REDIS_START_TIMEOUT_MS);
afterAll(async () => {
  await pool.close();
  await server.kill();
});

/** Nobody to fall back on: what is answered came through Redis. */
const nobody: BacktestRunner = {
  threads: 1,
  backtests: () => Promise.reject(new Error('it ran here')),
  space: () => Promise.reject(new Error('it ran here')),
};

interface Opened {
  readonly prefix: string;
  readonly spread: SpreadBacktests;
  /** Another process that takes jobs. */
  take(runner?: Pick<BacktestRunner, 'backtests'>): Promise<void>;
}

async function open(local: BacktestRunner = nobody, on: RedisServer = server): Promise<Opened> {
  const address = { url: on.url, prefix: `test-${randomUUID()}`, onFault: () => {} };
  const spread = await spreadBacktests({ ...address, local });
  onTestFinished(() => spread.close());
  return {
    ...{ prefix: address.prefix, spread },
    async take(runner = pool) {
      const taker = await takeBacktests({ ...address, runner, threads: 2, callerOf: () => undefined });
      onTestFinished(() => taker.close());
    },
  };
}

async function withClient<T>(work: (redis: Redis) => Promise<T>, on: RedisServer = server): Promise<T> {
  const redis = new Redis(on.url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const keysOf = (prefix: string): Promise<string[]> => withClient((redis) => redis.keys(`${prefix}:*`));

test.each([false, true])('the answer is that of the own threads, with reports: %s', async (wantsReports) => {
  const { spread, take } = await open();
  await take();
  const expected = await pool.backtests(requestOf({ wantsReports }));
  expect(expected.kind).toBe('backtested');
  const [idle, , , thrown] = expected.kind === 'backtested' ? expected.outcomes : [];
  expect(idle && 'figures' in idle && idle.figures.some(Number.isNaN)).toBe(true);
  expect(thrown).toEqual({ fault: expect.stringContaining('not this one') });
  expect(await spread.backtests(requestOf({ wantsReports }))).toEqual(expected);
});

test('a result that nobody can read is run again here, and is no fault of others', async () => {
  const faults: string[] = [];
  const prefix = `test-${randomUUID()}`;
  const joined = async (name: string) => {
    const onFault = ({ message }: Error): void => void faults.push(`${name}: ${message}`);
    const spread = await spreadBacktests({ url: server.url, prefix, local: pool, onFault });
    onTestFinished(() => spread.close());
    return spread;
  };
  const [asker] = [await joined('who asked'), await joined('another')];
  const { hostname: host, port } = new URL(server.url);
  const results = async () => {
    // Long enough that whoever asked waits for the word that it has ended.
    await sleep(300);
    return Buffer.from('no result').toString('base64');
  };
  const worker = new Worker('backtests', results, { connection: { host, port: Number(port) }, prefix });
  onTestFinished(() => worker.close());
  expect((await asker.backtests(requestOf())).kind).toBe('backtested');
  // The other has heard of it as well by then.
  await sleep(500);
  expect(faults.filter((fault) => fault.startsWith('another'))).toEqual([]);
});

test('the markets of a search are in Redis once, and gone after an hour', async () => {
  const { spread, take, prefix } = await open();
  await take();
  const { markets } = requestOf();
  await Promise.all(Array.from({ length: 5 }, () => spread.backtests(requestOf({ markets }))));
  const kept = (await keysOf(prefix)).filter((key) => key.includes('backtest-markets'));
  expect(kept).toHaveLength(1);
  const lifeS = await withClient((redis) => redis.ttl(kept[0]!));
  expect(lifeS).toBeGreaterThan(3_500);
  expect(lifeS).toBeLessThanOrEqual(3_600);
});

test('markets that Redis has lost are put there again', async () => {
  const { spread, take, prefix } = await open();
  const { markets } = requestOf();
  // Nobody has them in memory: the job waits, its markets are taken away, and only then somebody takes the job.
  const answer = spread.backtests(requestOf({ markets }));
  await expect.poll(() => keysOf(prefix)).toContain(`${prefix}:backtests:wait`);
  const key = (await keysOf(prefix)).find((name) => name.includes('backtest-markets'));
  await withClient((redis) => redis.del(key!));
  await take();
  expect(await answer).toMatchObject({ kind: 'backtested' });
});

test('as many threads are counted as all processes have', async () => {
  const { spread, take } = await open();
  await spread.countThreads();
  expect(spread.threads).toBe(1);
  await take();
  await take();
  await expect
    .poll(async () => {
      await spread.countThreads();
      return spread.threads;
    })
    .toBe(5);
});

test('a search that is canceled takes its jobs out of the queue', async () => {
  const { spread, prefix } = await open();
  const abort = new AbortController();
  const answer = spread.backtests(requestOf({ signal: abort.signal }));
  await expect.poll(() => keysOf(prefix)).toContain(`${prefix}:backtests:wait`);
  abort.abort('canceled by its owner');
  expect(await answer).toEqual({ kind: 'canceled', reason: 'canceled by its owner' });
  await expect.poll(() => keysOf(prefix)).not.toContain(`${prefix}:backtests:wait`);
  expect(await spread.backtests(requestOf({ signal: abort.signal }))).toMatchObject({ kind: 'canceled' });
});

test('a job that fails is tried again, and comes back to whoever asked when it fails three times', async () => {
  const { spread, take } = await open(pool);
  let tried = 0;
  await take({
    backtests: async () => {
      tried += 1;
      throw new Error('out of order');
    },
  });
  expect(await spread.backtests(requestOf())).toMatchObject({ kind: 'backtested' });
  expect(tried).toBe(3);
});

test('a process that stops in the midst of a job leaves it to another', async () => {
  const { spread, take } = await open();
  let tried = 0;
  await take({
    backtests: async (request) => {
      tried += 1;
      return tried === 1 ? { kind: 'canceled', reason: 'the pool closes' } : pool.backtests(request);
    },
  });
  expect(await spread.backtests(requestOf())).toMatchObject({ kind: 'backtested' });
  expect(tried).toBe(2);
});

test('a job that takes its process down three times is run by whoever asked, and no fourth process is lost to it', async () => {
  const { spread, prefix } = await open(pool);
  const asked = spread.backtests(requestOf());
  const isAnswered = asked.then(() => true);
  let deaths = 0;
  for (let isOver = false; !isOver && deaths < 4; ) {
    const child = fork(DYING_TAKER, [server.url, prefix], { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const gone = once(child, 'exit').then(() => false);
    isOver = await Promise.race([isAnswered, gone]);
    if (isOver) child.kill('SIGKILL');
    else deaths += 1;
    await gone;
    // As after the time in which nobody was heard of: the job is nobody's, and the next one looks for such jobs at once.
    const left = (await keysOf(prefix)).filter((key) => /:lock$|:stalled-check$/.test(key));
    await withClient((redis) => redis.del('none', ...left));
  }
  expect(deaths).toBe(3);
  expect(await asked).toMatchObject({ kind: 'backtested' });
});

/** Answers at once, and tells by which markets it was asked. */
function watchedRunner(): Pick<BacktestRunner, 'backtests'> & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    async backtests({ markets: [market] }) {
      seen.push(String(market?.timeframe));
      return { kind: 'backtested', outcomes: [] };
    },
  };
}

test('a process that takes jobs keeps the markets of four searches, and reads those of an older one again', async () => {
  const { spread, take, prefix } = await open();
  const runner = watchedRunner();
  await take(runner);
  const bars = sharedBars(barColumns(ROWS));
  const lists = ['1', '2', '3', '4', '5'].map((timeframe): readonly BacktestMarket[] => [{ bars, timeframe }]);
  for (const markets of lists) await spread.backtests(requestOf({ markets }));
  // Whoever reads them in Redis now finds others.
  const { bytes } = packMarkets([{ bars, timeframe: 'read again' }]);
  for (const markets of lists)
    await withClient((redis) => redis.set(`${prefix}:${marketsKey(packMarkets(markets).digest)}`, bytes));
  for (const markets of lists.toReversed()) await spread.backtests(requestOf({ markets }));
  expect(runner.seen).toEqual(['1', '2', '3', '4', '5', '5', '4', '3', '2', 'read again']);
});

test('markets of more than 64 MiB do not go through Redis, which has other things to do', async () => {
  const local = watchedRunner();
  const { spread, take, prefix } = await open({ ...nobody, ...local });
  const elsewhere = watchedRunner();
  await take(elsewhere);
  const rows = (64 * 1024 * 1024) / (6 * Float64Array.BYTES_PER_ELEMENT);
  const column = new Float64Array(Math.ceil(rows));
  const bars = { ...barColumns([]), count: column.length };
  const large = { ...bars, time: column, open: column, high: column, low: column, close: column, volume: column };
  await spread.backtests(requestOf({ markets: [{ bars: large, timeframe: 'large' }] }));
  expect((await keysOf(prefix)).filter((key) => key.includes('backtest-markets'))).toEqual([]);
  expect([local.seen, elsewhere.seen]).toEqual([['large'], []]);
});

test('a Redis that dies in the midst of it is not waited for', async () => {
  const own = await startRedis();
  onTestFinished(() => own.kill());
  const { spread } = await open(pool, own);
  const answers = Promise.all(Array.from({ length: 4 }, () => spread.backtests(requestOf())));
  await expect.poll(() => withClient((redis) => redis.keys('*:backtests:wait'), own)).toHaveLength(1);
  await own.kill();
  for (const answer of await answers) expect(answer).toMatchObject({ kind: 'backtested' });
  expect(await spread.backtests(requestOf())).toMatchObject({ kind: 'backtested' });
  await own.restart();
  // It goes through Redis again as soon as it is back.
  await expect
    .poll(async () => {
      await spread.countThreads();
      void spread.backtests(requestOf({ signal: AbortSignal.timeout(1_000) }));
      return withClient((redis) => redis.keys('*:backtests:wait'), own);
    })
    .toHaveLength(1);
});

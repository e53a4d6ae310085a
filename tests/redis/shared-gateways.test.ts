// Two real gateways with RATE_LIMITS=redis: one limit for both, also in a flood; and each has its own while Redis is away.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDataDir, type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const LIMIT = 30;
const PER_SECOND = LIMIT / 60;
const KEYS = ['key-of-the-first-flood', 'key-of-the-second-flood', 'key-of-the-third-flood'];
const ALARM = 'Rates are counted by this process alone until Redis can be asked again';

let redis: RedisServer;
let gateways: readonly RunningProcess[] = [];

beforeAll(async () => {
  // Without its own disk: how long a busy one takes is not what this is about.
  redis = await startRedis(['--appendonly', 'no']);
  const env = {
    ...{ RATE_LIMITS: 'redis', REDIS_URL: redis.url },
    ...{ WEBHOOK_API_KEYS: KEYS.join(), WEBHOOK_RATE_PER_MINUTE: `${LIMIT}`, QUEUE_MODE: 'async' },
  };
  gateways = await Promise.all([startGatewayProcess({ env }), startGatewayProcess({ env })]);
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  await redis?.kill();
});

/** The status of each answer, by gateway, and what the limit may have grown by meanwhile. */
async function flood(apiKey: string | undefined, signals: number, onAnswer: (answered: number) => void = () => {}) {
  const statuses: number[][] = gateways.map(() => []);
  const startMs = performance.now();
  let answered = 0;
  const send = async (at: number): Promise<void> => {
    const gateway = gateways[at % 2] as RunningProcess;
    const signal = { apiKey, exchange: 'mexc', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.0001 };
    const answer = await fetch(`${gateway.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    await answer.arrayBuffer();
    statuses[at % 2]?.push(answer.status);
    answered += 1;
    onAnswer(answered);
  };
  // Twenty at a time: some are under way whatever happens meanwhile.
  let next = 0;
  const line = async (): Promise<void> => {
    while (next < signals) {
      next += 1;
      await send(next);
    }
  };
  await Promise.all(Array.from({ length: 20 }, line));
  const grown = Math.ceil(((performance.now() - startMs) / 1000) * PER_SECOND);
  const passed = statuses.map((some) => some.filter((status) => status === 202).length);
  return { statuses: new Set(statuses.flat()), passed, grown };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const warnings = async ({ url }: RunningProcess): Promise<string> => {
  const ready = (await (await fetch(`${url}/ready`)).json()) as { warnings: string[] };
  return ready.warnings.join();
};

/** Of its log, with a message that begins so. */
const lines = (gateway: RunningProcess, begin: string): number => gateway.output().split(`"msg":"${begin}`).length - 1;
/** On a machine that is busy beyond measure a quarter of a second may be too little: then they counted alone for a moment. */
const lostBy = (): number => gateways.reduce((total, gateway) => total + lines(gateway, ALARM), 0);

const doctor = async (): Promise<string> =>
  (await runSignalbox(['doctor'], { DATA_DIR: freshDataDir(), RATE_LIMITS: 'redis', REDIS_URL: redis.url })).stdout;

test('a flood over both passes what one of them may pass', async () => {
  const { statuses, passed, grown } = await flood(KEYS[0], 300);
  expect(statuses).toEqual(new Set([202, 429]));
  expect(sum(passed)).toBeGreaterThanOrEqual(LIMIT);
  if (lostBy() === 0) expect(sum(passed)).toBeLessThanOrEqual(LIMIT + grown);
});

test('Redis killed in the middle of it: nobody gets a 500, and each gateway keeps its own limit', async () => {
  let killed: Promise<void> | undefined;
  const { statuses, passed, grown } = await flood(KEYS[1], 400, (answered) => {
    if (answered === 10) killed = redis.kill();
  });
  await killed;
  expect(statuses).toEqual(new Set([202, 429]));
  for (const some of passed) expect(some).toBeLessThanOrEqual(LIMIT + grown);
  expect(sum(passed)).toBeGreaterThanOrEqual(LIMIT);
  for (const gateway of gateways) await expect.poll(() => warnings(gateway)).toContain(ALARM);
  expect(await doctor()).toMatch(/warn +redis: Redis at 127\.0\.0\.1:\d+ cannot be reached/);
});

test('over when Redis is back, told once for each loss, and shared again', async () => {
  await redis.restart();
  for (const gateway of gateways) {
    await expect.poll(() => warnings(gateway)).not.toContain(ALARM);
    await expect.poll(() => lines(gateway, `over: ${ALARM}`)).toBe(lines(gateway, ALARM));
    expect(lines(gateway, ALARM)).toBeGreaterThan(0);
  }
  expect(await doctor()).toMatch(/ok +redis: answers at 127\.0\.0\.1:\d+, for RATE_LIMITS=redis/);
  const before = lostBy();
  const { statuses, passed, grown } = await flood(KEYS[2], 300);
  expect(statuses).toEqual(new Set([202, 429]));
  if (lostBy() === before) expect(sum(passed)).toBeLessThanOrEqual(LIMIT + grown);
});

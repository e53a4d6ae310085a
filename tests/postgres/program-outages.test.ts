// The whole program while its PostgreSQL goes away under it: for half a minute it waits for it, for longer it ends, and what it
// has answered is there either way.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/trading/leases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { INTERNAL_TOKEN, listAt, livedUntilTraded, post, STANDBY_KEY } from '../support/standby.ts';

const POLL = { timeout: 120_000, interval: 50 };
/** Well within a lease, with a renewal that was due just before. */
const MOMENT_MS = LEASE_MS / 2;
const BETWEEN_SIGNALS_MS = 20;

let server: PostgresServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  env = {
    ...{ DATABASE_URL: await server.newDatabase(), WEBHOOK_API_KEYS: STANDBY_KEY, INTERNAL_TOKEN },
    ...{ LOG_LEVEL: 'error', WEBHOOK_RATE_PER_MINUTE: '0' },
  };
});

/** Sends one signal after the other until it is told to stop; what each was answered. */
function keepSending(url: string, name: string) {
  const answers = new Map<string, number>();
  let isOver = false;
  const under = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const alertId = `${name} ${number}`;
      answers.set(alertId, await post(url, alertId).catch(() => 0));
      await sleep(BETWEEN_SIGNALS_MS);
    }
  })();
  const stop = async (): Promise<Map<string, number>> => {
    isOver = true;
    await under;
    return answers;
  };
  return { answers, stop };
}

const isTaken = (status: number): boolean => status === 200 || status === 202;

/** What was answered is there once and has ended; of what was refused nothing is there that is not whole. */
async function checkTrades(url: string, answers: ReadonlyMap<string, number>): Promise<void> {
  const list = async () => (await listAt<{ alertId: string; status: string }>(url, '/trades?limit=500')) ?? [];
  await expect.poll(async () => new Set((await list()).map(({ status }) => status)), POLL).toEqual(new Set(['Filled']));
  const names = (await list()).map(({ alertId }) => alertId);
  expect(new Set(names).size).toBe(names.length);
  const taken = [...answers].filter(([, status]) => isTaken(status)).map(([alertId]) => alertId);
  expect(taken.filter((alertId) => !names.includes(alertId))).toEqual([]);
  // One that was refused in words was not taken. A 500 says that nobody knows.
  const refused = [...answers].filter(([, status]) => status === 503).map(([alertId]) => alertId);
  expect(refused.filter((alertId) => names.includes(alertId))).toEqual([]);
}

const awayMs = async (): Promise<number> => {
  const beganMs = performance.now();
  await server.kill();
  await server.restart();
  return performance.now() - beganMs;
};

test('a PostgreSQL that is killed and back within a moment: the same process trades on', async () => {
  let running: RunningProcess | undefined;
  for (let lastedMs = Number.POSITIVE_INFINITY; lastedMs > MOMENT_MS; ) {
    // A machine that is busy starts it too slowly for a moment; then another process tries again.
    await running?.kill();
    running = await startGatewayProcess({ env });
    const sending = keepSending(running.url, `life ${running.child.pid}`);
    await expect.poll(() => sending.answers.size, POLL).toBeGreaterThan(5);
    lastedMs = await awayMs();
    if (lastedMs <= MOMENT_MS) await livedUntilTraded(running.url, 'it is back');
    const answers = await sending.stop();
    if (lastedMs <= MOMENT_MS) await checkTrades(running.url, answers);
  }
  expect(running?.child.exitCode).toBeNull();
  expect(await running?.stop()).toBe(0);
});

test('one that stays away: the process ends by itself, and the next one has all that was answered', async () => {
  const running = await startGatewayProcess({ env });
  const sending = keepSending(running.url, 'before');
  await expect.poll(() => sending.answers.size, POLL).toBeGreaterThan(5);
  const gone = once(running.child, 'exit');
  await server.kill();
  await gone;
  expect(running.child.exitCode).toBe(1);
  expect(running.output()).toMatch(/PostgreSQL at \S+ was away for 34 s, or this process was held up/);
  expect(running.output()).not.toContain('belongs to another process');
  const answers = await sending.stop();
  await expect(startGatewayProcess({ env, dataDir: running.dataDir })).rejects.toThrow(/cannot be reached/);
  await server.restart();
  const next = await startGatewayProcess({ env, dataDir: running.dataDir });
  await livedUntilTraded(next.url, 'it is back');
  await checkTrades(next.url, answers);
  expect(await next.stop()).toBe(0);
});

test.each([
  ['one that is silent for a moment, and answers nothing', MOMENT_MS],
  ['one that is silent for longer than a lease, which nobody else wants', LEASE_MS + MOMENT_MS],
])('%s: the same process trades on', async (_, silentMs) => {
  const running = await startGatewayProcess({ env });
  const sending = keepSending(running.url, 'silent');
  await expect.poll(() => sending.answers.size, POLL).toBeGreaterThan(5);
  server.pause();
  await sleep(silentMs);
  server.resume();
  await livedUntilTraded(running.url, 'it is back');
  await checkTrades(running.url, await sending.stop());
  expect(running.child.exitCode).toBeNull();
  expect(await running.stop()).toBe(0);
});

test('a process that was held up for longer than its lease, which nobody else wanted, trades on', async () => {
  const running = await startGatewayProcess({ env });
  const sending = keepSending(running.url, 'held up');
  await expect.poll(() => sending.answers.size, POLL).toBeGreaterThan(5);
  running.child.kill('SIGSTOP');
  await sleep(LEASE_MS + MOMENT_MS);
  running.child.kill('SIGCONT');
  await livedUntilTraded(running.url, 'it is back');
  await checkTrades(running.url, await sending.stop());
  await expect.poll(() => running.output(), POLL).toContain('the lease was not renewed within 4 s; no order leaves');
  expect(running.child.exitCode).toBeNull();
  expect(await running.stop()).toBe(0);
});

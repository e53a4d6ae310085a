// Several processes on one PostgreSQL: one owns the desk, the others pass on what they get and take over when it is gone.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freePort } from '../support/launched-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import {
  freshDataDir,
  type RunningProcess,
  runSignalbox,
  spawnSignalbox,
  startGatewayProcess,
} from '../support/process.ts';

const apiKey = `whk_${'k'.repeat(43)}`;
const INTERNAL_TOKEN = 't'.repeat(32);
const TAKE_OVER_MS = 10_000;

let server: PostgresServer;
let databaseUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startPostgres();
});

beforeEach(async () => {
  databaseUrl = await server.newDatabase();
  env = {
    DATABASE_URL: databaseUrl,
    WEBHOOK_API_KEYS: apiKey,
    INTERNAL_TOKEN,
    LOG_LEVEL: 'error',
    WEBHOOK_RATE_PER_MINUTE: '0',
  };
});

const startOwner = (more: Record<string, string> = {}): Promise<RunningProcess> =>
  startGatewayProcess({ env: { ...env, ...more } });

interface Standby {
  readonly url: string;
  readonly dataDir: string;
  readonly output: () => string;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** Resolves when it has said that it stands by. */
async function startStandby(): Promise<Standby> {
  const dataDir = freshDataDir();
  const child = spawnSignalbox(['start'], { ...env, SERVICES: 'gateway', DATA_DIR: dataDir });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const gone = once(child, 'exit');
  closeAtEnd(async () => child.kill('SIGKILL'));
  await expect.poll(() => text, { timeout: 30_000 }).toMatch(/stands by at http/);
  const url = /stands by at (http:\S+):/.exec(text)?.[1] ?? '';
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await gone;
    return child.exitCode;
  };
  return {
    url,
    dataDir,
    output: () => text,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

const post = async (url: string, alertId: string) => {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1, alertId };
  const answer = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  return answer.status;
};

const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
const tradesAt = async (url: string) => {
  const answer = await fetch(`${url}/trades?limit=100`, { headers });
  return ((await answer.json()) as { result: { alertId: string; status: string }[] }).result;
};

const warningsAt = async (url: string): Promise<string> => (await fetch(`${url}/ready`)).text();

describe('a process that stands by', () => {
  test('passes signals, questions and settings on to the owner, from whichever side they come', async () => {
    const owner = await startOwner();
    const standby = await startStandby();
    expect(await post(standby.url, 'a')).toBe(200);
    expect(await post(owner.url, 'a')).toBe(409);
    expect(await tradesAt(standby.url)).toEqual(await tradesAt(owner.url));
    const body = JSON.stringify({ active: true });
    for (let round = 0; round < 20; round += 1) {
      await fetch(`${standby.url}/admin/kill-switch`, { method: 'PUT', headers, body });
      expect(await post(owner.url, `b${round}`)).toBe(503);
      await fetch(`${owner.url}/admin/kill-switch`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ active: false }),
      });
      expect(await post(standby.url, `c${round}`)).toBe(200);
    }
    // Without the token nobody steers from there: it came through a proxy.
    expect((await fetch(`${standby.url}/trades`)).status).toBe(401);
    expect(await standby.stop()).toBe(0);
    await owner.stop();
    // Its folder belongs to that database too: it must not begin with empty books.
    expect((await runSignalbox(['keys', 'list'], { DATA_DIR: standby.dataDir })).stderr).toContain('set DATABASE_URL');
  });

  test('takes over when the owner is killed: within ten seconds, and nothing is lost or traded twice', async () => {
    const owner = await startOwner();
    const standby = await startStandby();
    const answered = new Map<string, number | undefined>();
    const send = async (url: string, alertId: string): Promise<void> => {
      answered.set(alertId, await post(url, alertId).catch(() => undefined));
    };
    const sending = Array.from({ length: 60 }, (_, n) => send(n % 2 === 0 ? owner.url : standby.url, `signal ${n}`));
    await Promise.race(sending);
    await owner.kill();
    const killedAtMs = performance.now();
    await Promise.all(sending);
    // A sender that got no answer, or a refusal, sends again, as charting platforms do.
    for (const [alertId, status] of answered)
      for (let last = status; last !== 200 && last !== 202 && last !== 409; ) {
        last = await post(standby.url, alertId).catch(() => undefined);
        if (last === 503) await sleep(100);
        expect(performance.now() - killedAtMs).toBeLessThan(TAKE_OVER_MS + 20_000);
        answered.set(alertId, last);
      }
    await expect
      .poll(async () => (await tradesAt(standby.url))?.filter(({ status }) => status === 'Filled').length)
      .toBe(60);
    const trades = await tradesAt(standby.url);
    expect(new Set(trades.map(({ alertId }) => alertId)).size).toBe(60);
    expect(trades).toHaveLength(60);
    // What was not answered is guarded against being sent again, as after every crash.
    expect(await warningsAt(standby.url)).toContain('it was not stopped properly');
    await standby.stop();
  });

  test('takes over at once when the owner stops properly', async () => {
    const owner = await startOwner();
    const standby = await startStandby();
    await owner.stop();
    const stoppedAtMs = performance.now();
    await expect.poll(() => post(standby.url, 'a').catch(() => 0), { timeout: TAKE_OVER_MS }).toBe(200);
    expect(performance.now() - stoppedAtMs).toBeLessThan(TAKE_OVER_MS);
    expect(await warningsAt(standby.url)).not.toContain('it was not stopped properly');
    await standby.stop();
  });

  test('an owner that was held up ends when it wakes, and has traded nothing meanwhile', async () => {
    const owner = await startOwner();
    const standby = await startStandby();
    owner.child.kill('SIGSTOP');
    await expect.poll(() => post(standby.url, 'a').catch(() => 0), { timeout: 2 * TAKE_OVER_MS }).toBe(200);
    const gone = once(owner.child, 'exit');
    owner.child.kill('SIGCONT');
    await gone;
    expect(owner.child.exitCode).toBe(1);
    expect(owner.output()).toContain('the desk belongs to another process now');
    expect(await tradesAt(standby.url)).toHaveLength(1);
    await standby.stop();
  });
});

test('the owner dies in the midst of trailing stops: each of them fires once', async () => {
  const owner = await startOwner();
  const standby = await startStandby();
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
  for (const symbol of symbols) {
    const signal = {
      apiKey,
      exchange: 'binance',
      action: 'LONG',
      symbol,
      quantity: 1,
      trailPercent: 0.01,
    };
    const answer = await fetch(`${standby.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    expect(answer.status).toBe(200);
  }
  await owner.kill();
  const list = async (path: string): Promise<Record<string, unknown>[] | undefined> => {
    const answer = await fetch(standby.url + path, { headers }).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as { result: Record<string, unknown>[] }).result : undefined;
  };
  await expect.poll(() => list('/positions'), { timeout: 120_000, interval: 200 }).toEqual([]);
  const closes = ((await list('/trades?limit=100')) ?? []).filter(({ keyLabel }) => keyLabel === 'protection');
  expect(closes.map(({ market, status }) => `${market} ${status}`).sort()).toEqual(
    symbols.map((name) => `${name} Filled`),
  );
  await standby.stop();
});

test('without INTERNAL_TOKEN a second process does not start, and says what to do', async () => {
  const owner = await startOwner({ INTERNAL_TOKEN: '' });
  await expect(startGatewayProcess({ env: { ...env, INTERNAL_TOKEN: '' } })).rejects.toThrow(
    /Another Signalbox, at http:\S+, trades on the database of DATABASE_URL.*set INTERNAL_TOKEN/s,
  );
  await owner.stop();
});

test('a command on another machine reaches the owner, and where none runs the database', async () => {
  const owner = await startOwner();
  const standby = await startStandby();
  const elsewhere = { ...env, DATA_DIR: standby.dataDir };
  expect((await runSignalbox(['kill-switch', 'on'], elsewhere)).stdout).toContain('is ON');
  expect(await post(owner.url, 'a')).toBe(503);
  await standby.stop();
  await owner.stop();
  expect((await runSignalbox(['kill-switch', 'off'], elsewhere)).code).toBe(0);
  const again = await startOwner();
  expect(await post(again.url, 'a')).toBe(200);
  await again.stop();
});

test('an owner whose PROCESS_URL leads to the one that stands by: an answer, and no circle', async () => {
  const [port, ownPort] = [await freePort(), await freePort()];
  const owner = await startOwner({ PROCESS_URL: `http://127.0.0.1:${port}`, PORT: `${ownPort}` });
  env = { ...env, PORT: `${port}`, PROCESS_URL: `http://127.0.0.1:${ownPort}` };
  const standby = await startStandby();
  expect(await post(standby.url, 'a')).toBe(503);
  expect(await post(owner.url, 'a')).toBe(200);
  await standby.stop();
  await owner.stop();
});

test('an owner that was killed and is started again waits for its own lease and goes on', async () => {
  const owner = await startOwner();
  expect(await post(owner.url, 'a')).toBe(200);
  await owner.kill();
  const again = await startGatewayProcess({ dataDir: owner.dataDir, env });
  expect(await post(again.url, 'a')).toBe(409);
  await again.stop();
});

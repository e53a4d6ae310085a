// Several processes on one PostgreSQL: one owns the desk, the others hand on what they get and take over when it is gone.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { freePort } from '../support/launched-server.ts';
import { MAIN, watchLoadedFiles } from '../support/loaded-files.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { post as postOver } from '../support/senders.ts';
import {
  INTERNAL_TOKEN,
  listAt,
  livedUntilTraded,
  post,
  STANDBY_KEY,
  startStandby,
  TAKE_OVER_MS,
} from '../support/standby.ts';
import { openCollector } from '../support/trace-collector.ts';

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
    WEBHOOK_API_KEYS: STANDBY_KEY,
    INTERNAL_TOKEN,
    LOG_LEVEL: 'error',
    WEBHOOK_RATE_PER_MINUTE: '0',
  };
});

const startOwner = (more: Record<string, string> = {}): Promise<RunningProcess> =>
  startGatewayProcess({ env: { ...env, ...more } });

const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
const tradesAt = async (url: string) =>
  (await listAt<{ alertId: string; status: string }>(url, '/trades?limit=100')) ?? [];

const warningsAt = async (url: string): Promise<string> => (await fetch(`${url}/ready`)).text();

describe('a process that stands by', () => {
  test('passes signals, questions and settings on to the owner, from whichever side they come', async () => {
    const owner = await startOwner();
    const standby = await startStandby(env);
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
    const { stdout } = await runSignalbox(['doctor'], { ...env, DATA_DIR: standby.dataDir });
    expect(stdout).toContain(
      `the Signalbox at ${owner.url} trades on the database of DATABASE_URL, and one that runs here stands by`,
    );
    // Without the token nobody steers from there: it came through a proxy.
    expect((await fetch(`${standby.url}/trades`)).status).toBe(401);
    expect(await standby.stop()).toBe(0);
    await owner.stop();
    // Its folder belongs to that database too: it must not begin with empty books.
    expect((await runSignalbox(['keys', 'list'], { DATA_DIR: standby.dataDir })).stderr).toContain('set DATABASE_URL');
  });

  test('takes over when the owner is killed: within ten seconds, and nothing is lost or traded twice', async () => {
    const owner = await startOwner();
    const standby = await startStandby(env);
    const answered = new Map<string, number | undefined>();
    const send = async (url: string, alertId: string): Promise<void> => {
      answered.set(alertId, await post(url, alertId).catch(() => undefined));
    };
    const sending = Array.from({ length: 60 }, (_, n) => send(n % 2 === 0 ? owner.url : standby.url, `signal ${n}`));
    await Promise.race(sending);
    await owner.kill();
    expect(await livedUntilTraded(standby.url, 'the first')).toBeLessThan(TAKE_OVER_MS);
    await Promise.all(sending);
    // A sender that got no answer, or a refusal, sends again, as charting platforms do.
    for (const [alertId, status] of answered)
      for (let last = status; last !== 200 && last !== 202 && last !== 409; ) {
        last = await post(standby.url, alertId).catch(() => undefined);
        if (last === 503) await sleep(100);
        answered.set(alertId, last);
      }
    await expect
      .poll(async () => (await tradesAt(standby.url)).filter(({ status }) => status === 'Filled').length)
      .toBe(61);
    const trades = await tradesAt(standby.url);
    expect(new Set(trades.map(({ alertId }) => alertId)).size).toBe(61);
    expect(trades).toHaveLength(61);
    // What was not answered is guarded against being sent again, as after every crash.
    expect(await warningsAt(standby.url)).toContain('it was not stopped properly');
    await standby.stop();
  });

  test('takes over at once when the owner stops properly', async () => {
    const owner = await startOwner();
    const standby = await startStandby(env);
    await owner.stop();
    expect(await livedUntilTraded(standby.url, 'a')).toBeLessThan(TAKE_OVER_MS);
    expect(await warningsAt(standby.url)).not.toContain('it was not stopped properly');
    await standby.stop();
  });

  test('an owner that was held up ends when it wakes, and has traded nothing meanwhile', async () => {
    const owner = await startOwner();
    const standby = await startStandby(env);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const overOne = (alertId: string) => {
      const order = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1 };
      return postOver(standby.url, agent, JSON.stringify({ apiKey: STANDBY_KEY, ...order, alertId }));
    };
    expect((await overOne('before'))?.status).toBe(200);
    owner.child.kill('SIGSTOP');
    // Over the connection that was handed on to it.
    const carried = overOne('carried').then((answer) => String(answer?.status ?? 'broken off'));
    expect(await livedUntilTraded(standby.url, 'a')).toBeLessThan(TAKE_OVER_MS);
    expect(await Promise.race([carried, sleep(20_000, 'still waiting')])).toBe('broken off');
    const gone = once(owner.child, 'exit');
    owner.child.kill('SIGCONT');
    await gone;
    expect(owner.child.exitCode).toBe(1);
    expect(owner.output()).toContain('the desk belongs to another process now');
    expect((await tradesAt(standby.url)).map(({ alertId }) => alertId).toSorted()).toEqual(['a', 'before']);
    await standby.stop();
  });
});

test('what the owner of a live account needs is loaded while the process stands by: a take-over does not wait for it', async () => {
  const venue = await startBinance();
  closeAtEnd(() => venue.close());
  venue.market.setPrice('ETHUSDT', '3000');
  const { apiKey, secret } = venue.credentials;
  Object.assign(env, {
    ...{ BINANCE_MODE: 'live', BINANCE_BASE_URL: venue.baseUrl, BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret },
    CONFIRM_FIRST_LIVE_ORDER: 'no',
  });
  const owner = await startOwner();
  const files = watchLoadedFiles();
  const standby = await startStandby({ ...env, ...files.env }, MAIN);
  const before = files.by('main.ts');
  expect(before.filter((name) => name.includes('/node_modules/ccxt/')).length).toBeGreaterThan(0);
  await owner.stop();
  await livedUntilTraded(standby.url, 'a');
  expect(files.by('main.ts').slice(before.length)).toEqual([]);
  await standby.stop();
});

test('a venue that never answers holds up no take-over; what waited for it is traded by the next owner, as one trace', async () => {
  const collector = await openCollector();
  const venue = await startBinance();
  closeAtEnd(() => venue.close());
  venue.market.setPrice('ETHUSDT', '3000');
  const { apiKey, secret } = venue.credentials;
  Object.assign(env, {
    ...{ BINANCE_MODE: 'live', BINANCE_BASE_URL: venue.baseUrl, BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret },
    ...{ CONFIRM_FIRST_LIVE_ORDER: 'no', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, QUEUE_MODE: 'failover' },
  });
  const owner = await startOwner();
  const standby = await startStandby(env);
  expect(await post(standby.url, 'entry', { quantity: 0.01, stopLoss: 2000 })).toBe(200);
  // It takes connections, and says nothing on them.
  venue.faults.silent = true;
  expect(await post(standby.url, 'waits', { quantity: 0.02 })).toBe(202);
  const waits = (await listAt<Record<string, string>>(standby.url, '/trades?limit=1'))?.[0];
  const stepsOf = () => collector.of(waits?.requestId ?? '').map(({ name }) => name);
  await expect.poll(stepsOf, { timeout: 20_000 }).toContain('signal');
  expect(stepsOf()).not.toContain('place order');
  await owner.kill();
  expect(await livedUntilTraded(standby.url, 'elsewhere', { exchange: 'bybit' })).toBeLessThan(TAKE_OVER_MS);
  venue.faults.silent = false;
  await expect.poll(stepsOf, { timeout: 60_000 }).toEqual(expect.arrayContaining(['signal', 'place order', 'outcome']));
  expect(venue.market.account.heldPositions('ETHUSDT').map(({ quantity }) => toText(quantity))).toEqual(['0.03']);
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
  const standby = await startStandby(env);
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
  const standby = await startStandby(env);
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

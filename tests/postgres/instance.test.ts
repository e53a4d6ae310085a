// An instance whose rows are in PostgreSQL (DATABASE_URL), through its front doors.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { freshDataDir, type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';

let server: PostgresServer;
let url: string;
let dataDir: string;
const apiKey = `whk_${'k'.repeat(43)}`;

beforeAll(async () => {
  server = await startPostgres();
});

beforeEach(async () => {
  url = await server.newDatabase();
  dataDir = freshDataDir();
});

const start = (env: Record<string, string> = {}): Promise<RunningProcess> =>
  startGatewayProcess({ dataDir, env: { DATABASE_URL: url, WEBHOOK_API_KEYS: apiKey, LOG_LEVEL: 'error', ...env } });

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runSignalbox(args, { DATA_DIR: dataDir, DATABASE_URL: url, ...env });

const send = async (running: RunningProcess, alertId: string) => {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1, alertId };
  const answer = await fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  return { status: answer.status, body: (await answer.json()) as { error?: { message: string } } };
};

const read = async (running: RunningProcess, path: string): Promise<never> =>
  ((await (await fetch(running.url + path)).json()) as { result: never }).result;

describe('one process', () => {
  test('trades, and knows it after kill -9: trades, positions, duplicates, the kill switch and the audit', async () => {
    const first = await start();
    expect(await send(first, 'a')).toMatchObject({ status: 200 });
    const trades = await read(first, '/trades');
    await first.kill();

    const second = await start();
    expect(await read(second, '/trades')).toEqual(trades);
    expect(await read(second, '/positions')).toMatchObject([{ market: 'ETHUSDT', quantity: 0.1 }]);
    expect(await send(second, 'a')).toMatchObject({ status: 409 });
    const turned = await fetch(`${second.url}/admin/kill-switch`, {
      method: 'PUT',
      body: JSON.stringify({ active: true, reason: 'a test' }),
    });
    expect(turned.status).toBe(200);
    await second.kill();

    const third = await start();
    expect(await send(third, 'b')).toMatchObject({ status: 503 });
    expect(JSON.stringify(await read(third, '/admin/audit'))).toContain('a test');
    expect(await third.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'signalbox.db'))).toBe(false);
    expect(existsSync(join(dataDir, 'settings.db'))).toBe(false);
  });

  test('the address is shown nowhere with its password', async () => {
    const running = await start({ LOG_LEVEL: 'debug' });
    await send(running, 'a');
    const ready = await (await fetch(`${running.url}/ready`)).text();
    const doctor = await run(['doctor']);
    await running.stop();
    expect(running.output() + ready + doctor.stdout + doctor.stderr).not.toContain('a-password-of-tests');
    expect(doctor.stdout).toMatch(/PostgreSQL 1\d\.\S+ at 127\.0\.0\.1:\d+\/test_\d+/);
  });

  test('commands work while nothing runs', async () => {
    expect((await run(['keys', 'create', '--label', 'mine'])).stderr).toContain('There is no Signalbox instance');
    await (await start()).stop();
    expect((await run(['keys', 'create', '--label', 'mine'])).stdout).toContain('whk_');
    expect((await run(['keys', 'list'])).stdout).toContain('mine');
    expect((await run(['kill-switch', 'on'])).code).toBe(0);
    const again = await start();
    expect(await send(again, 'x')).toMatchObject({ status: 503 });
    await again.stop();
  });
});

describe('a folder and its database belong together', () => {
  test('a folder with rows in PostgreSQL does not start without DATABASE_URL, or with another one', async () => {
    await (await start()).stop();
    await expect(start({ DATABASE_URL: '' })).rejects.toThrow(
      /the rows of \S+ are in PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+ \(since [^)]+\): set DATABASE_URL to its address/,
    );
    await expect(start({ DATABASE_URL: await server.newDatabase() })).rejects.toThrow(/Correct it; if the database/);
    expect((await run(['keys', 'list'], { DATABASE_URL: '' })).stderr).toContain('set DATABASE_URL');
    await (await start()).stop();
  });

  test('a folder with rows in files does not start with DATABASE_URL', async () => {
    await (await start({ DATABASE_URL: '' })).stop();
    await expect(start()).rejects.toThrow(/Move them with "signalbox migrate"/);
    expect((await run(['doctor'])).stdout).toContain('signalbox migrate');
    await (await start({ DATABASE_URL: '' })).stop();
  });

  test('a database that has lost its tables is not filled anew', async () => {
    await (await start()).stop();
    await server.query('DROP SCHEMA trading CASCADE; DROP SCHEMA owner CASCADE', url);
    await expect(start()).rejects.toThrow(/is empty, but the rows of \S+ were there before\. Restore it from a backup/);
    expect((await run(['keys', 'list'])).stderr).toContain('is empty, but the rows');
    expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'trading'", url)).toEqual([]);
  });

  test('a damaged note is told', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'moved-to-postgresql.json'), 'x');
    await expect(start()).rejects.toThrow(/names another place|are in PostgreSQL at another place/);
  });

  test('a database that cannot be reached leaves no note', async () => {
    await expect(start({ DATABASE_URL: server.urlOf('absent') })).rejects.toThrow(/has no such database/);
    await (await start()).stop();
    expect(readFileSync(join(dataDir, 'moved-to-postgresql.json'), 'utf8')).not.toContain('absent');
  });
});

test('replay says plainly that it needs files', async () => {
  await (await start()).stop();
  const { code, stderr } = await run(['replay', '--from', '2026-01-01']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/"signalbox replay" goes by the files of a data folder, and with DATABASE_URL/);
});

describe('POST /query', () => {
  const query = async (running: RunningProcess, text: string) => {
    const body = JSON.stringify({ query: text });
    const answer = await fetch(`${running.url}/query`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as { results?: unknown[]; error?: string } };
  };

  test('answers what was traded, and nothing of the owner', async () => {
    const running = await start();
    await send(running, 'a');
    expect(await query(running, 'SELECT market, state FROM trades')).toMatchObject({
      status: 200,
      body: { results: [{ market: 'ETHUSDT' }] },
    });
    expect((await query(running, 'SELECT * FROM webhook_keys')).status).toBe(403);
    await running.stop();
  });

  test('a user who may not make roles trades all the same, and is told what /query needs', async () => {
    const database = new URL(url).pathname.slice(1);
    await server.query(`CREATE ROLE plain LOGIN PASSWORD 'plain'; GRANT CREATE ON DATABASE ${database} TO plain`);
    url = server.urlOf(database, 'plain', 'plain');
    const running = await start();
    expect(await send(running, 'a')).toMatchObject({ status: 200 });
    const refused = await query(running, 'SELECT 1');
    expect(refused.status).toBe(500);
    await expect.poll(() => running.output() + refused.body.error).toContain('QUERY_DATABASE_URL');
    await running.stop();
  });
});

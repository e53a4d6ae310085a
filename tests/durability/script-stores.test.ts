// What scripts and their keys are kept in, damaged, missing or mixed up: told in words, and none of it keeps trades waiting.

import { existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { runCommandHere } from '../cli/command-line.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type RunningProcess, runSignalbox, type StartOptions, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'the-admin-token-of-this-process!';
const BARS = [{ time: 1, open: 1, high: 1, low: 1, close: 7, volume: 1 }];
const SCRIPT = '//@version=6\nindicator("x")\nplot(close)';

async function begin(options: StartOptions = {}): Promise<RunningProcess> {
  const running = await startProcess({ ...options, env: { ADMIN_TOKEN, ...options.env } });
  closeAtEnd(async () => void (await running.stop()));
  return running;
}

async function ask(running: RunningProcess, path: string, body?: object, headers = {}) {
  const method = body === undefined ? 'GET' : path.startsWith('/api/scripts/') ? 'PUT' : 'POST';
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(running.url + path, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const ready = (running: RunningProcess) => ask(running, '/ready');
const run = (running: RunningProcess) => ask(running, '/run', { script: SCRIPT, data: BARS });

async function expectTrades(running: RunningProcess, apiKey: string | undefined): Promise<void> {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const { status, body } = await ask(running, '/webhook', signal);
  expect([status, body.tradeResult]).toMatchObject([200, { status: 'Filled' }]);
}

/** Writes over the root page of a table, which nothing reads until somebody asks for its rows. */
function damageTable(path: string, table: string): void {
  const db = new DatabaseSync(path);
  const { root, size } = db
    .prepare('SELECT rootpage AS root, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = ?')
    .get(table) as { root: number; size: number };
  db.exec('PRAGMA journal_mode = DELETE');
  db.close();
  writeSync(openSync(path, 'r+'), Buffer.alloc(size, 0xab), 0, size, (root - 1) * size);
}

describe('scripts.db with a damaged page', () => {
  it('makes /ready say so from the first time somebody needs that page, with the remedy', async () => {
    const first = await begin();
    const made = await ask(first, '/api/keys?action=create', { tier: 'pro' }, { 'x-admin-token': ADMIN_TOKEN });
    const headers = { authorization: `Bearer ${made.body.api_key}` };
    expect((await ask(first, '/api/scripts/mine', { name: 'x', content: SCRIPT }, headers)).status).toBe(201);
    await first.stop();
    damageTable(join(first.dataDir, 'scripts.db'), 'versions');
    const running = await begin({ dataDir: first.dataDir });
    expect((await ready(running)).body).toMatchObject({ checks: { scripts: 'ok', 'script keys': 'ok' } });
    expect(await ask(running, '/api/scripts/mine', undefined, headers)).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE' },
    });
    const words = 'scripts.db is damaged; stop Signalbox, keep a copy of the file, and restore a backup';
    // An answer of the same second may be shown once more.
    await vi.waitFor(
      async () => expect((await ready(running)).body.checks).toMatchObject({ scripts: words, deployments: words }),
      { timeout: 30_000, interval: 200 },
    );
    expect((await ready(running)).status).toBe(503);
    await expect.poll(() => running.output()).toContain(`${join(first.dataDir, 'scripts.db')} is damaged`);
    await expectTrades(running, first.apiKey);
  });
});

describe('a damaged file of the analysis keys', () => {
  it('switches off analysis keys alone: greeting, /ready and doctor say why, and it is taken up when it is mended', async () => {
    const first = await begin();
    await first.stop();
    const { dataDir } = first;
    const path = join(dataDir, 'api_keys.json');
    writeFileSync(path, '{');
    const words = 'is damaged (it is no JSON';
    const stopped = await runCommandHere(['doctor'], { DATA_DIR: dataDir });
    expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining(`analysis keys: ${path} ${words}`)]);
    const running = await begin({ dataDir });
    expect(running.output()).toContain(`Warning:      Analysis keys are off: ${path} ${words}`);
    expect((await run(running)).status).toBe(200);
    const made = await ask(running, '/api/keys?action=create', { tier: 'pro' }, { 'x-admin-token': ADMIN_TOKEN });
    expect(made.status).toBe(200);
    await expectTrades(running, first.apiKey);
    const refused = await ask(running, '/auth/create_key', {}, { 'x-admin-token': ADMIN_TOKEN });
    expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(refused.body.message).not.toContain(dataDir);
    const { status, body } = await ready(running);
    expect([status, body.checks]).toMatchObject([200, { 'analysis keys': 'off', scripts: 'ok' }]);
    expect(String(body.warnings)).toContain(`Analysis keys are off: api_keys.json ${words}`);
    expect(readFileSync(path, 'utf8')).toBe('{');
    const asked = await runCommandHere(['doctor'], { DATA_DIR: dataDir });
    expect(asked.stdout).toContain(`instance: Analysis keys are off: api_keys.json ${words}`);
    rmSync(path);
    await vi.waitFor(
      async () =>
        expect((await ask(running, '/auth/create_key', {}, { 'x-admin-token': ADMIN_TOKEN })).status).toBe(200),
      { timeout: 30_000, interval: 200 },
    );
  });
});

describe('scripts.db that is missing in a folder that had it', () => {
  it('keeps scripts off and trading running: greeting, /ready and doctor say why; put back, it is taken up', async () => {
    const first = await begin();
    await first.stop();
    const { dataDir } = first;
    const path = join(dataDir, 'scripts.db');
    renameSync(path, `${path}.away`);
    const running = await begin({ dataDir });
    const words = 'missing or empty, but this folder had it before';
    expect(running.output()).toMatch(
      /Warning: +Scripts and analysis are away and are started again: .*scripts\.db: missing/,
    );
    await expectTrades(running, first.apiKey);
    expect((await run(running)).status).toBe(503);
    const { status, body } = await ready(running);
    expect([status, String(body.warnings)]).toEqual([200, expect.stringContaining(`scripts.db: ${words}`)]);
    const { code, stdout } = await runCommandHere(['doctor'], { DATA_DIR: dataDir });
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${path}: ${words}`)]);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.away`, path);
    await vi.waitFor(async () => expect((await run(running)).status).toBe(200), { timeout: 60_000, interval: 200 });
  });
});

it('settings.db and scripts.db exchanged: the start names both, and the folder starts when they are put back', async () => {
  const first = await begin();
  await first.stop();
  const [own, other] = ['settings.db', 'scripts.db'].map((name) => join(first.dataDir, name)) as [string, string];
  const exchange = (): void => {
    renameSync(own, `${own}.aside`);
    renameSync(other, own);
    renameSync(`${own}.aside`, other);
  };
  exchange();
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: first.dataDir });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${own} holds what belongs into scripts.db`)]);
  exchange();
  expect((await run(await begin({ dataDir: first.dataDir }))).status).toBe(200);
});

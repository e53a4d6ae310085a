// What scripts and their keys are kept in, damaged, missing or mixed up: told in words, and none of it keeps trades waiting.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type RunningProcess, type StartOptions, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'the-admin-token-of-this-process!';
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
    expect(running.output()).toContain(`${join(first.dataDir, 'scripts.db')} is damaged`);
    await expectTrades(running, first.apiKey);
  });
});

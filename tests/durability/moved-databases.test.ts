// The first start on a real folder of version 0.2.0: what its own databases held is served from the new ones, the old files are
// kept under another name, and the doctor and the commands know of it.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MOVED } from '../../src/adapters/storage/sqlite/database-files.ts';
import { runCommandHere } from '../cli/command-line.ts';
import { makeOldFolder } from '../support/old-folder.ts';
import { freshDataDir, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const SCRIPT = '//@version=6\nindicator("x")\nalert("hello", alert.freq_once_per_bar_close)\nplot(close)';
const OLD_NAMES = MOVED.map(({ name }) => name).sort();

type Body = Record<string, unknown>;

async function ask(url: string, init: RequestInit = {}): Promise<Body> {
  const response = await fetch(url, init);
  const text = await response.text();
  expect([url, response.status < 300, text]).toEqual([url, true, text]);
  return JSON.parse(text) as Body;
}

/** Made once: it is copied for each test. */
let made: ReturnType<typeof makeFolder> | undefined;
async function oldFolder() {
  made ??= makeFolder();
  const { dataDir: from, ...rest } = await made;
  const dataDir = freshDataDir();
  cpSync(from, dataDir, { recursive: true });
  return { dataDir, ...rest };
}

/** Stopped, with a script key, a script, a deployment and a trade in it. */
async function makeFolder() {
  const dataDir = freshDataDir();
  const running = await startProcess({ dataDir, env: { ADMIN_TOKEN } });
  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    ask(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const key = (await post('/api/keys', {}, { 'x-admin-token': ADMIN_TOKEN })).api_key as string;
  const bearer = { authorization: `Bearer ${key}` };
  const scriptId = ((await post('/api/scripts', { name: 'X', content: SCRIPT }, bearer)).script as Body).id;
  const plan = { scriptId, symbol: 'BTCUSDT', interval: '1m', targets: [{ type: 'signals' }] };
  const id = ((await post('/api/deployments', plan, bearer)).deployment as Body).id;
  const signal = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05, trailPercent: 5 };
  await post('/webhook', { apiKey: running.apiKey, ...signal }, {});
  expect(await running.stop()).toBe(0);
  makeOldFolder(dataDir);
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(OLD_NAMES));
  return { dataDir, bearer, id };
}

it('a folder of 0.2.0 goes on where it was, and its old files are kept', async () => {
  const { dataDir, bearer, id } = await oldFolder();
  const look = await runCommandHere(['doctor'], { DATA_DIR: dataDir });
  expect(look.stdout).toContain(`${join(dataDir, 'deployments.db')} is whole; the next start moves it into scripts.db`);
  writeFileSync(join(dataDir, 'market.db'), 'bars');
  const running = await startProcess({ dataDir, env: { ADMIN_TOKEN } });
  const listed = (await ask(`${running.url}/api/deployments`, { headers: bearer })).deployments as Body[];
  expect(listed).toMatchObject([{ id, state: 'running' }]);
  const stops = (await ask(`${running.url}/agent/trailing-stops`)).result as Body[];
  expect(stops).toMatchObject([{ symbol: 'ETHUSDT', trailPercent: 5 }]);
  expect(await running.stop()).toBe(0);
  const files = readdirSync(dataDir);
  for (const name of OLD_NAMES)
    expect([name, files.includes(name), files.includes(`${name}.moved`)]).toEqual([name, false, true]);
  expect(files).not.toContain('market.db');
  const list = JSON.parse(readFileSync(join(dataDir, 'databases.json'), 'utf8')) as string[];
  expect(list.filter((name) => OLD_NAMES.includes(name))).toEqual([]);
  // As the guide says: they may go.
  for (const name of OLD_NAMES) rmSync(join(dataDir, `${name}.moved`));
  expect((await runCommandHere(['doctor'], { DATA_DIR: dataDir })).code).toBe(0);
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
});

it('a command on such a folder moves what it needs, and the start after it the rest', async () => {
  const { dataDir, bearer, id } = await oldFolder();
  const key = bearer.authorization.slice('Bearer '.length);
  const renewed = await runCommandHere(['keys', 'renew', key, '--json'], { DATA_DIR: dataDir });
  expect([renewed.code, renewed.stderr]).toEqual([0, '']);
  expect(existsSync(join(dataDir, 'script_keys.db.moved'))).toBe(true);
  const shown = await runCommandHere(['deployments', 'list', '--json'], { DATA_DIR: dataDir });
  expect(JSON.parse(shown.stdout)).toMatchObject({ result: [{ id }] });
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
});

it('a deployments.db that cannot be moved does not keep trading from starting', async () => {
  const { dataDir } = await oldFolder();
  const path = join(dataDir, 'deployments.db');
  writeFileSync(path, 'no database at all '.repeat(500));
  const running = await startProcess({ dataDir });
  const ready = await (await fetch(`${running.url}/ready`)).text();
  expect(ready).toMatch(/deployments\.db is not a SQLite database; it was left untouched/);
  expect(await running.stop()).toBe(0);
  expect(existsSync(path)).toBe(true);
});

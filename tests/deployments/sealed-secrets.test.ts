// The secret of a webhook in the real program: asked for once, shown never, and in no file of the data folder.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { freshDataDir, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const SECRET = 'the-very-secret-text-of-a-hook';
const SCRIPT = '//@version=6\nindicator("x")\nalert("hello", alert.freq_once_per_bar_close)\nplot(close)';

it('is sealed when it is stored, and one of an earlier version at the next start', async () => {
  const dataDir = freshDataDir();
  const start = () => startProcess({ dataDir, env: { ADMIN_TOKEN } });
  const filesWithSecret = () =>
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && readFileSync(join(dataDir, entry.name)).includes(SECRET))
      .map(({ name }) => name);
  let running = await start();
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  const call = async (path: string, body: object, headers: Record<string, string>): Promise<any> => {
    const response = await fetch(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  };
  expect(readdirSync(dataDir)).not.toContain('master.key');
  const { api_key: key } = await call('/api/keys?action=create', {}, { 'x-admin-token': ADMIN_TOKEN });
  const as = { authorization: `Bearer ${key}` };
  const { script } = await call('/api/scripts', { name: 'X', content: SCRIPT }, as);
  const targets = [{ type: 'webhook', url: 'https://example.com/hook', secret: SECRET }];
  const plan = { scriptId: script.id, symbol: 'BTCUSDT', interval: '1h', targets };
  const made = await call('/api/deployments', plan, as);
  expect(made.deployment.targets).toEqual([{ type: 'webhook', url: 'https://example.com/hook', signed: true }]);
  expect([JSON.stringify(made).includes(SECRET), filesWithSecret()]).toEqual([false, []]);
  expect(readdirSync(dataDir)).toContain('master.key');
  await running.stop();

  const db = new DatabaseSync(join(dataDir, 'scripts.db'));
  db.prepare('UPDATE deployments SET targets = ?').run(JSON.stringify(targets));
  db.close();
  expect(filesWithSecret()).toEqual(['scripts.db']);
  running = await start();
  expect(filesWithSecret()).toEqual([]);
  expect(running.output()).not.toContain(SECRET);
  await running.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

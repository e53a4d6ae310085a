// The operator renews a script key while the disk is full: under the audit the new key is shown all the same, since the old
// one has ended; under the keys the answer says that storage failed and what to do.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DiskFaults, prepareDiskFaults } from '../support/disk-faults/index.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';

let disk: DiskFaults;
let running: RunningProcess;
let key = '';
beforeAll(async () => {
  const dataDir = freshDataDir();
  disk = await prepareDiskFaults(dataDir);
  running = await startProcess({ dataDir, env: { ...disk.env, ADMIN_TOKEN } });
  const made = await fetch(`${running.url}/api/keys`, { method: 'POST', headers: { 'x-admin-token': ADMIN_TOKEN } });
  key = ((await made.json()) as { api_key: string }).api_key;
});
afterAll(async () => {
  disk.heal();
  await running.stop();
  disk.close();
});

async function renewWith(fullFile: string) {
  disk.fail({ step: 1, kinds: ['write'], error: 'ENOSPC', forGood: true, file: fullFile });
  const body = JSON.stringify({ key });
  const response = await fetch(`${running.url}/admin/script-keys/renew`, { method: 'POST', body });
  expect(disk.faults()).toBeGreaterThan(0);
  disk.heal();
  const answer = (await response.json()) as { code?: string; error?: string; result?: { apiKey: string } };
  return { status: response.status, ...answer };
}

const isValid = async (): Promise<boolean> =>
  (await fetch(`${running.url}/api/keys`, { headers: { authorization: `Bearer ${key}` } })).ok;

it('keys that cannot be written: STORAGE_FAILED with the remedy and no folder, and the old key is good', async () => {
  const { status, code, error } = await renewWith('/scripts.db-wal');
  expect([status, code]).toEqual([500, 'STORAGE_FAILED']);
  expect(error).toBe('the data folder cannot be used: the disk that holds scripts.db is full; free some space');
  expect(await isValid()).toBe(true);
  await expect.poll(running.output).toContain('a store failed');
});

it('an audit that cannot be written: the new key is shown, and the log has what the audit lacks', async () => {
  const { status, result } = await renewWith('/settings.db-wal');
  expect([status, result?.apiKey]).toEqual([200, expect.stringMatching(/^pn_/)]);
  key = result?.apiKey ?? '';
  expect(await isValid()).toBe(true);
  await expect.poll(running.output).toContain('a change is not in the audit');
});

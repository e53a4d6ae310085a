// Every door through which analysis and script keys are made, renewed and revoked leaves its line in the audit, and no key.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandHere } from '../cli/command-line.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';

let running: RunningProcess;
let env: Record<string, string>;
beforeAll(async () => {
  running = await startProcess({ env: { ADMIN_TOKEN } });
  env = { DATA_DIR: running.dataDir };
});
afterAll(() => running.stop());

async function post<Answer = Record<string, string>>(path: string, body: object): Promise<Answer> {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'x-admin-token': ADMIN_TOKEN } };
  return (await (await fetch(running.url + path, init)).json()) as Answer;
}

async function keys(...words: string[]) {
  const { stdout } = await runCommandHere(['keys', ...words, '--json'], env);
  return JSON.parse(stdout) as Record<string, string>;
}

/** The lines of these two settings, oldest first. */
async function audited() {
  const text = await (await fetch(`${running.url}/admin/audit?limit=100`)).text();
  expect(text).not.toMatch(/(pyn|pn)_[A-Za-z0-9]/);
  const { result } = JSON.parse(text) as { result: Record<'actor' | 'setting' | 'before' | 'after', unknown>[] };
  return result
    .filter(({ setting }) => setting === 'analysisKey' || setting === 'scriptKey')
    .map(({ actor, setting, before, after }) => [String(actor).split(' ')[0], setting, before, after])
    .reverse();
}

it('analysis keys: made over HTTP and by a command, revoked by a command', async () => {
  const overHttp = await post('/auth/create_key', { tier: 'pro' });
  const byCommand = await keys('create', '--analysis', '--tier', 'team');
  await keys('revoke', overHttp.api_key ?? '');
  await keys('revoke', byCommand.key_id ?? '', '--analysis');
  // There is none any more, so nothing was changed.
  await keys('revoke', byCommand.key_id ?? '', '--analysis');
  const [http, cli] = [
    { keyId: overHttp.key_id, tier: 'pro' },
    { keyId: byCommand.key_id, tier: 'team' },
  ];
  await expect.poll(audited).toEqual([
    ['api', 'analysisKey', null, http],
    ['cli', 'analysisKey', null, cli],
    ['cli', 'analysisKey', http, null],
    ['cli', 'analysisKey', cli, null],
  ]);
});

it('script keys: made and renewed over HTTP and by a command, revoked by a command; a renewal is no creation', async () => {
  const before = (await audited()).length;
  const overHttp = await post('/api/keys?action=create', { tier: 'pro' });
  // What is done over HTTP is written a moment after its answer.
  await expect.poll(async () => (await audited()).length).toBe(before + 1);
  const byCommand = await keys('create', '--scripts', '--tier', 'team');
  const { result: byOwner } = await post<{ result: { apiKey: string; userId: string } }>('/admin/script-keys', {});
  expect(await keys('revoke', byOwner.apiKey)).toMatchObject({ status: 'success' });
  await fetch(`${running.url}/admin/script-keys/renew`, {
    method: 'POST',
    body: JSON.stringify({ key: overHttp.api_key }),
  });
  await expect.poll(async () => (await audited()).length).toBe(before + 5);
  const renewed = await keys('renew', byCommand.api_key ?? '');
  await keys('revoke', renewed.api_key ?? '');
  // Unknown: the old one ended with the renewal, and the other was never made.
  await keys('revoke', byCommand.api_key ?? '');
  await keys('revoke', `pn_${'0'.repeat(48)}`);
  const [http, cli] = [
    { userId: overHttp.user_id, tier: 'pro' },
    { userId: byCommand.user_id, tier: 'team' },
  ];
  const owner = { userId: byOwner.userId, tier: 'hobby' };
  await expect
    .poll(async () => (await audited()).slice(before))
    .toEqual([
      ['api', 'scriptKey', null, http],
      ['cli', 'scriptKey', null, cli],
      ['api', 'scriptKey', null, owner],
      ['cli', 'scriptKey', owner, null],
      ['api', 'scriptKey', { userId: http.userId }, http],
      ['cli', 'scriptKey', { userId: cli.userId }, cli],
      ['cli', 'scriptKey', cli, null],
    ]);
});

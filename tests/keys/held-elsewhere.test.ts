// A second Signalbox of one machine, with the default key file: it trades, and says what is off and what to do.

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileIsOwned } from '../../src/adapters/storage/file-is-owned.ts';
import { lockFile } from '../../src/adapters/storage/json-file/file-lock.ts';
import { keyFilePath } from '../../src/adapters/storage/json-file/key-file-path.ts';
import { runCommandHere } from '../cli/command-line.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const KEY = `pyn_${'k'.repeat(43)}`;
/** Empty counts as not set: the file is then the one that all instances of this machine share. */
const DEFAULT_STORE = { API_KEY_STORE: '', ADMIN_TOKEN };

const dataDir = freshDataDir();
const file = keyFilePath({ configured: undefined, dataDir }).path;
/** Undefined where an instance that really runs on this machine holds the file: then it stays held. */
let letGo: (() => void) | undefined;
let running: RunningProcess;

beforeAll(async () => {
  mkdirSync(dirname(file), { recursive: true });
  letGo = hold(file);
  running = await startProcess({ dataDir, env: DEFAULT_STORE });
});
afterAll(async () => {
  await running?.stop();
  letGo?.();
});

/** As a first instance does. */
function hold(path: string): (() => void) | undefined {
  try {
    return lockFile(path);
  } catch (error) {
    if (error instanceof FileIsOwned) return undefined;
    throw error;
  }
}

async function call(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(running.url + path, { method: 'POST', body: JSON.stringify(body), headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('while another process holds the default key file', () => {
  it('starts, and its greeting says what is off and how to mend it', () => {
    expect(running.output()).toContain(`Analysis keys are off: another Signalbox holds ${file}`);
    expect(running.output()).toContain(`set API_KEY_STORE=${join(dataDir, 'api_keys.json')} and start again`);
  });

  it('trades', async () => {
    const signal = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const { status, body } = await call('/webhook', { apiKey: running.apiKey, ...signal });
    expect([status, body.tradeResult]).toMatchObject([200, { status: 'Filled' }]);
  });

  it.each([
    ['/auth/validate', { api_key: KEY }, {}],
    ['/auth/create_key', {}, { 'x-admin-token': ADMIN_TOKEN }],
    ['/preview/chart', {}, { authorization: `Bearer ${KEY}` }],
    ['/backtest/quick', {}, { authorization: `Bearer ${KEY}` }],
  ])('%s answers 503 with the remedy', async (path, body, headers) => {
    const answer = await call(path, body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status: 503, body: { status: 'error', code: 'UNAVAILABLE' } });
    expect(answer.body.message).toContain('API_KEY_STORE=');
  });

  it('what needs no key works, and it is ready, with a warning', async () => {
    const script = '//@version=6\nindicator("x")\nplot(close)';
    const data = [{ time: 1_700_000_000, open: 1, high: 2, low: 1, close: 1.5 }];
    expect((await call('/run', { script, data })).status).toBe(200);
    const ready = await fetch(`${running.url}/ready`);
    expect(ready.status).toBe(200);
    const { checks, warnings } = (await ready.json()) as { checks: object; warnings: readonly string[] };
    expect(checks).toMatchObject({ 'analysis keys': 'off', journal: 'ok' });
    expect(warnings.join()).toContain(
      'Analysis keys are off: another Signalbox holds api_keys.json; set API_KEY_STORE=api_keys.json and start again, or stop the other one.',
    );
  });

  it('a file that the operator has named for both of them is the same, and the greeting says so', async () => {
    const named = await startProcess({ env: { API_KEY_STORE: file } });
    expect(named.output()).toMatch(/Warning: +Analysis keys are off: another Signalbox holds/);
    expect(await named.stop()).toBe(0);
  });
});

it('when the other one is gone its file is taken over, without a restart', async () => {
  letGo?.();
  const code = letGo === undefined ? 'UNAVAILABLE' : 'INVALID_KEY';
  await eventually(
    () => call('/auth/validate', { api_key: KEY }),
    ({ body }) => body.code === code,
  );
  const ready = await (await fetch(`${running.url}/ready`)).text();
  expect(ready.includes('Analysis keys are off')).toBe(letGo === undefined);
});

describe('a command for another data folder than that of the Signalbox that holds the file', () => {
  const [holder, other] = [freshDataDir(), freshDataDir()];
  const shared = join(holder, 'shared_keys.json');
  const create = (dataDir: string) =>
    runCommandHere(['keys', 'create', '--analysis'], { DATA_DIR: dataDir, API_KEY_STORE: shared });
  let first: RunningProcess;
  beforeAll(async () => {
    first = await startProcess({ dataDir: holder, env: { API_KEY_STORE: shared } });
  });
  afterAll(() => first?.stop());

  it('makes no key in it, and says who holds it and what to do', async () => {
    const before = readFileSync(shared, 'utf8');
    const { code, stdout, stderr } = await create(other);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`another Signalbox, which runs on ${holder}, holds ${shared}`);
    expect(stderr).toContain(`API_KEY_STORE=${join(other, 'api_keys.json')}`);
    expect(stderr).toContain(`--data-dir ${holder}`);
    expect(readFileSync(shared, 'utf8')).toBe(before);
  });

  it('revokes a key in it, and says whose file that is', async () => {
    const made = await runCommandHere(['keys', 'create', '--analysis', '--json'], {
      DATA_DIR: holder,
      API_KEY_STORE: shared,
    });
    const { key_id } = JSON.parse(made.stdout) as { key_id: string };
    const revoked = await runCommandHere(['keys', 'revoke', key_id, '--analysis'], {
      DATA_DIR: other,
      API_KEY_STORE: shared,
    });
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining(`Revoked analysis key ${key_id}`) });
    expect(revoked.stderr).toContain(`(analysis keys in ${shared}, held by the Signalbox that runs on ${holder})`);
  });

  it('while one for its own folder makes the key, and says where', async () => {
    const { code, stdout, stderr } = await create(holder);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created analysis key')]);
    expect(stderr).toContain(`analysis keys in ${shared}`);
    expect(Object.keys(JSON.parse(readFileSync(shared, 'utf8')))).not.toEqual([]);
  });
});

it('whoever took the file over says so and how to give it back; its first holder, started again, names who has it', async () => {
  const [folder, other] = [freshDataDir(), freshDataDir()];
  const shared = join(folder, 'shared_keys.json');
  const begin = async (dataDir: string): Promise<RunningProcess> => {
    const started = await startProcess({ dataDir, env: { API_KEY_STORE: shared } });
    closeAtEnd(() => started.stop());
    return started;
  };
  const first = await begin(folder);
  const second = await begin(other);
  expect(second.output()).toContain(`Analysis keys are off: the Signalbox that runs on ${folder} holds ${shared}`);
  await first.stop();
  const warnings = async ({ url }: RunningProcess) => (await fetch(`${url}/ready`)).text();
  await eventually(
    () => warnings(second),
    (text) => text.includes('Analysis keys in shared_keys.json were taken over'),
  );
  // The log is written in the background.
  await expect.poll(() => second.output()).toContain(`taken over from the Signalbox on ${folder}`);
  expect(second.output()).toContain(`set API_KEY_STORE=${join(other, 'api_keys.json')} and start this one again`);
  const again = await begin(folder);
  expect(again.output()).toContain(`Analysis keys are off: the Signalbox that runs on ${other} holds ${shared}`);
  expect(again.output()).toContain('or stop the other one');
  await second.stop();
  await eventually(
    () => warnings(again),
    (text) => text.includes('"analysis keys":"ok"'),
  );
});

// Published libraries in the real process: by the command line, over a real socket, through kill -9, in runs and deployments.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommandHere } from '../cli/command-line.ts';
import { checkAnswer } from '../support/check-answers.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'the-admin-token-of-this-process';
const TA = '//@version=6\nlibrary("ta")\nexport more(float x) => x * 2\n';
const SCRIPT = `//@version=6
indicator("x")
import TradingView/ta/7
plot(ta.more(close), "x")
alertcondition(ta.more(close) > 0, "Up", "up")
`;
const data = [1, 2, 3].map((close, at) => ({ time: at * 60_000, open: 1, high: 9, low: 0, close, volume: 1 }));

let running: RunningProcess;
afterEach(() => running.kill());

async function ask(method: string, path: string, key: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'x-admin-token': ADMIN_TOKEN };
  const answer = await fetch(`${running.url}${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const [bare = ''] = path.split('?');
  await checkAnswer({ method, path: bare, status: answer.status, contentType: 'application/json', text });
  return { status: answer.status, body: JSON.parse(text) };
}

test('a library is published once, and runs, editors and deployments have it after kill -9 too', async () => {
  running = await startProcess({ env: { ADMIN_TOKEN } });
  const { dataDir } = running;
  const newKey = async (): Promise<string> => (await ask('POST', '/api/keys?action=create', '', {})).body.api_key;
  const [key, other] = [await newKey(), await newKey()];
  const run = async (as: string) => (await ask('POST', '/api/run', as, { script: SCRIPT, data })).body;
  expect((await run(key)).message).toContain('Library TradingView/ta/7 has no function');

  const file = join(mkdtempSync(join(tmpdir(), 'signalbox-ta-')), 'ta.pine');
  writeFileSync(file, TA);
  const cli = (...words: string[]) =>
    runCommandHere(['libraries', ...words, '--key', key], { SIGNALBOX_URL: running.url });
  expect((await cli('publish', file, '--as', 'TradingView/ta/7')).stdout).toContain('Published: TradingView/ta/7');
  expect((await run(key)).series).toEqual({ x: [2, 4, 6] });
  expect((await run(other)).code).toBe('SCRIPT_ERROR');

  await ask('PUT', '/api/scripts/mine', key, { name: 'mine', content: SCRIPT });
  const wanted = {
    scriptId: 'mine',
    symbol: 'BTCUSDT',
    interval: '1m',
    targets: [{ type: 'signals', signalType: 'UP' }],
  };
  const made = await ask('POST', '/api/deployments', key, wanted);
  expect(made.body.deployment).toMatchObject({ imports: ['TradingView/ta/7'], state: 'running' });

  await running.kill();
  running = await startProcess({ dataDir, env: { ADMIN_TOKEN } });
  expect((await run(key)).series).toEqual({ x: [2, 4, 6] });
  expect((await cli('list')).stdout).toContain('TradingView/ta/7');
  expect((await cli('show', 'TradingView/ta/7')).stdout).toBe(`${TA}\n`);
  const { ok } = (await ask('POST', '/api/lsp/diagnostics', key, { source: SCRIPT })).body;
  expect(ok).toBe(true);

  // What is withdrawn is gone for whoever imports it from then on; a deployment goes on with its copy.
  expect((await cli('withdraw', 'TradingView/ta/7')).code).toBe(0);
  expect((await run(key)).code).toBe('SCRIPT_ERROR');
  const { deployment } = (await ask('GET', `/api/deployments/${made.body.deployment.id}`, key)).body;
  expect([deployment.state, deployment.digest]).toEqual(['running', made.body.deployment.digest]);

  await running.kill();
  const stopped = await runCommandHere(['libraries', 'list', '--key', key], { DATA_DIR: dataDir });
  expect([stopped.code, stopped.stdout]).toEqual([1, '']);
  expect(stopped.stderr).toContain('not running');
});

// The page of the Analysis API as a test: its commands work as they stand, and its limits are those of the code.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPng } from '../../src/chart/testing/read-png.ts';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { ADMIN_TOKEN, LIMITS } from '../../src/services/analysis/testing/analysis-app.ts';
import { type KeyApp, openKeyApp } from './key-app.ts';

const page = readFileSync(new URL('../../docs/api/analysis.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, command = '']) => command);

let pool: ReturnType<typeof openScriptPool>;
let app: KeyApp;
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  pool = openScriptPool({ size: 1 });
  app = await openKeyApp('json', { script: pool });
  server = await listen({ listener: nodeListener(app.app), host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.stop(1000);
  await pool.close();
});

/** What a shell would hand to curl; a machine without curl can tell as well. */
async function argumentsOf(command: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const [first = ''] = command.split("}' | node");
  const whole = first === command ? command : `${first}}'`;
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${whole}`], { env });
  return stdout.split('\0');
}

async function sent(words: readonly string[]): Promise<{ status: string; chart?: string; id?: string }> {
  const after = (option: string) => words[words.indexOf(option) + 1] ?? '';
  const url = words.find((word) => word.startsWith('http')) ?? '';
  const [name = '', value = ''] = words.includes('-H') ? after('-H').split(': ') : [];
  const init = words.includes('-d') ? { method: 'POST', body: after('-d') } : {};
  const headers: Record<string, string> = name === '' ? {} : { [name]: value };
  const answer = await fetch(url.replace(':8787', `:${server.port}`), { ...init, headers });
  return (await answer.json()) as { status: string };
}

/** One that the page's own command begins. */
async function newSearch(env: NodeJS.ProcessEnv): Promise<string> {
  const command = commands.find((one) => one.includes('/optimize" ')) ?? '';
  return (await sent(await argumentsOf(command, env))).id ?? '';
}

describe('docs/api/analysis.md', () => {
  it('has a command for eleven endpoints, for /run with bars and without', () => {
    expect(commands).toHaveLength(12);
  });

  it.each(commands.map((command) => [/8787(\/[a-z/_]+)/.exec(command)?.[1], command]))(
    'the command for %s works as it stands',
    async (_, command = '') => {
      const keyed = { ...process.env, ADMIN_TOKEN, API_KEY: await app.keyWith('pro') };
      const env = { ...keyed, SEARCH_ID: command.includes('$SEARCH_ID') ? await newSearch(keyed) : '' };
      const body = await sent(await argumentsOf(command, env));
      expect(body).toMatchObject({ status: 'success' });
      if (command.includes('chart.png')) expect(readPng(Buffer.from(body.chart ?? '', 'base64')).width).toBe(800);
    },
  );

  it('names the limits of the code', () => {
    const { maxBars, maxScriptChars, runTimeoutMs } = LIMITS;
    expect(page).toContain(`| bars | ${maxBars.toLocaleString('en-US')} (`);
    expect(page).toContain(`| script, each library | ${maxScriptChars.toLocaleString('en-US')} characters (`);
    expect(page).toContain(`| run time | ${runTimeoutMs / 1000} s (`);
  });
});

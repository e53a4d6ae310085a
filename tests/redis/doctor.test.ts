// `signalbox doctor` asks the Redis that settings name: one that is away, locked or forgetful is told with the remedy.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { freshDataDir } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, startRedis } from '../support/redis-server.ts';

const ALL = { STORE_BACKEND: 'redis', API_KEYS: 'redis', LONG_JOBS: 'redis' };

async function started(...args: string[]): Promise<string> {
  const server = await startRedis(args);
  onTestFinished(() => server.kill());
  return server.url;
}

async function doctor(env: Readonly<Record<string, string>>) {
  const { stdout, code } = await commandLineHere({ DATA_DIR: join(freshDataDir(), 'new'), ...env }).run('doctor');
  return { code, lines: stdout.split('\n').filter((line) => line.includes(' redis: ')) };
}

test(
  'one that answers is said to, with what it is for',
  async () => {
    const REDIS_URL = await started();
    const where = REDIS_URL.replace('redis://', '');
    const { lines, code } = await doctor({ ...ALL, REDIS_URL });
    const settings = 'STORE_BACKEND=redis, API_KEYS=redis, LONG_JOBS=redis';
    expect(lines).toEqual([`ok    redis: answers at ${where}, for ${settings}`]);
    expect(code).toBe(0);
  },
  REDIS_START_TIMEOUT_MS,
);

test('one that is away is named with the remedy: a warning for searches, a fault for keys', async () => {
  const REDIS_URL = 'redis://:secret@127.0.0.1:1';
  const away = 'redis: Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED); start it, or correct REDIS_URL.';
  const searches = `warn  ${away} LONG_JOBS=redis: searches run on the threads of this machine alone`;
  expect(await doctor({ LONG_JOBS: 'redis', REDIS_URL })).toEqual({ code: 0, lines: [searches] });
  const { code, lines } = await doctor({ ...ALL, REDIS_URL });
  expect(code).toBe(1);
  expect(lines).toEqual([
    `fail  ${away} STORE_BACKEND=redis: analysis keys open nothing meanwhile`,
    `fail  ${away} API_KEYS=redis: script keys open nothing meanwhile`,
    searches,
  ]);
});

test('one that wants a password is told apart', async () => {
  const REDIS_URL = await started('--requirepass', 'open');
  const { lines, code } = await doctor({ API_KEYS: 'redis', REDIS_URL });
  expect(lines.join()).toContain('refuses the user name or password; correct REDIS_URL');
  expect(code).toBe(1);
});

test('an address whose password cannot be read is told apart, without it', async () => {
  const { lines } = await doctor({ API_KEYS: 'redis', REDIS_URL: 'redis://:sec%ret@127.0.0.1:6379/0' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^fail {2}redis: REDIS_URL has a broken % in its user name or password; write/);
  expect(lines[0]).not.toContain('sec%ret');
});

test('one that throws things away when it is full is a warning', async () => {
  const REDIS_URL = await started('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
  const { lines } = await doctor({ LONG_JOBS: 'redis', REDIS_URL });
  expect(lines[1]).toContain('warn  redis: it throws away what it is given when it is full (allkeys-lru)');
});

test('nobody is asked where no service needs it', async () => {
  const REDIS_URL = 'redis://127.0.0.1:1';
  expect((await doctor({ REDIS_URL })).lines).toEqual([]);
  expect((await doctor({ ...ALL, SERVICES: 'gateway', REDIS_URL })).lines).toEqual([]);
});

// The limits of POST /query, and what becomes of its process: when it starts, when it dies, when its database is away.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createDataQueries } from '../../src/adapters/storage/sqlite/query/queries.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { expectRefusal } from '../webhook/answers.ts';
import { type AskedGateway, ON_SQLITE, openAsked } from './asking.ts';
import { describeLimits, ENDLESS, openedWith } from './limits-suite.ts';

const QUERIES = new URL('../../src/adapters/storage/sqlite/query/queries.ts', import.meta.url);
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--input-type=module'];

describeLimits(ON_SQLITE);

const opened = (): Promise<AskedGateway> => openedWith(ON_SQLITE);

/** The processes that this one started for queries. */
function queryProcesses(parent = process.pid): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const lines = listed.split('\n').map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.some(isQueryProcess))
    .map(([pid]) => Number(pid));
}

const isQueryProcess = (word: string): boolean => /query-process\.[jt]s$/.test(word);

describe('the query process', () => {
  it('is not there before the first query, nor after it was idle for long', async () => {
    const before = queryProcesses();
    const gateway = await openAsked({ queryLimits: { idleMs: 1000 } });
    const own = (): number[] => queryProcesses().filter((pid) => !before.includes(pid));
    await gateway.send();
    expect(own()).toEqual([]);
    await gateway.ask('SELECT 1');
    expect(own()).toHaveLength(1);
    await expect.poll(own).toEqual([]);
    expect((await gateway.ask('SELECT 1')).status).toBe(200);
    await gateway.close();
    expect(own()).toEqual([]);
  });

  it('is waited for when it is closed, and keeps nobody from ending', async () => {
    const gateway = await opened();
    const script = (ending: string): string => `import { createDataQueries } from ${JSON.stringify(QUERIES.href)};
      const queries = createDataQueries({ path: process.argv[1], exclusively: (work) => work() });
      await queries.run('SELECT 1', []);
      ${ending}`;
    for (const ending of ['await queries.close(); await queries.close();', '']) {
      const started = spawn(process.execPath, [...NODE_FLAGS, '-e', script(ending), gateway.data.path], {
        stdio: 'inherit',
      });
      expect(await once(started, 'exit')).toEqual([0, null]);
    }
  });

  it('that is killed in the middle of a query fails that one only', async () => {
    const before = queryProcesses();
    const gateway = await opened();
    const asked = gateway.ask(ENDLESS);
    await new Promise((resolve) => setTimeout(resolve, 600));
    for (const pid of queryProcesses()) if (!before.includes(pid)) process.kill(pid, 'SIGKILL');
    const sent = await asked;
    expectRefusal(sent, 'STORAGE_FAILED');
    expect(sent.body.error).toContain('try again');
    expect(gateway.troubles).toHaveLength(1);
    expect((await gateway.ask('SELECT 1')).status).toBe(200);
  });

  it('has none of the environment, and ends with the gateway, in the middle of a query', async () => {
    const gateway = await opened();
    // On a busy machine the limit of a query would end its process before it is looked at.
    const script = `import { createDataQueries } from ${JSON.stringify(QUERIES.href)};
      const limits = { readMs: 600_000 };
      const queries = createDataQueries({ path: process.argv[1], exclusively: (work) => work(), limits });
      await queries.run('SELECT 1', []);
      process.stdout.write('ready');
      await queries.run(${JSON.stringify(ENDLESS)}, []);`;
    const child = spawn(process.execPath, [...NODE_FLAGS, '-e', script, gateway.data.path], {
      env: { PATH: process.env.PATH, INTERNAL_TOKEN: 'not-for-children' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const [pid = 0, ...others] = queryProcesses(child.pid);
    expect([pid > 1, others]).toEqual([true, []]);
    const environment = `/proc/${pid}/environ`;
    if (existsSync(environment)) expect(readFileSync(environment, 'utf8')).not.toContain('not-for-children');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isRunning(pid)).toBe(true);
    expect(getPriority(pid)).toBeGreaterThan(getPriority());
    child.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('storage that fails', () => {
  it('says so in words, without the folder', async () => {
    const gateway = await opened();
    await gateway.close();
    const sent = await gateway.ask('SELECT 1');
    expectRefusal(sent, 'STORAGE_FAILED');
    expect(sent.body.error).not.toContain(gateway.dataDir);
  });

  it('is a file that is missing or no database', async () => {
    const options = { exclusively: <T>(work: () => Promise<T>) => work() };
    for (const [path, words] of [
      ['/nowhere/signalbox.db', /cannot be opened/],
      [new URL(import.meta.url).pathname, /is not a SQLite database/],
    ] as const) {
      const queries = createDataQueries({ path, ...options });
      await expect(queries.run('SELECT * FROM trades', [])).rejects.toThrow(StorageError);
      await expect(queries.run('SELECT * FROM trades', [])).rejects.toThrow(words);
      await queries.close();
      await expect(queries.run('SELECT 1', [])).rejects.toThrow('storage is closed');
    }
  });

  it('that another program has locked refuses a write and lets queries pass', async () => {
    const gateway = await opened();
    await gateway.data.exclusively(async () => {
      const other = new DatabaseSync(gateway.data.path);
      other.exec('BEGIN IMMEDIATE');
      const direct = createDataQueries({
        path: gateway.data.path,
        exclusively: (work) => work(),
      });
      expect(await direct.run('DELETE FROM trade_signals', [])).toMatchObject({ kind: 'busy' });
      expect(await direct.run('SELECT 1', [])).toMatchObject({ kind: 'done' });
      other.close();
      await direct.close();
    });
  });
});

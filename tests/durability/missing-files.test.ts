// A folder that was in use and misses a file refuses to start, says how to go on, and goes on that way.

import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertDatabasesThere, excuseLogs } from '../../src/adapters/storage/sqlite/folder-databases.ts';
import { lockDataDir } from '../../src/adapters/storage/sqlite/instance-lock.ts';
import { retireCommitLog } from '../../src/adapters/storage/sqlite/retired-commit-log.ts';
import { runCommandHere } from '../cli/command-line.ts';
import {
  freshDataDir,
  type RunningProcess,
  runSignalbox,
  startGatewayProcess,
  startProcess,
} from '../support/process.ts';

/** A start that is refused ends in a process of its own; other commands run in this one. */
const run = (words: readonly string[], dataDir: string) =>
  words[0] === 'start' ? runSignalbox(words, { DATA_DIR: dataDir }) : runCommandHere(words, { DATA_DIR: dataDir });

it('a database that is gone or empty is refused at the start, and not made anew', async () => {
  const dataDir = freshDataDir();
  await (await startProcess({ dataDir })).stop();
  for (const [name, damage] of [
    ['settings.db', truncateSync],
    ['signalbox.db', rmSync],
  ] as const) {
    const path = join(dataDir, name);
    const bytes = readFileSync(path);
    damage(path);
    const { code, stdout: log, stderr } = await run(['start'], dataDir);
    expect([name, code]).toEqual([name, 1]);
    // It never ran, so it has not stopped either: the reason is its last word.
    expect(log).not.toContain('"stopped"');
    expect(stderr).toContain(`${path}: missing or empty`);
    expect(stderr).toMatch(/Restore it from a backup; or, .* take its name out of .*databases\.json/);
    expect(existsSync(path) && readFileSync(path).length > 0).toBe(false);
    writeFileSync(path, bytes);
  }
  const { stdout } = await run(['doctor'], dataDir);
  expect(stdout).not.toContain('missing or empty');
  // The way on that the message names.
  rmSync(join(dataDir, 'scripts.db'));
  const list = join(dataDir, 'databases.json');
  const names = JSON.parse(readFileSync(list, 'utf8')) as string[];
  writeFileSync(list, JSON.stringify(names.filter((name) => name !== 'scripts.db')));
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
  expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual(names);
});

const signal = ({ apiKey }: RunningProcess): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ apiKey, exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05 }),
});

/** As a person tidies up: what looks like left-overs of a crash goes. */
function removeLogs(dataDir: string, name: string): void {
  rmSync(join(dataDir, `${name}-wal`));
  rmSync(join(dataDir, `${name}-shm`), { force: true });
}

/** Died with the kill switch on, and that is in the write-ahead log alone. */
async function crashedFolder(start = startGatewayProcess): Promise<string> {
  const running = await start();
  const on = await run(['kill-switch', 'on'], running.dataDir);
  expect(on.code).toBe(0);
  await running.kill();
  return running.dataDir;
}

it('after a crash a write-ahead log that is gone is missed, until the owner says to go on without it', async () => {
  const dataDir = await crashedFolder();
  const log = join(dataDir, 'settings.db-wal');
  const tryAll = async (...commands: string[][]): Promise<void> => {
    for (const words of commands) {
      const { code, stdout, stderr } = await run(words, dataDir);
      expect([words, code]).toEqual([words, 1]);
      expect(stdout + stderr).toContain(`${log}: missing, although Signalbox was not stopped properly`);
      expect(stdout + stderr).toContain(`to go on without them, remove ${join(dataDir, 'instance.json')}`);
      expect(existsSync(log)).toBe(false);
    }
  };
  rmSync(log);
  // None of them makes it anew or excuses it: whoever comes next still misses it.
  await tryAll(['doctor'], ['keys', 'create', '--scripts'], ['doctor'], ['start']);
  rmSync(join(dataDir, 'settings.db-shm'), { force: true });
  await tryAll(['kill-switch'], ['start']);
  rmSync(join(dataDir, 'instance.json'));
  expect(await (await startGatewayProcess({ dataDir })).stop()).toBe(0);
});

it('a start that is killed after it found everything leaves a folder that starts', async () => {
  const dataDir = await crashedFolder();
  // The step of the start that closes the journal for the first time, and takes its log in.
  const lock = lockDataDir(dataDir);
  assertDatabasesThere(dataDir);
  await excuseLogs(dataDir);
  retireCommitLog(dataDir);
  expect(existsSync(join(dataDir, 'signalbox.db-wal'))).toBe(false);
  lock.release();
  const again = await startGatewayProcess({ dataDir });
  expect((await run(['kill-switch'], dataDir)).stdout).toMatch(/\bON\b/);
  expect(await again.stop()).toBe(0);
});

it('commands that bring the logs in after a crash excuse them, and nothing is forgotten', async () => {
  const dataDir = await crashedFolder(startProcess);
  for (const words of [['doctor'], ['trades'], ['keys', 'create', '--scripts'], ['kill-switch']]) {
    const { code, stdout } = await run(words, dataDir);
    expect([words, code]).toEqual([words, 0]);
    if (words[0] === 'kill-switch') expect(stdout).toMatch(/\bON\b/);
  }
  expect(existsSync(join(dataDir, 'signalbox.db-wal'))).toBe(false);
  const again = await startGatewayProcess({ dataDir });
  const ready = (await (await fetch(`${again.url}/ready`)).json()) as { warnings: string[] };
  expect(ready.warnings.join()).toContain('not stopped properly');
  expect(await again.stop()).toBe(0);
});

it.each([
  ['removed', (dataDir: string) => removeLogs(dataDir, 'signalbox.db')],
  ['emptied', (dataDir: string) => truncateSync(join(dataDir, 'signalbox.db-wal'))],
])(
  'a write-ahead log that is %s while Signalbox runs is noticed before anything is acknowledged',
  async (_, damage) => {
    const running = await startGatewayProcess();
    damage(running.dataDir);
    const answer = await fetch(`${running.url}/webhook`, signal(running));
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ code: 'STORAGE_FAILED' })]);
    expect((await fetch(`${running.url}/ready`)).status).toBe(503);
    await running.stop();
    expect(running.output()).toContain('signalbox.db-wal was moved, replaced or deleted while Signalbox runs');
  },
);

it('a used folder without a list, as 0.1.0 left it, needs both databases and no empty one', async () => {
  const running = await startProcess();
  const { dataDir } = running;
  expect((await fetch(`${running.url}/webhook`, signal(running))).status).toBe(200);
  await running.stop();
  const list = join(dataDir, 'databases.json');
  rmSync(list);
  for (const [name, damage] of [
    ['settings.db', rmSync],
    ['scripts.db', truncateSync],
  ] as const) {
    const path = join(dataDir, name);
    const bytes = readFileSync(path);
    damage(path);
    // A start without scripts.db trades and keeps scripts off: script-stores.test.ts.
    const starts = name === 'scripts.db' ? [] : [['start']];
    for (const words of [...starts, ['positions'], ['doctor']]) {
      const { code, stdout, stderr } = await run(words, dataDir);
      expect([name, words, code]).toEqual([name, words, 1]);
      expect(stdout + stderr).toContain(`${path}: missing or empty`);
      expect(stdout + stderr).toMatch(/write into .*databases\.json what is to be there: \[/);
      expect(stdout).not.toContain(`${path} is whole`);
      expect(stdout).not.toContain(`${path} will be made`);
    }
    writeFileSync(path, bytes);
  }
  // The way on that the message names.
  rmSync(join(dataDir, 'settings.db'));
  const { stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
  writeFileSync(list, /what is to be there: (\[.*\])/.exec(stderr)?.[1] ?? '');
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
});

it('without its note a running instance cannot be found, and a command says how to name it', async () => {
  const running = await startGatewayProcess();
  rmSync(join(running.dataDir, 'instance.json'));
  const { code, stderr } = await run(['kill-switch', 'on'], running.dataDir);
  expect(code).toBe(1);
  expect(stderr).toContain('Name its address with --url http://host:8787');
  const named = await run(['kill-switch', 'on', '--url', running.url], running.dataDir);
  expect(named.code).toBe(0);
  expect(await running.stop()).toBe(0);
});

it('two processes never write one folder, not even when instance.lock is removed', async () => {
  const running = await startGatewayProcess();
  rmSync(join(running.dataDir, 'instance.lock'));
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: running.dataDir });
  expect(code).toBe(1);
  expect(stderr).toContain(`process ${running.child.pid} at ${running.url}`);
  expect(stderr).toContain('although its instance.lock was removed');
  expect(await running.stop()).toBe(0);
  expect(await (await startGatewayProcess({ dataDir: running.dataDir })).stop()).toBe(0);
});

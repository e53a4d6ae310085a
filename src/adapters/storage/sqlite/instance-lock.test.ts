// One Signalbox per data folder: the second is refused and told who is first, and a killed one leaves no lock.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import { recordingSync } from '../testing/recording-sync.ts';
import { lockDataDir, readInstanceNote } from './instance-lock.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let children: ChildProcess[];
beforeEach(() => {
  folder = testFolder();
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  folder.remove();
});

/** Another process that locks the folder, leaves its note and waits to be killed. */
async function otherHolder(): Promise<ChildProcess> {
  const lockModule = new URL('./instance-lock.ts', import.meta.url).href;
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(lockModule)});
    await lockDataDir(${JSON.stringify(folder.dataDir)}).announce({ pid: process.pid, url: 'http://127.0.0.1:1' });
    // Nobody holds on to the lock here, and still it must not be collected.
    setTimeout(() => {
      gc();
      console.log('locked');
    }, 1);
    setInterval(() => {}, 1000);`;
  const args = ['--disable-warning=ExperimentalWarning', '--expose-gc', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

test('a folder that is not locked can be locked, and again after its release', () => {
  lockDataDir(folder.dataDir).release();
  lockDataDir(folder.dataDir).release();
});

test('the folder is made when it is missing', () => {
  lockDataDir(join(folder.dataDir, 'a', 'b')).release();
});

test('a second lock is refused with the remedy', () => {
  const lock = lockDataDir(folder.dataDir);
  expect(() => lockDataDir(folder.dataDir)).toThrow(StorageError);
  expect(() => lockDataDir(folder.dataDir)).toThrow(
    `another Signalbox is using ${folder.dataDir}; stop it first, or give this one its own folder with DATA_DIR`,
  );
  lock.release();
});

test('the note tells who holds it, and goes with the lock', async () => {
  expect(readInstanceNote(folder.dataDir)).toBeUndefined();
  const lock = lockDataDir(folder.dataDir);
  await lock.announce({ pid: 42, url: 'http://127.0.0.1:8787' });
  expect(readInstanceNote(folder.dataDir)).toMatchObject({ pid: 42, url: 'http://127.0.0.1:8787' });
  expect(() => lockDataDir(folder.dataDir)).toThrow('another Signalbox (process 42 at http://127.0.0.1:8787) is using');
  await lock.announce({ pid: 42 });
  expect(() => lockDataDir(folder.dataDir)).toThrow('another Signalbox (process 42) is using');
  lock.release();
  expect(readInstanceNote(folder.dataDir)).toBeUndefined();
});

test('whoever takes the folder is told whether the last holder died', async () => {
  const first = lockDataDir(folder.dataDir);
  expect(first.foundCrash).toBe(false);
  await first.announce({ pid: 1 });
  first.release();
  expect(readInstanceNote(folder.dataDir)).toBeUndefined();

  const holder = await otherHolder();
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  // One that only looks around does not hide the crash from the next.
  const visitor = lockDataDir(folder.dataDir);
  expect(visitor.foundCrash).toBe(true);
  visitor.release();
  const next = lockDataDir(folder.dataDir);
  expect(next.foundCrash).toBe(true);
  await next.announce({ pid: 2 });
  next.release();
  const last = lockDataDir(folder.dataDir);
  expect(last.foundCrash).toBe(false);
  last.release();
});

test('a note stays while there are logs that could not be brought in, also where no new file finds room', async () => {
  let isFull = false;
  const file = async (): Promise<void> => {
    if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  };
  const lock = lockDataDir(folder.dataDir, { file, folder: async () => {} });
  const open = ['settings.db', 'signalbox.db'];
  await lock.announce({ pid: process.pid, url: 'http://127.0.0.1:8787', open });
  isFull = true;
  await expect(lock.announce({ pid: process.pid })).rejects.toThrow('is full');
  lock.release(() => ['settings.db']);
  expect(readInstanceNote(folder.dataDir)).toEqual({ pid: process.pid, open: ['settings.db'] });
  const next = lockDataDir(folder.dataDir);
  expect(next.foundCrash).toBe(true);
  next.release(() => expect.unreachable('asked of one who has left no note'));
  expect(readInstanceNote(folder.dataDir)).toBeDefined();
});

test('a damaged note is no note', () => {
  writeFileSync(join(folder.dataDir, 'instance.json'), '{"pid":');
  expect(readInstanceNote(folder.dataDir)).toBeUndefined();
});

test('a lock file that is no database is refused in words', () => {
  writeFileSync(join(folder.dataDir, 'instance.lock'), 'not a database, '.repeat(400));
  expect(() => lockDataDir(folder.dataDir)).toThrow(/instance\.lock is not a SQLite database/);
});

test('another process is refused while the first lives, and gets the lock after kill -9', async () => {
  const holder = await otherHolder();
  expect(() => lockDataDir(folder.dataDir)).toThrow(`(process ${holder.pid} at http://127.0.0.1:1)`);
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  lockDataDir(folder.dataDir).release();
});

test('a lock file that was removed does not let a second one in while the first lives, and does after its end', async () => {
  const holder = await otherHolder();
  rmSync(join(folder.dataDir, 'instance.lock'));
  expect(() => lockDataDir(folder.dataDir)).toThrow(
    `another Signalbox (process ${holder.pid} at http://127.0.0.1:1) is using ${folder.dataDir}, although its instance.lock was removed`,
  );
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  const next = lockDataDir(folder.dataDir);
  expect(next.foundCrash).toBe(true);
  next.release();
});

test('a later process with the number of the one that died is not taken for it', async () => {
  const holder = await otherHolder();
  const note = { ...readInstanceNote(folder.dataDir), born: 'another start of this machine 12345' };
  rmSync(join(folder.dataDir, 'instance.lock'));
  writeFileSync(join(folder.dataDir, 'instance.json'), JSON.stringify(note));
  lockDataDir(folder.dataDir).release();
  holder.kill('SIGKILL');
});

test('the note is on disk, with its name, when it is announced', async () => {
  const { sync, asked } = recordingSync(join(folder.dataDir, 'instance.json'));
  const lock = lockDataDir(folder.dataDir, sync);
  await lock.announce({ pid: 42 });
  expect(asked).toEqual([
    { synced: 'file', there: undefined },
    { synced: folder.dataDir, there: expect.stringContaining('"pid":42') },
  ]);
  lock.release();
});

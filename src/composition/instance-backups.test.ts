// Backups of a running instance: whoever asks while one is made waits for that one, and only one that was made ends the alarm.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupName } from './backup-files.ts';
import { InstanceBackups } from './instance-backups.ts';

const START_MS = Date.UTC(2026, 10, 18, 8, 15, 30);

function open() {
  const folder = join(mkdtempSync(join(tmpdir(), 'signalbox-backups-')), 'backups');
  const calls = { made: 0, over: 0 };
  const next: { fault?: Error } = {};
  const backups = new InstanceBackups({
    folder,
    async make() {
      calls.made += 1;
      if (next.fault) throw next.fault;
      mkdirSync(folder, { recursive: true });
      const file = join(folder, backupName(START_MS + calls.made * 1000, calls.made > 1));
      writeFileSync(file, 'x'.repeat(calls.made));
      return file;
    },
    onMade: () => {
      calls.over += 1;
    },
  });
  return { folder, calls, next, backups };
}

test('the clock and the owner at once make one, and both hear of it', async () => {
  const { backups, calls, folder } = open();
  expect([await backups.list(), backups.isRunning]).toEqual([[], false]);
  const both = [backups.make(), backups.make()];
  expect(backups.isRunning).toBe(true);
  const [first, second] = await Promise.all(both);
  const path = join(folder, 'signalbox-2026-11-18T08-15-31Z.tar.gz');
  expect(first).toEqual({ path, bytes: 1, madeAtMs: START_MS + 1000, isEncrypted: false });
  expect(second).toBe(first);
  expect([calls, backups.isRunning]).toEqual([{ made: 1, over: 1 }, false]);
  const later = await backups.make();
  expect(later).toMatchObject({ bytes: 2, madeAtMs: START_MS + 2000, isEncrypted: true });
  expect(await backups.list()).toEqual([later, first]);
});

test('one that fails says why, ends no alarm, and leaves room for the next', async () => {
  const { backups, calls, next } = open();
  next.fault = new Error('the disk is full');
  await expect(backups.make()).rejects.toThrow('the disk is full');
  expect([calls, backups.isRunning]).toEqual([{ made: 1, over: 0 }, false]);
  delete next.fault;
  await backups.make();
  expect(calls).toEqual({ made: 2, over: 1 });
});

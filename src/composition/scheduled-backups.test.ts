// Backups of a running instance by the clock: when one is made, which are kept, and that a failure is told and tried again.

import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backgroundTimers } from '../timing/timers.ts';
import { backupName } from './backup-files.ts';
import { ScheduledBackups } from './scheduled-backups.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 18, 8);

function open({ keep = 2 } = {}) {
  const folder = join(mkdtempSync(join(tmpdir(), 'signalbox-scheduled-')), 'backups');
  let nowMs = START_MS;
  let fault: Error | undefined;
  const standing = new Map<string, string>();
  const backups = new ScheduledBackups({
    ...{ everyMs: 6 * HOUR_MS, folder, keep, timers: backgroundTimers, log: { info: () => {} } },
    nowMs: () => nowMs,
    async make() {
      if (fault) throw fault;
      mkdirSync(folder, { recursive: true });
      const file = join(folder, backupName(nowMs, false));
      writeFileSync(file, 'a backup');
      utimesSync(file, nowMs / 1000, nowMs / 1000);
    },
    alarms: { stand: (kind, text) => void standing.set(kind, text), over: (kind) => void standing.delete(kind) },
  });
  return {
    folder,
    backups,
    alarm: () => standing.get('backup'),
    files: () => readdirSync(folder).sort(),
    fail: (error: Error | undefined) => {
      fault = error;
    },
    async pass(ms: number) {
      nowMs += ms;
      await backups.look();
    },
  };
}

test('one at once, the next when its time has come and not before, and as many as are to be kept', async () => {
  const { folder, pass, files } = open();
  await pass(0);
  const [first] = files();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  await pass(6 * HOUR_MS - 1);
  expect(files()).toEqual(['mine.txt', first]);
  await pass(1);
  expect(files()).toHaveLength(3);
  await pass(6 * HOUR_MS);
  // The oldest has gone, and nothing that is not ours.
  expect(files()).toHaveLength(3);
  expect(files()).toContain('mine.txt');
  expect(files()).not.toContain(first);
});

test('a failure is told with the age of the last one, tried again after a quarter of an hour, and over when one is made', async () => {
  const { pass, fail, alarm, files } = open();
  await pass(0);
  fail(new Error('the disk is full'));
  await pass(6 * HOUR_MS);
  expect(alarm()).toMatch(/failed, and the last one is of 2026-11-18T08:00:00.000Z: the disk is full/);
  fail(undefined);
  await pass(15 * 60_000 - 1);
  expect(alarm()).toBeDefined();
  await pass(1);
  expect([alarm(), files().length]).toEqual([undefined, 2]);
});

test('two looks at once make one', async () => {
  const { backups, files } = open();
  await Promise.all([backups.look(), backups.look()]);
  expect(files()).toHaveLength(1);
});

test('a folder that is a file is told with what to do', async () => {
  const { folder, pass, alarm } = open();
  writeFileSync(folder, 'mine');
  await pass(0);
  expect(alarm()).toMatch(/there is none yet: .*backups is a file.*BACKUP_DIR/);
});

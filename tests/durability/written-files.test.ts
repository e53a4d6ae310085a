// What archives, backups and restores call done is on the disk: it is there after a power cut in the very next moment.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, fstatSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { readBackup } from '../../src/adapters/storage/sqlite/backup/read-backup.ts';
import { writeBackup } from '../../src/adapters/storage/sqlite/backup/write-backup.ts';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { OWNER, TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { preparePowerCuts } from '../support/power-cuts/index.ts';
import { freshDataDir } from '../support/process.ts';
import { Random } from '../support/random.ts';

const CHILD = fileURLToPath(new URL('./write-and-die.ts', import.meta.url));

type Work = readonly [what: 'archive' | 'backup' | 'restore', folder: string, from?: string];

async function written(work: Work, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, ...work.map(String)], {
    ...{ stdio: 'inherit', env: { ...process.env, ...env } },
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** The folder as a cut leaves it that takes everything that was not synced. */
async function cutAfter(what: Work[0], from = ''): Promise<string> {
  const folder = freshDataDir();
  const power = await preparePowerCuts(folder);
  await written([what, folder, from], power.env);
  power.settle();
  expect(power.unrecorded(new Random(1))).toEqual([]);
  power.cut('none', new Random(1));
  power.close();
  return folder;
}

/** Also rolls back what a journal beside the file says. */
function eventsIn(path: string): unknown[] {
  const db = new DatabaseSync(path);
  try {
    return db
      .prepare('SELECT seq FROM desk_events ORDER BY seq')
      .all()
      .map(({ seq }) => seq);
  } finally {
    db.close();
  }
}

let dataDir: string;
beforeAll(() => {
  dataDir = freshDataDir();
  openMigrated(join(dataDir, OWNER.name), OWNER.migrations).close();
  const db = openMigrated(join(dataDir, TRADING.name), TRADING.migrations);
  db.exec("INSERT INTO desk_events (seq, at, kind, trade_seq) VALUES (1, 1, 'start', 0), (2, 2, 'start', 0)");
  db.close();
});

test('rows that may leave the journal are in their file, and the file in its folder', async () => {
  const folder = await cutAfter('archive');
  expect(eventsIn(join(folder, 'archive', '2025-03.db'))).toEqual([1, 2]);
});

test('a backup is there, whole and under its name', async () => {
  const folder = await cutAfter('backup', dataDir);
  const read: string[] = [];
  const { files } = await readBackup({
    ...{ file: join(folder, 'backup.tar.gz'), passphrase: undefined, allowUnencrypted: true },
    async onFile(name, content) {
      for await (const _chunk of content);
      read.push(name);
    },
  });
  expect(read).toEqual([TRADING.name, OWNER.name]);
  expect(files[0]?.database?.rows.desk_events).toBe(2);
});

test('a backup that its disk has changed gets no name, and nothing is left of it', async () => {
  const folder = freshDataDir();
  const to = join(folder, 'backup.tar.gz');
  const real = fs.fsync;
  let changed = 0;
  vi.spyOn(fs, 'fsync').mockImplementationOnce((fd, done) => {
    changed += writeSync(fd, 'not what was written', Math.floor(fstatSync(fd).size / 2));
    real(fd, done);
  });
  try {
    const made = writeBackup({
      ...{ dataDir, to, leftOut: [], passphrase: undefined, withBars: false, version: '1.0.0', nowMs: () => 1 },
      sources: [TRADING, OWNER].map(({ name }) => ({ name, path: join(dataDir, name), isDatabase: true })),
    });
    await expect(made).rejects.toThrow('the backup is damaged');
  } finally {
    vi.restoreAllMocks();
  }
  expect(changed).toBeGreaterThan(0);
  expect(existsSync(to)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('a restored folder is there, whole and under its name', async () => {
  const made = freshDataDir();
  await written(['backup', made, dataDir]);
  const folder = await cutAfter('restore', join(made, 'backup.tar.gz'));
  expect(eventsIn(join(folder, 'restored', TRADING.name))).toEqual([1, 2]);
});

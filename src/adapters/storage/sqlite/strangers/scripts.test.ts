// The script library on SQLite keeps the promises of its ports, in a file of its own, and fails in words.

import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeScriptStore } from '../../../../../tests/ports/script-store-suite.ts';
import { describeUsageStore } from '../../../../../tests/ports/usage-store-suite.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import { type ScriptWrite, STORE_LIMITS } from '../../../../library/script-store.ts';
import { openMigrated } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { openScriptStorage } from './testing/open-storage.ts';
import { openTestScripts, type TestScripts } from './testing/open-test-scripts.ts';

describeScriptStore('the script store on SQLite', async (limits) => {
  const opened = openTestScripts(limits);
  return {
    store: opened.storage.scripts,
    another: () => opened.another().scripts,
    reopen: async () => (await opened.reopen()).scripts,
    close: () => opened.close(),
  };
});

describeUsageStore('the usage store on SQLite', async () => {
  const opened = openTestScripts();
  return {
    store: opened.storage.usage,
    reopen: async () => (await opened.reopen()).usage,
    close: () => opened.close(),
  };
});

describe('the file of the script library', () => {
  const ANN = 'a'.repeat(32);
  const BOB = 'b'.repeat(32);
  const WRITE: ScriptWrite = { id: 'x', text: { name: 'x', content: '1' }, atMs: 1, precondition: 'none' };
  let opened: TestScripts;
  beforeEach(() => {
    opened = openTestScripts();
  });
  afterEach(() => opened.close());

  test('is its own', () => {
    expect(basename(opened.storage.path)).toBe('scripts.db');
    expect(existsSync(opened.storage.path)).toBe(true);
  });

  test('waits for the disk at every commit, and keeps its log short', async () => {
    let db: DatabaseSync | undefined;
    const open: typeof openMigrated = (...args) => {
      db = openMigrated(...args);
      return db;
    };
    const storage = openScriptStorage({ dataDir: opened.dataDir, open });
    const pragma = (name: string): unknown => db?.prepare(`PRAGMA ${name}`).get();
    expect(pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(pragma('synchronous')).toEqual({ synchronous: 2 });
    expect(pragma('wal_autocheckpoint')).toEqual({ wal_autocheckpoint: 1024 });
    expect(pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
    await storage.close();
  });

  test('a write to a file that was moved away is refused, and works when it is back', async () => {
    const { scripts, path, probe } = opened.storage;
    await scripts.write(ANN, WRITE);
    renameSync(path, `${path}.moved`);
    await expect(scripts.write(ANN, WRITE)).rejects.toThrow(/moved, replaced or deleted.*put it back/);
    await expect(probe()).rejects.toThrow(StorageError);
    renameSync(`${path}.moved`, path);
    expect(await scripts.write(ANN, WRITE)).toMatchObject({ record: { revision: 2 } });
  });

  test('a damaged file is refused and left as it is', async () => {
    const dataDir = join(opened.dataDir, 'other');
    const path = join(dataDir, 'scripts.db');
    await openScriptStorage({ dataDir }).close();
    writeFileSync(path, 'no database at all, but long enough to look at '.repeat(100));
    expect(() => openScriptStorage({ dataDir })).toThrow(/not a SQLite database; it was left untouched/);
  });

  test('the heartbeat of the readiness probe is in nobody’s library', async () => {
    await opened.storage.probe();
    await opened.storage.probe();
    expect(await opened.storage.scripts.list('heartbeat', { limit: 9 })).toEqual([]);
    expect(await opened.storage.scripts.write(ANN, WRITE)).toMatchObject({ created: true });
  });

  test('after closing, every read and write is refused with a storage error', async () => {
    const { scripts, usage, probe } = opened.storage;
    await opened.storage.probe();
    await opened.reopen();
    const calls = [
      () => scripts.list(ANN, { limit: 1 }),
      () => scripts.read(ANN, 'x'),
      () => scripts.write(ANN, WRITE),
      () => scripts.remove(ANN, 'x', 'present'),
      () => scripts.versions(ANN, 'x'),
      () => scripts.version(ANN, 'x', 1),
      () => scripts.draft(ANN),
      () => scripts.writeDraft(ANN, WRITE),
      () => usage.usage(ANN),
      () => usage.addUsage(new Map([[ANN, { calls: 1, firstUsedAtMs: 1, lastUsedAtMs: 1 }]])),
      () => probe(),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StorageError);
  });

  test('of an older release learns how many bytes each user has, and counts on from there', async () => {
    const dataDir = join(opened.dataDir, 'older');
    const folder = join(opened.dataDir, 'migrations');
    mkdirSync(dataDir);
    mkdirSync(folder);
    copyFileSync(new URL('0001-scripts.sql', STRANGERS.migrations), join(folder, '0001-scripts.sql'));
    const older = openMigrated(join(dataDir, 'scripts.db'), pathToFileURL(`${folder}/`));
    older.exec(`INSERT INTO libraries VALUES ('${ANN}', 1), ('${BOB}', 0);
      INSERT INTO scripts VALUES ('${ANN}', 'x', 1, 2, 1);
      INSERT INTO versions VALUES ('${ANN}', 'x', 1, 1, 3, 'x', NULL, NULL, 'abc'),
        ('${ANN}', 'x', 2, 1, 4, 'x', NULL, NULL, 'abcd');`);
    older.close();
    const limits = { ...STORE_LIMITS, bytesPerUser: 8 };
    const { scripts, close } = openScriptStorage({ dataDir, limits });
    const write = (userId: string, content: string) =>
      scripts.write(userId, { ...WRITE, text: { name: 'x', content } });
    expect(await write(ANN, '12')).toEqual({ kind: 'no-room' });
    expect(await write(ANN, '1')).toMatchObject({ record: { revision: 3 } });
    expect(await write(BOB, '123456789')).toEqual({ kind: 'no-room' });
    expect(await write(BOB, '12345678')).toMatchObject({ created: true });
    await scripts.remove(ANN, 'x', 'present');
    expect(await write(ANN, '12345678')).toMatchObject({ created: true });
    await close();
  });

  test('no read or write of one user walks over the rows of the others', () => {
    const db = new DatabaseSync(opened.storage.path);
    const plan = (sql: string): string =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; ');
    const page = plan(`SELECT place, versions.name FROM scripts JOIN versions USING (user_id, id)
      WHERE scripts.user_id = 'a' AND place < 9 AND versions.revision = scripts.revision ORDER BY place DESC LIMIT 5`);
    expect(page).toContain('SEARCH scripts USING');
    expect(page).toContain('SEARCH versions USING');
    expect(page).not.toMatch(/SCAN|TEMP B-TREE/);
    expect(plan("SELECT count(*) FROM scripts WHERE user_id = 'a'")).not.toMatch(/SCAN/);
    db.close();
  });
});

// The deployments on SQLite keep the promises of their port, in the file of the script library, and fail in words.

import { renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  DEPLOYMENT,
  type DeploymentRows,
  describeDeployments,
  LOG,
} from '../../../../../tests/ports/deployment-store-suite.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import { setTargets } from '../../sql/strangers/deployments/deployments.ts';
import { openMigrated } from '../database.ts';
import { type DeploymentStorage, openDeploymentStorage } from './testing/open-storage.ts';
import { openTestDeployments, type TestDeployments } from './testing/open-test-deployments.ts';

const TABLES: Readonly<Record<DeploymentRows, string>> = {
  deployments: 'deployments',
  events: 'deployment_events',
  deliveries: 'deployment_outbox',
  logs: 'deployment_logs',
};

function rowsIn(path: string, table: string): number {
  const db = new DatabaseSync(path);
  const row = db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  db.close();
  return row?.n as number;
}

describeDeployments('deployments on SQLite', async () => {
  const opened = openTestDeployments();
  return {
    store: opened.storage.deployments,
    setTargets: (changes) => setTargets(opened.storage.db, changes),
    count: async (rows) => rowsIn(opened.storage.path, TABLES[rows]),
    reopen: async () => (await opened.reopen()).deployments,
    close: () => opened.close(),
  };
});

describe('the file', () => {
  let opened: TestDeployments;
  let storage: DeploymentStorage;
  beforeEach(() => {
    opened = openTestDeployments();
    storage = opened.storage;
  });
  afterEach(() => opened.close());
  const make = () => storage.deployments.create(DEPLOYMENT, 'source', LOG);

  test('is its own, for its owner only, and waits for the disk at every commit', async () => {
    expect(basename(storage.path)).toBe('scripts.db');
    expect(statSync(storage.path).mode & 0o777).toBe(0o600);
    expect(statSync(`${storage.path}-wal`).mode & 0o777).toBe(0o600);
    let db: DatabaseSync | undefined;
    const open: typeof openMigrated = (...args) => {
      db = openMigrated(...args);
      return db;
    };
    const other = openDeploymentStorage({ dataDir: opened.dataDir, open });
    expect(db?.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db?.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db?.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    await other.close();
  });

  test('moved away makes writes and the probe fail in words, and works when it is back', async () => {
    await storage.probe();
    renameSync(storage.path, `${storage.path}.moved`);
    await expect(make()).rejects.toThrow(/moved, replaced or deleted/);
    await expect(storage.probe()).rejects.toThrow(StorageError);
    renameSync(`${storage.path}.moved`, storage.path);
    expect(await make()).toEqual({ kind: 'created' });
  });

  test('that is damaged is refused and left as it is', async () => {
    const other = join(opened.dataDir, 'other');
    await openDeploymentStorage({ dataDir: other }).close();
    writeFileSync(join(other, 'scripts.db'), 'no database at all, but long enough to look at '.repeat(100));
    expect(() => openDeploymentStorage({ dataDir: other })).toThrow(/not a SQLite database; it was left untouched/);
  });

  test('is never walked over whole for a bar or a user', () => {
    const db = new DatabaseSync(storage.path);
    const plan = (sql: string): string =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; ');
    expect(plan("SELECT * FROM deployments WHERE user_id = 'a' ORDER BY place DESC")).not.toMatch(/SCAN|TEMP/);
    expect(plan("SELECT * FROM deployment_logs WHERE deployment_id = 'a' ORDER BY id DESC LIMIT 5")).not.toMatch(
      /SCAN|TEMP/,
    );
    expect(plan('SELECT min(next_attempt_at) FROM deployment_outbox WHERE next_attempt_at > 5')).not.toMatch(
      /SCAN deployment_outbox$/,
    );
    db.close();
  });
});

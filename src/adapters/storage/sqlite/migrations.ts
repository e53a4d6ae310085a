// Numbered SQL files, each applied once in its own transaction and remembered by digest, so that history cannot change unseen.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { OWNER, STRANGERS, TRADING } from './database-files.ts';

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

export function readMigrations(folder: URL): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name, index) => {
      const number = Number(FILE_NAME.exec(name)?.[1]);
      if (number !== index + 1) throw new Error(`migration ${name} is out of order: expected number ${index + 1}`);
      const sql = readFileSync(new URL(name, folder), 'utf8');
      return { number, name, sql, digest: createHash('sha256').update(sql).digest('hex') };
    });
}

export function migrate(db: DatabaseSync, folder: URL, path: string): void {
  const known = readMigrations(folder);
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const applied = db
    .prepare('SELECT number, name, digest FROM migrations ORDER BY number')
    .all() as unknown as Migration[];
  assertNotExchanged(applied[0], known[0], path);
  for (const row of applied) {
    const migration = known[row.number - 1];
    if (!migration) {
      throw new StorageError(
        `${path} was written by a newer Signalbox (migration ${row.name}); start that version, or restore an older backup`,
      );
    }
    if (migration.digest !== row.digest) {
      throw new StorageError(
        `${path} was built with another text of migration ${row.name}; this copy of Signalbox was altered: reinstall it`,
      );
    }
  }
  for (const migration of known.slice(applied.length)) apply(db, migration);
}

/** A file under the name of another one is told by its first migration, which no two databases have in common. */
function assertNotExchanged(first: Migration | undefined, wanted: Migration | undefined, path: string): void {
  if (first === undefined || first.digest === wanted?.digest) return;
  const isFirstOf = (folder: URL): boolean => readMigrations(folder)[0]?.digest === first.digest;
  const owner = [TRADING, OWNER, STRANGERS].find(({ migrations }) => isFirstOf(migrations));
  if (owner === undefined) return;
  throw new StorageError(
    `${path} holds what belongs into ${owner.name}: files of the data folder were exchanged, or one was copied over another; ` +
      'it was left untouched. Give each its own name again, or restore the whole folder from a backup',
  );
}

function apply(db: DatabaseSync, migration: Migration): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process that opened the file at the same moment may have been quicker.
    if (db.prepare('SELECT 1 FROM migrations WHERE number = ?').get(migration.number) !== undefined) {
      db.exec('ROLLBACK');
      return;
    }
    db.exec(migration.sql);
    db.prepare('INSERT INTO migrations (number, name, digest, applied_at) VALUES (?, ?, ?, ?)').run(
      migration.number,
      migration.name,
      migration.digest,
      Date.now(),
    );
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

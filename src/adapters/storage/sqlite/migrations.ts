// Applies the numbered SQL files to a SQLite database, each in its own transaction.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { type AppliedMigration, type Migration, readMigrations, unapplied } from '../migration-files.ts';
import { OWNER, STRANGERS, TRADING } from './database-files.ts';

export function migrate(db: DatabaseSync, folder: URL, path: string): void {
  const known = readMigrations(folder);
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const applied = db
    .prepare('SELECT number, name, digest FROM migrations ORDER BY number')
    .all() as unknown as AppliedMigration[];
  assertNotExchanged(applied[0], known[0], path);
  for (const migration of unapplied(known, applied, path)) apply(db, migration);
}

/** A file under the name of another one is told by its first migration, which no two databases have in common. */
function assertNotExchanged(first: AppliedMigration | undefined, wanted: Migration | undefined, path: string): void {
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

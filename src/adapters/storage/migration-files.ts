// Numbered SQL files, each applied once and remembered by digest, so that history cannot change unseen; for every engine.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from '../../errors/storage-error.ts';

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

/** What a database remembers of one. */
export type AppliedMigration = Omit<Migration, 'sql'>;

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

/** Those that are still to be applied. Throws when the database was built by other files than these. */
export function unapplied(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  database: string,
): readonly Migration[] {
  for (const row of applied) {
    const migration = known[row.number - 1];
    if (!migration) {
      throw new StorageError(
        `${database} was written by a newer Signalbox (migration ${row.name}); start that version, or restore an older backup`,
      );
    }
    if (migration.digest !== row.digest) {
      throw new StorageError(
        `${database} was built with another text of migration ${row.name}; this copy of Signalbox was altered: reinstall it`,
      );
    }
  }
  return known.slice(applied.length);
}

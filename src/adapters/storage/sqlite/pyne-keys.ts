// Takes over the analysis keys of a PYNE key store that is handed in as API_KEY_STORE_SQLITE, and refuses any other foreign database.
//
// PYNE keeps the same facts by the same hash of the same raw keys, in a table `api_keys` of its own, with times as
// fractions of a second and 0 for "never used". Its keys go on working here. The table is renamed when its keys are
// taken over, so that a key which is revoked here does not come back with the next start, and nothing of it is lost.

import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKey } from '../../../keys/analysis-key-store.ts';
import type { Row } from '../sql/sql.ts';
import { DamagedKeyRecord, KEY_HASH, readKeyRecord } from '../stored-key.ts';
import { openDatabase } from './database.ts';

const PYNE_TABLE = 'api_keys';
const TAKEN_OVER = 'api_keys_taken_over';
const OUR_TABLE = 'analysis_keys';
const NEEDED_COLUMNS = ['key_hash', 'tier', 'calls_used', 'created_at', 'last_used'] as const;
const REMEDY = 'it was left untouched; set API_KEY_STORE_SQLITE to another file';

/** Before anything is written: a database that is neither ours nor a PYNE key store is not to be touched. */
export function assertKeyDatabase(path: string): void {
  if (!existsSync(path)) return;
  const db = openDatabase({ path, readOnly: true });
  try {
    const tables = tablesOf(db).filter((table) => table !== 'migrations');
    if (tables.length === 0 || tables.includes(OUR_TABLE)) return;
    if (!tables.includes(PYNE_TABLE))
      throw new StorageError(
        `${path} is the database of another program (it has the tables ${named(tables)}); ${REMEDY}`,
      );
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(PYNE_TABLE);
    const missing = NEEDED_COLUMNS.filter((column) => !columns.some(({ name }) => name === column));
    if (missing.length > 0)
      throw new StorageError(`${path} has a table ${PYNE_TABLE} without ${missing.join(', ')}; ${REMEDY}`);
  } finally {
    db.close();
  }
}

export const hasPyneKeys = (db: DatabaseSync): boolean => tablesOf(db).includes(PYNE_TABLE);

/** Is called inside a transaction, so that all keys are taken over or none. `insert` leaves a key that is there as it is. */
export function takeOverPyneKeys(db: DatabaseSync, path: string, insert: (key: AnalysisKey) => void): void {
  for (const [index, row] of (db.prepare(`SELECT * FROM ${PYNE_TABLE}`).all() as Row[]).entries())
    insert(keyOf(row, `row ${index + 1}`, path));
  db.exec(`DROP TABLE IF EXISTS ${TAKEN_OVER}; ALTER TABLE ${PYNE_TABLE} RENAME TO ${TAKEN_OVER}`);
}

function keyOf(row: Row, where: string, path: string): AnalysisKey {
  try {
    if (typeof row.key_hash !== 'string' || !KEY_HASH.test(row.key_hash))
      throw new DamagedKeyRecord(`key_hash of ${where} is no SHA-256`);
    // Its times are never missing, so "now" is not asked for.
    return readKeyRecord(row, row.key_hash, where, 0);
  } catch (error) {
    if (!(error instanceof DamagedKeyRecord)) throw error;
    throw new StorageError(
      `the keys of PYNE in ${path} cannot be taken over: ${error.message}; mend or delete that row, then start again. Nothing was changed`,
    );
  }
}

const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all()
    .map(({ name }) => String(name));

/** A few are enough to recognise a database by. */
const named = (tables: readonly string[]): string =>
  tables.length > 5 ? `${tables.slice(0, 5).join(', ')}, …` : tables.join(', ');

// Turns a data folder into one of version 0.2.0, with the SQL files of that version: the same rows in the databases of then.

import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import {
  type DatabaseFile,
  MOVED,
  OWNER,
  STRANGERS,
  TRADING,
} from '../../src/adapters/storage/sqlite/database-files.ts';

/** How many SQL files each of the databases had that are still there. */
const FILES_OF_0_2_0: ReadonlyMap<DatabaseFile, number> = new Map([
  [TRADING, 6],
  [OWNER, 1],
  [STRANGERS, 2],
]);

/** What was called the account there is the mode now. */
const CALLED_MODE: ReadonlySet<string> = new Set(['trades', 'orders', 'positions', 'protections']);

function sqlOf({ migrations }: DatabaseFile, count: number): URL {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sql-'));
  for (const name of readdirSync(migrations).sort().slice(0, count))
    copyFileSync(new URL(name, migrations), join(folder, name));
  return pathToFileURL(`${folder}/`);
}

function fill(db: DatabaseSync, from: string, tables: readonly (readonly [there: string, here: string])[]): void {
  db.exec('PRAGMA foreign_keys = OFF');
  db.prepare('ATTACH ? AS present').run(from);
  for (const [there, here] of tables) {
    // Later versions have added some and taken some away.
    const columns = columnsOf(db, here, 'main');
    const present = columnsOf(db, there, 'present');
    // A table that is no more stays as its version made it.
    if (present.length === 0) continue;
    const sources = columns.map((column) => {
      if (column === 'account' && CALLED_MODE.has(here)) return 'mode';
      return present.includes(column) ? column : 'NULL';
    });
    db.exec(`DELETE FROM ${here}; INSERT INTO ${here} (${columns}) SELECT ${sources} FROM present.${there}`);
  }
  db.exec('DETACH present; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

const columnsOf = (db: DatabaseSync, table: string, schema: string): string[] =>
  db
    .prepare('SELECT name FROM pragma_table_info(?, ?)')
    .all(table, schema)
    .map(({ name }) => String(name));

/** Of a stopped instance. */
export function makeOldFolder(dataDir: string): void {
  for (const { name, migrations, into, tables } of MOVED)
    if (existsSync(join(dataDir, into.name)))
      fill(
        openMigrated(join(dataDir, name), migrations),
        join(dataDir, into.name),
        Object.entries(tables).map(([then, now]) => [now, then] as const),
      );
  for (const [file, count] of FILES_OF_0_2_0) {
    const path = join(dataDir, file.name);
    if (!existsSync(path)) continue;
    const db = openMigrated(`${path}.then`, sqlOf(file, count));
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migrations', 'sqlite_sequence')")
      .all()
      .map(({ name }) => String(name))
      // Triggers on other tables change it.
      .sort((a, b) => Number(a === 'libraries') - Number(b === 'libraries'));
    fill(
      db,
      path,
      names.map((name) => [name, name] as const),
    );
    for (const rest of ['', '-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
    renameSync(`${path}.then`, path);
  }
  const databases = [...FILES_OF_0_2_0.keys(), ...MOVED].map(({ name }) => name);
  const list = databases.filter((name) => existsSync(join(dataDir, name))).sort();
  writeFileSync(join(dataDir, 'databases.json'), JSON.stringify(list));
}

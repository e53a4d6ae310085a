// Every row of every database of a data folder, for tests that promise that nothing was written.

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * When storage was last tried, and what is told of refusals and changes a moment after them: written in the background, whoever asks
 * for what.
 */
const IN_THE_BACKGROUND = ['heartbeat', 'desk_events', 'desk_event_sources'];

/**
 * By database and table, but for these tables. Bytes are shown in hex, so that two readings can be compared. Refusals are written a
 * moment after their answers: a test that has provoked some leaves them out.
 */
export function storedRows(dataDir: string, ...without: string[]): Readonly<Record<string, readonly string[]>> {
  const rows: Record<string, readonly string[]> = {};
  for (const file of globSync('**/*.db', { cwd: dataDir }).sort()) {
    const db = new DatabaseSync(join(dataDir, file), { readOnly: true });
    try {
      const listed = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
      const tables = listed.filter(({ name }) => ![...IN_THE_BACKGROUND, ...without].includes(String(name)));
      for (const { name } of tables)
        rows[`${file} ${name}`] = db
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? hexOf(value) : value)))
          .sort();
    } finally {
      db.close();
    }
  }
  return rows;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

// Key values on SQLite, in the strangers' database: durable when a call resolves.

import { StorageError } from '../../../errors/storage-error.ts';
import { type KeyValueStore, MAX_KEY_VALUES } from '../../../keys/key-value-store.ts';
import { keepDatabasePrivate } from '../durable-file.ts';
import { openMigrated, queries, statements } from './database.ts';
import { STRANGERS } from './database-files.ts';
import { assertNoDamageFound } from './found-damage.ts';
import { steps } from './transaction.ts';

/** No name of ours is so: they start with `key:` or `owner:`. */
const HEARTBEAT = 'heartbeat';

export interface KeyValuesOptions {
  readonly path: string;
  readonly nowMs: () => number;
  readonly maxEntries?: number;
}

export function openKeyValues({ path, nowMs, maxEntries = MAX_KEY_VALUES }: KeyValuesOptions): KeyValueStore {
  const db = openMigrated(path, STRANGERS.migrations);
  // Script keys are in it as they are.
  keepDatabasePrivate(path);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);
  const countEntries = (): number => Number(sql('SELECT count(*) AS entries FROM key_values').get()?.entries);
  const makeRoom = (name: string): void => {
    if (countEntries() < maxEntries || sql('SELECT 1 FROM key_values WHERE name = ?').get(name) !== undefined) return;
    // Only now, when the room is needed: a clock that is wrong for an hour shall not throw keys away.
    sql('DELETE FROM key_values WHERE expires_at <= ?').run(nowMs());
    if (countEntries() >= maxEntries)
      throw new StorageError(`${path} holds ${maxEntries} keys already; delete some, or set API_KEYS=redis`);
  };
  const write = (name: string, value: string, expiresAtMs: number): void => {
    sql(`INSERT INTO key_values (name, value, expires_at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`).run(
      name,
      value,
      expiresAtMs,
    );
  };
  const remove = (name: string): void => void sql('DELETE FROM key_values WHERE name = ?').run(name);

  return {
    async get(name) {
      const [row] = all('SELECT value FROM key_values WHERE name = ? AND expires_at > ?', name, nowMs());
      return row?.value as string | undefined;
    },
    put: async (name, value, ttlMs) =>
      inOneStep(() => {
        makeRoom(name);
        write(name, value, nowMs() + ttlMs);
      }),
    delete: async (name) => inOneStep(() => remove(name)),
    async names() {
      return all('SELECT name FROM key_values WHERE expires_at > ?', nowMs()).map(({ name }) => name as string);
    },
    async probe() {
      assertNoDamageFound(path);
      inOneStep(() => {
        write(HEARTBEAT, '', 0);
        remove(HEARTBEAT);
      });
    },
    async close() {
      if (db.isOpen) db.close();
    },
  };
}

// Key values in the strangers' database: durable when a call resolves.

import { StorageError } from '../../../../errors/storage-error.ts';
import { type KeyValueStore, MAX_KEY_VALUES } from '../../../../keys/key-value-store.ts';
import { assertNoDamageFound } from '../../found-damage.ts';
import type { Sql, SqlDatabase } from '../sql.ts';

/** No name of ours is so: they start with `key:` or `owner:`. */
const HEARTBEAT = 'heartbeat';

export interface KeyValuesOptions {
  readonly nowMs: () => number;
  readonly maxEntries?: number;
}

/** Whoever closes it closes the database. */
export function keyValueStore(
  db: SqlDatabase,
  { nowMs, maxEntries = MAX_KEY_VALUES }: KeyValuesOptions,
): KeyValueStore {
  const { name: where, reads, inOneStep } = db;
  const makeRoom = async (sql: Sql, name: string): Promise<void> => {
    if ((await countEntries(sql)) < maxEntries) return;
    if ((await sql.get('SELECT 1 FROM key_values WHERE name = ?', name)) !== undefined) return;
    // Only now, when the room is needed: a clock that is wrong for an hour shall not throw keys away.
    await sql.run('DELETE FROM key_values WHERE expires_at <= ?', nowMs());
    if ((await countEntries(sql)) >= maxEntries)
      throw new StorageError(`${where} holds ${maxEntries} keys already; delete some, or set API_KEYS=redis`);
  };
  return {
    async get(name) {
      const row = await reads.get('SELECT value FROM key_values WHERE name = ? AND expires_at > ?', name, nowMs());
      return row?.value as string | undefined;
    },
    put: (name, value, ttlMs) =>
      inOneStep(async (sql) => {
        await makeRoom(sql, name);
        await write(sql, name, value, nowMs() + ttlMs);
      }),
    delete: (name) => inOneStep((sql) => remove(sql, name)),
    async names() {
      const rows = await reads.all('SELECT name FROM key_values WHERE expires_at > ?', nowMs());
      return rows.map(({ name }) => name as string);
    },
    async probe() {
      assertNoDamageFound(where);
      await inOneStep(async (sql) => {
        await write(sql, HEARTBEAT, '', 0);
        await remove(sql, HEARTBEAT);
      });
    },
    close: () => db.close(),
  };
}

async function countEntries(sql: Sql): Promise<number> {
  return (await sql.get('SELECT count(*) AS entries FROM key_values'))?.entries as number;
}

async function write(sql: Sql, name: string, value: string, expiresAtMs: number): Promise<void> {
  await sql.run(
    `INSERT INTO key_values (name, value, expires_at) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
    ...[name, value, expiresAtMs],
  );
}

async function remove(sql: Sql, name: string): Promise<void> {
  await sql.run('DELETE FROM key_values WHERE name = ?', name);
}

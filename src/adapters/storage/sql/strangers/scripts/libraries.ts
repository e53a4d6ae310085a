// The one row of a user's library: the last place it gave, and how many bytes of scripts and publications it holds. Whoever
// adds or removes some says so in the same step; nothing else keeps the sum true.

import type { Sql } from '../../sql.ts';

/** Scripts with all their versions, and publications. */
export async function storedBytes(sql: Sql, userId: string): Promise<number> {
  const row = await sql.get('SELECT stored_bytes FROM libraries WHERE user_id = ?', userId);
  return (row?.stored_bytes as number | undefined) ?? 0;
}

/** A place that was never given before, for what takes or leaves so many bytes. Makes the row where there is none yet. */
export async function nextPlace(sql: Sql, userId: string, addedBytes: number): Promise<number> {
  const row = await sql.get(
    `INSERT INTO libraries (user_id, last_place, stored_bytes) VALUES (?, 1, ?)
      ON CONFLICT (user_id) DO UPDATE SET last_place = libraries.last_place + 1,
        stored_bytes = libraries.stored_bytes + excluded.stored_bytes
      RETURNING last_place`,
    userId,
    addedBytes,
  );
  return row?.last_place as number;
}

/** For what has its place already. */
export async function addBytes(sql: Sql, userId: string, addedBytes: number): Promise<void> {
  await sql.run('UPDATE libraries SET stored_bytes = stored_bytes + ? WHERE user_id = ?', addedBytes, userId);
}

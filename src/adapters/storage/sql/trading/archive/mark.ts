// Since when everything is in the journal: what ended before may be in archive files.

import type { Searches, Sql } from '../../sql.ts';

/** 0 where nothing was archived. */
export async function readCompleteFromMs({ all }: Searches): Promise<number> {
  const [row] = await all('SELECT complete_from FROM archive_mark');
  return Number(row?.complete_from ?? 0);
}

/** It never goes back: what has left stays away. */
export async function markBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run(
    `INSERT INTO archive_mark (id, complete_from) VALUES (1, ?) ON CONFLICT (id) DO UPDATE
    SET complete_from = excluded.complete_from WHERE archive_mark.complete_from < excluded.complete_from`,
    beforeMs,
  );
}

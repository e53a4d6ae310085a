// Rows leave the journal inside the writer's transaction.

import type { ArchivedKind } from '../../../../../trading/books/journal-archive.ts';
import type { Sql } from '../../sql.ts';
import { markBefore } from './mark.ts';
import { deleteRows, digestOf, readRows } from './rows.ts';

/** Everything that may still change a trade, or ask whether there is one of that name. */
const MAY_LEAVE = `state IN ('filled', 'rejected', 'canceled', 'expired') AND updated_at < ?2
  AND seq < (SELECT max(seq) FROM trades)
  AND seq NOT IN (SELECT seq FROM open_trades) AND seq NOT IN (SELECT trade_seq FROM outbox)
  AND request_id NOT IN (SELECT request_id FROM pending_stops)
  AND request_id NOT IN (SELECT close_request_id FROM protections)
  AND request_id NOT IN (SELECT client_stop_id FROM venue_stops)`;

export interface BeginLeavingRecord {
  readonly groups: readonly (readonly number[])[];
  readonly beforeMs: number;
}

export async function beginLeaving(sql: Sql, { groups, beforeMs }: BeginLeavingRecord): Promise<void> {
  const found = await sql.all(
    `SELECT seq FROM trades WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)) AND ${MAY_LEAVE}`,
    JSON.stringify(groups.flat()),
    beforeMs,
  );
  const mayLeave = new Set(found.map(({ seq }) => Number(seq)));
  const leaving = groups.filter((group) => group.every((seq) => mayLeave.has(seq))).flat();
  if (leaving.length === 0) return;
  await sql.run(
    `INSERT INTO archiving_trades (seq) SELECT CAST(value AS BIGINT) FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    JSON.stringify(leaving),
  );
  await markBefore(sql, beforeMs);
}

export interface RemoveArchivedRecord {
  readonly of: ArchivedKind;
  readonly seqs: readonly number[];
  readonly digest: string;
  readonly beforeMs: number;
}

/** Only what is exactly as it was read back from its file. */
export async function removeArchived(sql: Sql, { of, seqs, digest, beforeMs }: RemoveArchivedRecord): Promise<boolean> {
  if (digestOf(await readRows(sql, of, seqs)) !== digest) return false;
  await deleteRows(sql, of, seqs);
  if (of === 'trades')
    await sql.run(
      'DELETE FROM archiving_trades WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
      JSON.stringify(seqs),
    );
  await markBefore(sql, beforeMs);
  return true;
}

// Trade notes as they are written inside the writer's transaction.

import { NO_NOTE, type NoteChange, type TradeNote } from '../../../../trading/books/trade-notes.ts';
import type { Row, Sql } from '../sql.ts';

export const noteOf = (row: Row): TradeNote => ({
  note: row.note as string,
  tags: JSON.parse(row.tags as string) as string[],
});

interface NoteRecord {
  readonly requestId: string;
  readonly change: NoteChange;
  readonly atMs: number;
}

/** Null where there is no such trade. */
export async function changeTradeNote(sql: Sql, { requestId, change, atMs }: NoteRecord) {
  const seq = (await sql.get('SELECT seq FROM trades WHERE request_id = ?', requestId))?.seq as number | undefined;
  if (seq === undefined) return null;
  const row = await sql.get('SELECT note, tags FROM trade_notes WHERE trade_seq = ?', seq);
  const before = row === undefined ? NO_NOTE : noteOf(row);
  const after: TradeNote = { ...before, ...change };
  const isEmpty = after.note === '' && after.tags.length === 0;
  if (isEmpty) await sql.run('DELETE FROM trade_notes WHERE trade_seq = ?', seq);
  else
    await sql.run(
      `INSERT INTO trade_notes (trade_seq, note, tags, updated_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (trade_seq) DO UPDATE SET note = excluded.note, tags = excluded.tags, updated_at = excluded.updated_at`,
      ...[seq, after.note, JSON.stringify(after.tags), atMs],
    );
  for (const tag of before.tags) await sql.run('DELETE FROM trade_tags WHERE tag = ? AND trade_seq = ?', tag, seq);
  for (const tag of after.tags) await sql.run('INSERT INTO trade_tags (tag, trade_seq) VALUES (?, ?)', tag, seq);
  return { before, after };
}

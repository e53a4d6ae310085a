// Trade notes as they are written inside the writer's transaction.

import { NO_NOTE, type NoteChange, type TradeNote } from '../../../trading/books/trade-notes.ts';
import type { Row, Sql } from './database.ts';

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
export function changeTradeNote(sql: Sql, { requestId, change, atMs }: NoteRecord) {
  const seq = sql('SELECT seq FROM trades WHERE request_id = ?').get(requestId)?.seq as number | undefined;
  if (seq === undefined) return null;
  const row = sql('SELECT note, tags FROM trade_notes WHERE trade_seq = ?').get(seq) as Row | undefined;
  const before = row === undefined ? NO_NOTE : noteOf(row);
  const after: TradeNote = { ...before, ...change };
  const isEmpty = after.note === '' && after.tags.length === 0;
  if (isEmpty) sql('DELETE FROM trade_notes WHERE trade_seq = ?').run(seq);
  else
    sql('INSERT OR REPLACE INTO trade_notes (trade_seq, note, tags, updated_at) VALUES (?, ?, ?, ?)').run(
      ...[seq, after.note, JSON.stringify(after.tags), atMs],
    );
  for (const tag of before.tags) sql('DELETE FROM trade_tags WHERE tag = ? AND trade_seq = ?').run(tag, seq);
  for (const tag of after.tags) sql('INSERT INTO trade_tags (tag, trade_seq) VALUES (?, ?)').run(tag, seq);
  return { before, after };
}

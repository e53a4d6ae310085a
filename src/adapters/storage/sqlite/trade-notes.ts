// The port of trade notes on SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { TradeNotes } from '../../../trading/books/trade-notes.ts';
import { queries } from './database.ts';
import { noteOf } from './trade-note-mutations.ts';
import type { Writer } from './writer.ts';

export interface TradeNotesOptions {
  readonly writer: Pick<Writer, 'run'>;
  readonly reader: DatabaseSync;
  readonly path: string;
}

export function createTradeNotes({ writer, reader, path }: TradeNotesOptions): TradeNotes {
  const all = queries(reader, path);
  return {
    async of(trades) {
      const seqs = JSON.stringify(trades.map(({ seq }) => seq));
      const rows = all('SELECT * FROM trade_notes WHERE trade_seq IN (SELECT value FROM json_each(?))', seqs);
      return new Map(rows.map((row) => [Number(row.trade_seq), noteOf(row)]));
    },
    change: async (requestId, change, atMs) =>
      (await writer.run('changeTradeNote', { requestId, change, atMs })) ?? undefined,
  };
}

// The port of trade notes in SQL, on either engine.

import type { TradeNotes } from '../../../../trading/books/trade-notes.ts';
import type { SqlReads } from '../sql.ts';
import { noteOf } from './trade-note-mutations.ts';
import type { Writer } from './writer.ts';

export interface TradeNotesOptions {
  readonly writer: Pick<Writer, 'run'>;
  readonly reads: SqlReads;
}

export function createTradeNotes({ writer, reads }: TradeNotesOptions): TradeNotes {
  const { all } = reads;
  return {
    async of(trades) {
      const seqs = JSON.stringify(trades.map(({ seq }) => seq));
      const rows = await all(
        'SELECT * FROM trade_notes WHERE trade_seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
        seqs,
      );
      return new Map(rows.map((row) => [Number(row.trade_seq), noteOf(row)]));
    },
    change: async (requestId, change, atMs) =>
      (await writer.run('changeTradeNote', { requestId, change, atMs })) ?? undefined,
  };
}

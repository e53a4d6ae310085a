// The port of desk events in SQL, on either engine.

import { randomBytes } from 'node:crypto';
import type { DeskEvent, DeskEventKind, DeskEvents } from '../../../../trading/books/desk-events.ts';
import type { Row, Searches, SqlReads } from '../sql.ts';
import { tradeOf } from './journal-rows.ts';
import { protectionOf } from './protection/rows.ts';
import type { Writer } from './writer.ts';

/** The kinds that are stored under another name than people filter by: a trade's, under its states. */
const OTHERS = `'position', 'protection', 'refusal', 'signal', 'equity', 'change', 'alarm', 'deployment', 'start'`;
const COLUMNS = `desk_events.seq AS event_seq, desk_events.at AS event_at, desk_events.kind AS event_kind, facts,
  trades.*, trades.state AS current_state FROM desk_events LEFT JOIN trades ON trades.seq = trade_seq`;
const AFTER = `SELECT ${COLUMNS} WHERE desk_events.seq > ? ORDER BY desk_events.seq LIMIT ?`;
const BEFORE = `SELECT ${COLUMNS} WHERE desk_events.seq < ?1
  AND (?2 = '[]' OR iif(desk_events.kind IN (${OTHERS}), desk_events.kind, 'trade') IN (SELECT value FROM json_each(?2)))
  ORDER BY desk_events.seq DESC LIMIT ?3`;

const CURSOR = /^([0-9a-f]{10})-(0|[1-9]\d{0,14})$/;
const EPOCH_BYTES = 5;

export interface DeskEventsOptions {
  readonly writer: Pick<Writer, 'run' | 'watch'>;
  readonly reads: SqlReads;
  /** For what may look at every row. */
  readonly searches: Searches;
}

export async function createDeskEvents({ writer, reads, searches }: DeskEventsOptions): Promise<DeskEvents> {
  const { all } = reads;
  /** Oldest first; read once for each run, because only its beginning adds one. */
  let epochs: readonly Epoch[] = [];
  const epochOf = (seq: number): Epoch | undefined =>
    epochs.findLast(({ firstSeq }) => firstSeq <= Math.max(seq, 1)) ?? epochs[0];
  const readEpochs = async (): Promise<void> => {
    const rows = await all('SELECT first_seq, id FROM desk_event_epochs ORDER BY first_seq');
    epochs = rows.map(({ first_seq: firstSeq, id }) => ({ firstSeq: Number(firstSeq), id: String(id) }));
  };
  await readEpochs();
  return {
    after: async (seq, limit) => (await all(AFTER, seq, limit)).map(eventOf),
    async before(seq, limit, kinds: readonly DeskEventKind[] = []) {
      return (await searches.all(BEFORE, seq, JSON.stringify(kinds), limit)).map(eventOf);
    },
    async bounds() {
      // Each by itself: asked for both at once, SQLite would look at every row.
      const [row] = await all(
        `SELECT (SELECT min(seq) FROM desk_events) AS oldest, (SELECT max(seq) FROM desk_events) AS newest`,
      );
      return { oldest: Number(row?.oldest ?? 1), newest: Number(row?.newest ?? 0) };
    },
    cursorOf: (seq) => `${epochOf(seq)?.id}-${seq}`,
    seqOf(cursor) {
      const [, id, digits] = CURSOR.exec(cursor) ?? [];
      const seq = Number(digits);
      return id !== undefined && epochOf(seq)?.id === id ? seq : undefined;
    },
    add: (events, source) => writer.run('addDeskEvents', { events, source }),
    async positionOf(name) {
      const [row] = await all('SELECT position FROM desk_event_sources WHERE name = ?', name);
      return row && Number(row.position);
    },
    async begin() {
      await writer.run('beginDeskEvents', { id: randomBytes(EPOCH_BYTES).toString('hex') });
      await readEpochs();
    },
    watch: (listener) => writer.watch(listener),
  };
}

interface Epoch {
  readonly firstSeq: number;
  readonly id: string;
}

const eventOf = (row: Row): DeskEvent => ({
  seq: Number(row.event_seq),
  atMs: Number(row.event_at),
  kind: row.event_kind as string,
  facts: row.facts === null ? {} : factsOf(row.facts as string),
  ...(row.request_id !== null && { trade: tradeOf(row) }),
});

/** Stops are stored as the row that they were. What cannot be read holds up no other event. */
function factsOf(text: string): DeskEvent['facts'] {
  try {
    const { row, ...facts } = JSON.parse(text) as DeskEvent['facts'];
    return row === undefined ? facts : { protection: protectionOf(row as Row) };
  } catch {
    return {};
  }
}

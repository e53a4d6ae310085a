// Desk events as they are written inside the writer's transaction, beside what they tell.
//
// The writes of a batch only collect them, and they are inserted together at its end: their numbers are given last, so that
// where several processes write, whoever gives numbers keeps the others waiting for a moment only.

import type { Sql } from '../sql.ts';
import { NO_TRADE } from './event-log.ts';

/** Weeks of a busy desk; a row has some two hundred bytes at most. */
const MAX_EVENTS = 100_000;
/** Old rows are forgotten so many at a time, which costs less than forgetting one with each new one. */
const FORGET_EVERY = 1000;

/** So many rows at once cost less than each by itself; fewer do not (measured). */
const BLOCK = 16;
const insertOf = (rows: number): string =>
  `INSERT INTO desk_events (at, kind, trade_seq, facts) VALUES ${Array(rows).fill('(?, ?, ?, ?)').join()} RETURNING seq`;
const INSERT_BLOCK = insertOf(BLOCK);
const INSERT_ONE = insertOf(1);

export interface DeskEventRecord {
  readonly atMs: number;
  readonly kind: string;
  readonly tradeSeq?: number;
  readonly facts?: unknown;
}

/** What the writes of one transaction leave to its end, and what they have read together. */
export interface Batch {
  readonly deskEvents: DeskEventRecord[];
  controlsVersion?: Promise<number>;
}

export const newBatch = (): Batch => ({ deskEvents: [] });

export const addDeskEvent = ({ deskEvents }: Batch, event: DeskEventRecord): void => void deskEvents.push(event);

/** What was collected is written, in its order, and the list is empty. */
export async function writeDeskEvents(sql: Sql, { deskEvents }: Batch): Promise<void> {
  const count = deskEvents.length;
  if (count === 0) return;
  let newest = 0;
  let from = 0;
  for (; from + BLOCK <= count; from += BLOCK)
    newest = (await sql.insert(INSERT_BLOCK, ...deskEvents.slice(from, from + BLOCK).flatMap(valuesOf))) ?? newest;
  for (; from < count; from++)
    newest = (await sql.insert(INSERT_ONE, ...valuesOf(deskEvents[from] as DeskEventRecord))) ?? newest;
  deskEvents.length = 0;
  await forgetOldest(sql, newest, count);
}

const valuesOf = ({
  atMs,
  kind,
  tradeSeq = NO_TRADE,
  facts,
}: DeskEventRecord): [number, string, number, string | null] => [
  atMs,
  kind,
  tradeSeq,
  facts === undefined ? null : JSON.stringify(facts),
];

async function forgetOldest(sql: Sql, newest: number, added: number): Promise<void> {
  const round = newest - (newest % FORGET_EVERY);
  if (newest - added < round) await sql.run('DELETE FROM desk_events WHERE seq <= ?', round - MAX_EVENTS);
}

export interface AddDeskEventsRecord {
  readonly events: readonly DeskEventRecord[];
  /** Where they come from, and how far that is read with them; what was written up to this very position is not written again. */
  readonly source?: { readonly name: string; readonly position: number } | undefined;
}

export async function addDeskEvents(sql: Sql, { events, source }: AddDeskEventsRecord, batch: Batch): Promise<void> {
  if (source !== undefined) {
    const changes = await sql.run(
      `INSERT INTO desk_event_sources (name, position) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE desk_event_sources.position <> excluded.position`,
      source.name,
      source.position,
    );
    if (changes === 0) return;
  }
  for (const event of events) addDeskEvent(batch, event);
}

/** A new run of the process begins; runs whose events are all forgotten are forgotten too. */
export async function beginDeskEvents(sql: Sql, { id }: { readonly id: string }, batch: Batch): Promise<void> {
  // What came before it is of the run that ends.
  await writeDeskEvents(sql, batch);
  await sql.run(
    `INSERT INTO desk_event_epochs (first_seq, id)
    VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM desk_events), ?)
    ON CONFLICT (first_seq) DO UPDATE SET id = excluded.id`,
    id,
  );
  await sql.run(`DELETE FROM desk_event_epochs WHERE first_seq < (SELECT max(first_seq) FROM desk_event_epochs
    WHERE first_seq <= (SELECT coalesce(min(seq), 1) FROM desk_events))`);
}

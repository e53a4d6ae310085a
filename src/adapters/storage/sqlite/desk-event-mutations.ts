// Desk events as they are written inside the writer's transaction, beside what they tell.

import type { Sql } from './database.ts';
import { NO_TRADE } from './event-log.ts';

/** Weeks of a busy desk; a row has some two hundred bytes at most. */
const MAX_EVENTS = 100_000;
/** Old rows are forgotten so many at a time, which costs less than forgetting one with each new one. */
const FORGET_EVERY = 1000;

export interface DeskEventRecord {
  readonly atMs: number;
  readonly kind: string;
  readonly tradeSeq?: number;
  readonly facts?: unknown;
}

export function addDeskEvent(sql: Sql, { atMs, kind, tradeSeq = NO_TRADE, facts }: DeskEventRecord): void {
  const { lastInsertRowid } = sql('INSERT INTO desk_events (at, kind, trade_seq, facts) VALUES (?, ?, ?, ?)').run(
    atMs,
    kind,
    tradeSeq,
    facts === undefined ? null : JSON.stringify(facts),
  );
  const seq = Number(lastInsertRowid);
  if (seq % FORGET_EVERY === 0) sql('DELETE FROM desk_events WHERE seq <= ?').run(seq - MAX_EVENTS);
}

export interface AddDeskEventsRecord {
  readonly events: readonly DeskEventRecord[];
  /** Where they come from, and how far that is read with them; what was written up to this very position is not written again. */
  readonly source?: { readonly name: string; readonly position: number } | undefined;
}

export function addDeskEvents(sql: Sql, { events, source }: AddDeskEventsRecord): void {
  if (source !== undefined) {
    const { changes } = sql(`INSERT INTO desk_event_sources (name, position) VALUES (?1, ?2)
      ON CONFLICT DO UPDATE SET position = ?2 WHERE position <> ?2`).run(source.name, source.position);
    if (changes === 0) return;
  }
  for (const event of events) addDeskEvent(sql, event);
}

/** A new run of the process begins; runs whose events are all forgotten are forgotten too. */
export function beginDeskEvents(sql: Sql, { id }: { readonly id: string }): void {
  sql(`INSERT OR REPLACE INTO desk_event_epochs (first_seq, id)
    VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM desk_events), ?)`).run(id);
  sql(`DELETE FROM desk_event_epochs WHERE first_seq < (SELECT max(first_seq) FROM desk_event_epochs
    WHERE first_seq <= (SELECT coalesce(min(seq), 1) FROM desk_events))`).run();
}

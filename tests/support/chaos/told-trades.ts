// What the journal tells of each trade beside its row: its history, the events that followers of the desk hear, the list of signals,
// and the messages that are to be sent. Each of them has a trade once, and its end once.

import type { DatabaseSync } from 'node:sqlite';
import { type Finding, finding } from '../nothing-lost.ts';

type Row = Readonly<Record<string, unknown>>;

/** So many of the newest desk events are kept, and older ones are forgotten so many at a time (desk-event-mutations.ts). */
const KEPT_EVENTS = 100_000;
const FORGOTTEN_AT_ONCE = 1000;
const ENDS = ['filled', 'rejected', 'canceled', 'expired'];

const TRADES = `SELECT seq, state,
    (SELECT count(*) FROM orders WHERE trade_seq = seq AND orders.state = 'filled') AS filled_orders
  FROM trades`;
/** An order that goes before the trade's own ended too late for that, or otherwise than it should: its end is that of the trade. */
const ENDED_BEFORE = `SELECT kind FROM events WHERE trade_seq = ? AND kind IN
    (SELECT state FROM orders WHERE trade_seq = ? AND leg IN ('flatten', 'catch_up_close', 'catch_up_open'))`;
const HISTORIES = 'SELECT trade_seq, kind, count(*) AS n FROM events GROUP BY trade_seq, kind';
/** The end of an exit for whose rest nothing was sent: the order before it has told its own fill. */
const WITHOUT_REST = `SELECT trade_seq, kind, count(*) AS n FROM events
  WHERE kind = 'filled' AND detail LIKE 'nothing more was closed: %' GROUP BY trade_seq, kind`;
/** An order that a venue has never seen takes its trade back to where it was when it was accepted, which is told with words. */
const DESK_EVENTS = `SELECT trade_seq, kind, count(*) AS n FROM desk_events
  WHERE trade_seq <> 0 AND (kind <> 'accepted' OR facts IS NULL) GROUP BY trade_seq, kind`;
const SIGNALS = `SELECT request_id, action, trades.symbol, count(trade_signals.seq) AS n,
    count(trade_signals.seq) FILTER (WHERE decision = 'accepted' AND signal_type = action AND trade_signals.symbol = trades.symbol)
      AS right
  FROM trades LEFT JOIN trade_signals ON signal_id = request_id GROUP BY request_id`;

export function checkTold(db: DatabaseSync): Finding[] {
  const trades = db.prepare(TRADES).all();
  return [
    ...historyFindings(db, trades),
    ...deskEventFindings(db, trades),
    ...db.prepare(SIGNALS).all().flatMap(signalFindings),
    ...outboxFindings(db),
  ];
}

const findCount = (times: number, wanted: number, what: string): Finding[] =>
  times === wanted
    ? []
    : [finding(times < wanted ? 'lost' : 'doubled', `${what} ${times} times in place of ${wanted}`)];

function historyFindings(db: DatabaseSync, trades: readonly Row[]): Finding[] {
  const count = counter(db, HISTORIES);
  const withoutRest = counter(db, WITHOUT_REST);
  return trades.flatMap(({ seq, state, filled_orders }) => {
    if (!ENDS.includes(String(state))) return [];
    const times = count(seq, state);
    const isToldByOrder =
      state === 'rejected' && times === 0 && db.prepare(ENDED_BEFORE).get(seq as number, seq as number) !== undefined;
    // Of a reversal both orders fill, and its history says so of each.
    const ends = state === 'filled' ? Math.max(1, Number(filled_orders) + Math.min(1, withoutRest(seq, state))) : 1;
    return [
      ...findCount(count(seq, 'accepted'), 1, `the history of trade ${seq} has that it was accepted`),
      ...findCount(times, isToldByOrder ? 0 : ends, `the history of trade ${seq} has its end as ${state}`),
    ].map((each) => ({ ...each, words: `${each.words}: ${historyInWords(db, seq)}` }));
  });
}

function historyInWords(db: DatabaseSync, seq: unknown): string {
  const events = db.prepare('SELECT kind, detail FROM events WHERE trade_seq = ?').all(seq as number);
  const orders = db.prepare('SELECT leg, state, fills FROM orders WHERE trade_seq = ?').all(seq as number);
  return JSON.stringify({ events, orders });
}

function deskEventFindings(db: DatabaseSync, trades: readonly Row[]): Finding[] {
  const count = counter(db, DESK_EVENTS);
  const from = firstToldTrade(db);
  return trades.flatMap(({ seq, state }) => {
    if (Number(seq) < from || !ENDS.includes(String(state))) return [];
    return [
      ...findCount(count(seq, 'accepted'), 1, `the desk was told that trade ${seq} was accepted`),
      ...findCount(count(seq, state), 1, `the desk was told that trade ${seq} ended as ${state}`),
    ];
  });
}

type Count = (seq: unknown, kind: unknown) => number;

/** How many rows of a kind there are of a trade; all of them are read at once. */
function counter(db: DatabaseSync, sql: string): Count {
  const counts = new Map(
    db
      .prepare(sql)
      .all()
      .map(({ trade_seq, kind, n }) => [`${trade_seq} ${kind}`, Number(n)]),
  );
  return (seq, kind) => counts.get(`${seq} ${kind}`) ?? 0;
}

/** Events of trades before this one may have been forgotten. */
function firstToldTrade(db: DatabaseSync): number {
  const newest = Number(db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM desk_events').get()?.seq);
  if (newest - (newest % FORGOTTEN_AT_ONCE) <= KEPT_EVENTS) return 0;
  const oldest = db
    .prepare("SELECT min(trade_seq) AS seq FROM desk_events WHERE kind = 'accepted' AND facts IS NULL")
    .get();
  return Number(oldest?.seq);
}

function signalFindings({ request_id, n, right, action, symbol }: Row): Finding[] {
  const found = findCount(Number(n), 1, `the list of signals has ${request_id}`);
  if (found.length > 0 || right === 1) return found;
  return [
    finding('other', `the list of signals has ${request_id} as something else than an accepted ${action} of ${symbol}`),
  ];
}

/** The harness has neither a chat nor any other channel: nothing is ever put into it that could still be on its way. */
function outboxFindings(db: DatabaseSync): Finding[] {
  const rows = Number(db.prepare('SELECT count(*) AS n FROM outbox').get()?.n);
  return rows === 0 ? [] : [finding('other', `the outbox has ${rows} messages, and there is nobody they could be for`)];
}

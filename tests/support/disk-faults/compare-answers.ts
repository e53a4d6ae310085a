// What senders were told, beside what the files say after the last start: everything answered is there, and nothing that was
// refused has traded.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compare, compareOrder } from '../nothing-lost.ts';
import type { SentSignal } from '../senders.ts';
import { FILLED_LATER_MARKETS, REPLAYED_MARKETS, STOP_MARKETS } from './round-signals.ts';

/** The sender was told that nobody knows; only the next start does. */
const UNKNOWN = 'STORAGE_UNKNOWN';
/** Nothing is stored. */
const NOT_ACCEPTED = 'STORAGE_FAILED';
/** Accepted, and then refused: it is there, but has not traded. */
const ENDED = ['VENUE_UNREACHABLE', 'ORDER_REJECTED'];
const DUPLICATE = 'DUPLICATE_SIGNAL';

export function compareAnswers(dataDir: string, sent: readonly SentSignal[]): string[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const faults = [
    ...compare(dataDir, sent),
    ...compareOrder(dataDir, isReplayed),
    ...sent.flatMap((signal) => refusalFaults(db, signal)),
    ...acceptedTwice(sent),
    ...stopFaults(dataDir),
    ...forgottenWishes(dataDir),
  ];
  db.close();
  return faults;
}

/** In direct mode a paper venue that could not write its books counts as unreachable: such a trade moves nothing. */
const isReplayed = ({ market, state, error }: Record<string, unknown>): boolean =>
  REPLAYED_MARKETS.includes(market as string) && !(state === 'rejected' && /cannot be reached/.test(String(error)));

function refusalFaults(db: DatabaseSync, { answer }: SentSignal): string[] {
  if (!answer || answer.status < 300) return [];
  const { code, requestId, error } = answer.body;
  if (code === UNKNOWN || code === DUPLICATE) return [];
  const row = db.prepare('SELECT seq, state, executed_quantity FROM trades WHERE request_id = ?').get(requestId);
  const told = `${requestId} was answered "${error}"`;
  if (code === NOT_ACCEPTED) return row ? [`${told}, and it is there as ${row.state}`] : [];
  if (!ENDED.includes(code)) return [`${told} (${code})`];
  if (!row) return [`${told}, and it is gone`];
  const traded = db.prepare(`SELECT count(*) AS n FROM orders JOIN paper_orders USING (client_order_id)
    WHERE trade_seq = ? AND paper_orders.executed_quantity != '0'`);
  const isEnded = ['rejected', 'canceled', 'expired'].includes(String(row.state)) && row.executed_quantity === '0';
  return isEnded && traded.get(row.seq ?? 0)?.n === 0 ? [] : [`${told}, and it is ${row.state}`];
}

function acceptedTwice(sent: readonly SentSignal[]): string[] {
  const accepted = sent.filter(({ answer }) => answer && answer.status < 300);
  const byKey = Map.groupBy(accepted, ({ idempotencyKey }) => idempotencyKey);
  return [...byKey].filter(([, all]) => all.length > 1).map(([key, all]) => `${key} was accepted ${all.length} times`);
}

/** Every entry of these markets asked for both stops: where there is a position, they are there, and nowhere else. */
export function stopFaults(dataDir: string): string[] {
  const held = rowsOf(dataDir, 'signalbox.db', "SELECT market FROM paper_positions WHERE side = 'LONG' ORDER BY 1");
  const stops = 'SELECT market FROM protections WHERE stop_loss IS NOT NULL AND take_profit IS NOT NULL ORDER BY 1';
  const guarded = [...STOP_MARKETS, ...FILLED_LATER_MARKETS] as readonly unknown[];
  const positions = String(held.map(({ market }) => market).filter((market) => guarded.includes(market)));
  const protectedMarkets = String(rowsOf(dataDir, 'signalbox.db', stops).map(({ market }) => market));
  return positions === protectedMarkets ? [] : [`positions in ${positions}, but stops in ${protectedMarkets}`];
}

const forgottenWishes = (dataDir: string): string[] =>
  rowsOf(dataDir, 'signalbox.db', 'SELECT request_id AS id FROM pending_stops').map(
    ({ id }) => `${id} is over, its stop waits`,
  );

function rowsOf(dataDir: string, file: string, sql: string) {
  const db = new DatabaseSync(join(dataDir, file), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

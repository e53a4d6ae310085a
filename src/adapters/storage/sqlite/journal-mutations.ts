// The journal's writes as they run inside the writer's transaction. Arguments are flat tuples: they cross a thread.

import type { Sql } from './database.ts';
import { addEvent, lastStep, plainFill } from './event-log.ts';
import { type FillArgs, type ReportArgs, writeReport } from './order-rows.ts';
import { addPendingStops, type PendingStops } from './protection/mutations.ts';

type Text = string | null;

export type SignalArgs = readonly [
  signalId: string,
  timestampMs: number,
  symbol: string,
  signalType: string,
  source: string,
  decision: string,
];

export function addSignal(sql: Sql, args: SignalArgs): void {
  sql(`INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision)
    VALUES (?, ?, ?, ?, ?, ?)`).run(...args);
}

export type AcceptArgs = readonly [
  requestId: string,
  receivedAtMs: number,
  source: string,
  keyLabel: string,
  exchange: string,
  account: string,
  action: string,
  symbol: string,
  market: string,
  quantity: string,
  price: Text,
  leverage: number | null,
  idempotencyKey: Text,
  bodyDigestHex: Text,
  notify: Text,
  windowMs: number,
  closesAll: 0 | 1,
];
/** The new row's number, or who was first. */
export type AcceptResult = number | readonly ['idempotency-key' | 'resend', originalRequestId: string];

export function accept(sql: Sql, args: AcceptArgs): AcceptResult {
  const [requestId, at, source, , , , action, symbol] = args;
  const [idempotencyKey, bodyDigest] = [args[12], args[13]];
  const resent = idempotencyKey !== null || bodyDigest === null ? undefined : findGuard(sql, bytesOf(bodyDigest), at);
  const result = resent ?? insertTrade(sql, args) ?? insertAfterWindow(sql, args);
  const decision = typeof result === 'number' ? 'accepted' : 'DUPLICATE_SIGNAL';
  addSignal(sql, [requestId, at, symbol, action, source, decision]);
  return result;
}

/** An entry that brings its stops: they are pending from the moment it is accepted, and not there at all if it is not. */
export function acceptProtected(
  sql: Sql,
  [args, stops]: readonly [args: AcceptArgs, stops: PendingStops],
): AcceptResult {
  const result = accept(sql, args);
  if (typeof result === 'number') addPendingStops(sql, args[0], args[1], stops);
  return result;
}

/** Undefined when the idempotency key is claimed already. */
function insertTrade(sql: Sql, args: AcceptArgs): number | undefined {
  const [requestId, at, source, keyLabel, exchange, account, action, symbol, market, quantity, price, leverage] = args;
  const [idempotencyKey, bodyDigest, notify, closesAll] = [args[12], args[13], args[14], args[16]];
  const { changes, lastInsertRowid } = sql(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label,
      exchange, account, action, symbol, market, quantity, price, leverage, idempotency_key, claim, body_digest, notify,
      closes_all, state, executed_quantity)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, 'accepted', '0')
    ON CONFLICT (claim) WHERE claim IS NOT NULL DO NOTHING`).run(
    requestId,
    at,
    source,
    keyLabel,
    exchange,
    account,
    action,
    symbol,
    market,
    quantity,
    price,
    leverage,
    idempotencyKey,
    idempotencyKey === null ? null : claimBytes(idempotencyKey),
    bodyDigest === null ? null : bytesOf(bodyDigest),
    notify,
    closesAll,
  );
  return changes === 1 ? Number(lastInsertRowid) : undefined;
}

/** A claim older than the window is given up for the new signal; a younger one is a duplicate. */
function insertAfterWindow(sql: Sql, args: AcceptArgs): AcceptResult {
  const [at, windowMs] = [args[1], args[15]];
  const bytes = claimBytes(args[12] as string);
  const first = sql('SELECT seq, request_id, received_at FROM trades WHERE claim = ?').get(bytes);
  if ((first?.received_at as number) > at - windowMs) return ['idempotency-key', first?.request_id as string];
  sql('UPDATE trades SET claim = NULL WHERE seq = ?').run(first?.seq as number);
  return insertTrade(sql, args) as number;
}

function findGuard(sql: Sql, bodyDigest: Uint8Array, at: number): Exclude<AcceptResult, number> | undefined {
  const guard = sql('SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?').get(bodyDigest, at);
  return guard ? ['resend', guard.request_id as string] : undefined;
}

/** A UUID is 16 bytes however it is spelled. */
const claimBytes = (uuid: string): Uint8Array => bytesOf(uuid.replaceAll('-', ''));
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

export type PositionArgs = readonly [
  exchange: string,
  account: string,
  market: string,
  side: string,
  quantity: string,
  entryPrice: string,
  realizedPnl: string,
  fees: string,
  atMs: number,
  cost: string,
];

export type RecordArgs = readonly [
  seq: number,
  atMs: number,
  state: string,
  eventKind: string,
  eventDetail: Text,
  orderId: Text,
  executedQuantity: string,
  averagePrice: Text,
  error: Text,
  order: ReportArgs | null,
  fills: readonly FillArgs[],
  position: PositionArgs | null,
  message: readonly [kind: string, payload: string] | null,
  releaseClaim: Text,
];

/** States a trade can be in for days. */
const GOES_ON = new Set(['submitted', 'partially_filled', 'unknown']);
/** Whoever settles the trade delivers its message first; the background sweep only takes what is still there after this. */
const FIRST_DELIVERY_MS = 2000;

/** Returns the outbox number of the message, or 0. */
export function record(sql: Sql, args: RecordArgs): number {
  const [seq, at, state, eventKind, eventDetail, orderId, executed, average, error, order, fills, position] = args;
  const [message, releaseClaim] = [args[12], args[13]];
  sql(`UPDATE trades SET state = ?, updated_at = ?, order_id = ?, executed_quantity = ?, average_price = ?, error = ?
    WHERE seq = ?`).run(state, at, orderId, executed, average, error, seq);
  if (GOES_ON.has(state)) sql('INSERT INTO open_trades (seq) VALUES (?) ON CONFLICT DO NOTHING').run(seq);
  else sql('DELETE FROM open_trades WHERE seq = ?').run(seq);
  // An ordinary fill is told by the rows themselves, see plainFill.
  const isPlain = state === 'filled' && eventKind === 'filled' && lastStep(sql, seq) === 0;
  if (!isPlain || eventDetail !== plainFill(orderId, executed, average)) addEvent(sql, seq, at, eventKind, eventDetail);
  if (order !== null) writeReport(sql, seq, at, order, fills);
  if (position !== null) writePosition(sql, position);
  if (releaseClaim !== null) {
    sql('UPDATE trades SET claim = NULL WHERE seq = ? AND claim = ?').run(seq, claimBytes(releaseClaim));
  }
  if (message === null) return 0;
  const { lastInsertRowid } = sql(`INSERT INTO outbox (trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (?, ?, ?, 0, ?, ?)`).run(seq, message[0], message[1], at + FIRST_DELIVERY_MS, at);
  return Number(lastInsertRowid);
}

function writePosition(sql: Sql, position: PositionArgs): void {
  sql(`INSERT INTO positions (exchange, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at,
      cost)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price,
      realized_pnl = excluded.realized_pnl, fees = excluded.fees, updated_at = excluded.updated_at,
      cost = excluded.cost`).run(...position);
}

/** What belongs to no trade is an event of trade 0. */
const NO_TRADE = 0;

export function adopt(sql: Sql, [position, detail]: readonly [PositionArgs, detail: string]): void {
  writePosition(sql, position);
  addEvent(sql, NO_TRADE, position[8], 'position-adopted', detail);
}

export type GuardArgs = readonly [bodyDigestHex: string, requestId: string, untilMs: number];

export function guardResend(sql: Sql, [bodyDigestHex, requestId, untilMs]: GuardArgs): void {
  sql(`INSERT INTO resend_guards (body_digest, request_id, until) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET request_id = excluded.request_id, until = max(until, excluded.until)`).run(
    bytesOf(bodyDigestHex),
    requestId,
    untilMs,
  );
}

export type GuardUnansweredArgs = readonly [receivedSinceMs: number, untilMs: number];

/** Also where guards that have run out are swept away: it happens at every start. */
export function guardUnanswered(sql: Sql, [sinceMs, untilMs]: GuardUnansweredArgs): void {
  sql('DELETE FROM resend_guards WHERE until < ?').run(sinceMs);
  sql(`INSERT INTO resend_guards (body_digest, request_id, until)
    SELECT body_digest, request_id, ? FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
    WHERE received_at >= ? AND body_digest IS NOT NULL
    ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`).run(untilMs, sinceMs);
}

export type SettleMessageArgs = readonly [id: number, seq: number, atMs: number, kind: string, detail: string];

export function settleMessage(sql: Sql, [id, seq, at, kind, detail]: SettleMessageArgs): void {
  if (sql('DELETE FROM outbox WHERE id = ?').run(id).changes === 1) addEvent(sql, seq, at, kind, detail);
}

export type PostponeArgs = readonly [nextAttemptAtMs: number, id: number];

export function postponeMessage(sql: Sql, args: PostponeArgs): void {
  sql('UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?').run(...args);
}

/** How this connection keeps its promise; asked by a test, for no other connection can tell. */
export function durability(
  sql: Sql,
  _args: readonly [],
): { readonly journalMode: unknown; readonly synchronous: unknown } {
  return {
    journalMode: sql('PRAGMA journal_mode').get()?.journal_mode,
    synchronous: sql('PRAGMA synchronous').get()?.synchronous,
  };
}

export function probe(sql: Sql, [nowMs]: readonly [nowMs: number]): void {
  sql('INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(nowMs);
}

// The journal's writes as they run inside the writer's transaction.
//
// Their arguments cross a thread as JSON: amounts are text, bytes are hex. Records have names; SQL parameters are places, because naming them costs nearly as much as the whole write
// (measured: 1.8 times the time). Each statement lists its values in the order of its columns.

import { hash } from 'node:crypto';
import { type DuplicateCause, isFinal, type TradeState } from '../../../trading/books/journal.ts';
import { STORED } from '../../../trading/books/signal-store.ts';
import type { Row, Sql } from './database.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';
import { addEvent, lastStep, NO_TRADE, plainFill } from './event-log.ts';
import { type FillRecord, type ReportRecord, writeReport } from './order-rows.ts';
import { addMessage, addNotices, type MessageRecord, type NoticeRecord } from './outbox-mutations.ts';
import { type PositionRecord, type StrategyBookRecord, writePosition, writeStrategyBook } from './position-rows.ts';
import { addPendingStops, type Columns } from './protection/mutations.ts';

export interface SignalRow {
  readonly signalId: string;
  readonly timestampMs: number;
  readonly symbol: string;
  readonly signalType: string;
  readonly source: string;
  readonly decision: string;
  readonly alertId?: string | null | undefined;
}

/** What was only written down is news by itself; the others are trades or refusals. */
export function addSignal(sql: Sql, signal: SignalRow, batch: Batch): void {
  insertSignal(sql, signal);
  const { signalId, timestampMs: atMs, symbol, signalType, source, decision } = signal;
  if (decision === STORED)
    addDeskEvent(batch, { atMs, kind: 'signal', facts: { signalId, symbol, signalType, source } });
}

function insertSignal(sql: Sql, signal: SignalRow): void {
  const { signalId, timestampMs, symbol, signalType, source, decision, alertId } = signal;
  sql(`INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision, alert_id)
    VALUES (?, ?, ?, ?, ?, ?, ?)`).run(signalId, timestampMs, symbol, signalType, source, decision, alertId ?? '');
}

/** A signal on its way to become a row of `trades`. */
export interface NewTradeRecord {
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly source: string;
  readonly keyLabel: string;
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly action: string;
  readonly symbol: string;
  readonly market: string;
  readonly quantity: string;
  readonly price: string | null;
  readonly leverage: number | null;
  /** Empty where none is named. */
  readonly strategy: string;
  readonly comment: string | null;
  readonly quantityType: string | null;
  readonly timeInForce: string | null;
  readonly postOnly: 0 | 1;
  readonly cancelAfterSeconds: number | null;
  readonly idempotencyKey: string | null;
  readonly bodyDigestHex: string | null;
  readonly alertId: string | null;
  /** The alert under its key, see the port. */
  readonly alertClaimHex: string | null;
  /** JSON. */
  readonly notify: string | null;
  readonly closesAll: 0 | 1;
  readonly prevMarketPosition: string | null;
  readonly prevMarketPositionSize: string | null;
}

export interface AcceptRecord {
  readonly trade: NewTradeRecord;
  /** How long an idempotency key and an alert's name stay claimed. */
  readonly windowMs: number;
  /** The trades of the same signal on other accounts. */
  readonly further?: readonly NewTradeRecord[];
  /** Of an entry that brings its stops: they are pending from the moment it is accepted, and not there if it is not. */
  readonly stops?: Columns | undefined;
  /** The same as they were asked for, for the history of the trade: what is pending is gone when it has filled. */
  readonly asked?: string | undefined;
  /** Of a refused signal that is sent again. */
  readonly resend?: ResendRecord;
}

export interface ResendRecord {
  readonly refusalId: string;
  readonly refusedAtMs: number;
  readonly bodyDigestHex: string | null;
  readonly guardUntilMs: number;
}

/** The event of a trade that tells which stops its signal asked for. */
export const STOPS_ASKED = 'stops-asked';

/** The numbers of the new rows, or who was first. */
export type AcceptResult = readonly [number, ...number[]] | DuplicateOf;
export type DuplicateOf = readonly [DuplicateCause, originalRequestId: string];

export const isAccepted = (result: AcceptResult): result is readonly [number, ...number[]] =>
  typeof result[0] === 'number';

export function accept(sql: Sql, record: AcceptRecord, batch: Batch): AcceptResult {
  const { trade, windowMs, further = [], stops, asked, resend } = record;
  const { requestId, receivedAtMs, source, action, symbol, alertId } = trade;
  const first =
    findResent(finding(sql), trade) ??
    (resend && findRetried(sql, trade, resend)) ??
    insertTrade(sql, trade) ??
    insertAfterWindow(sql, trade, windowMs);
  const isFirst = typeof first === 'number';
  insertSignal(sql, {
    signalId: requestId,
    timestampMs: receivedAtMs,
    symbol,
    signalType: action,
    source,
    decision: isFirst ? 'accepted' : 'DUPLICATE_SIGNAL',
    alertId,
  });
  if (!isFirst) return first;
  if (resend) noteResend(sql, resend, requestId);
  // What makes a second signal a duplicate is with the first one: its claim and the digest of its body.
  const others = further.map((other) => insertTrade(sql, { ...other, bodyDigestHex: null }, 'unclaimed') as number);
  for (const tradeSeq of [first, ...others]) {
    sql('INSERT INTO open_trades (seq) VALUES (?)').run(tradeSeq);
    addDeskEvent(batch, { atMs: receivedAtMs, kind: 'accepted', tradeSeq });
  }
  if (stops !== undefined)
    for (const { requestId: id } of [trade, ...further]) addPendingStops(sql, id, receivedAtMs, stops);
  if (asked !== undefined) addEvent(sql, first, receivedAtMs, STOPS_ASKED, asked);
  return [first, ...others];
}

/** Undefined when the idempotency key or the alert is claimed already. */
function insertTrade(sql: Sql, trade: NewTradeRecord, how?: 'unclaimed'): number | undefined {
  const { idempotencyKey, bodyDigestHex, alertClaimHex } = trade;
  const { changes, lastInsertRowid } = sql(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label,
      exchange, mode, account, action, symbol, market, quantity, price, leverage, idempotency_key, claim, body_digest,
      notify, closes_all, strategy, comment, quantity_type, time_in_force, post_only, cancel_after_seconds, alert_id,
      alert_claim, prev_market_position, prev_market_position_size, state, executed_quantity)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
      ?25, ?26, ?27, ?28, 'accepted', '0')
    ON CONFLICT (claim) WHERE claim IS NOT NULL DO NOTHING
    ON CONFLICT (alert_claim) WHERE alert_claim IS NOT NULL DO NOTHING`).run(
    trade.requestId,
    trade.receivedAtMs,
    trade.source,
    trade.keyLabel,
    trade.exchange,
    trade.mode,
    trade.account,
    trade.action,
    trade.symbol,
    trade.market,
    trade.quantity,
    trade.price,
    trade.leverage,
    idempotencyKey,
    idempotencyKey === null || how === 'unclaimed' ? null : claimBytes(idempotencyKey),
    bodyDigestHex === null ? null : bytesOf(bodyDigestHex),
    trade.notify,
    trade.closesAll,
    trade.strategy,
    trade.comment,
    trade.quantityType,
    trade.timeInForce,
    trade.postOnly,
    trade.cancelAfterSeconds,
    trade.alertId,
    alertClaimHex === null || how === 'unclaimed' ? null : bytesOf(alertClaimHex),
    trade.prevMarketPosition,
    trade.prevMarketPositionSize,
  );
  return changes === 1 ? Number(lastInsertRowid) : undefined;
}

/** Claims older than the window are given up for the new signal; a younger one makes it a duplicate. */
function insertAfterWindow(sql: Sql, trade: NewTradeRecord, windowMs: number): number | DuplicateOf {
  const claimed = findClaimed(finding(sql), trade, windowMs);
  if (claimed !== undefined) return claimed;
  for (const [, column, claim] of claimsOf(trade))
    sql(`UPDATE trades SET ${column} = NULL WHERE ${column} = ?`).run(claim);
  return insertTrade(sql, trade) as number;
}

/** The first row that a statement finds; inside the writer's transaction, or on a connection that only reads. */
export type FindRow = (text: string, ...values: (string | number | Uint8Array)[]) => Row | undefined;

const finding =
  (sql: Sql): FindRow =>
  (text, ...values) =>
    sql(text).get(...values);

/** What `accept` finds in the way of a signal, for whoever only asks. */
export const findDuplicate = (find: FindRow, trade: NewTradeRecord, windowMs: number) =>
  findResent(find, trade) ?? findClaimed(find, trade, windowMs);

const claimsOf = ({ idempotencyKey, alertClaimHex }: NewTradeRecord) =>
  [
    ['idempotency-key', 'claim', idempotencyKey === null ? null : claimBytes(idempotencyKey)],
    ['alert-id', 'alert_claim', alertClaimHex === null ? null : bytesOf(alertClaimHex)],
  ] as const;

function findClaimed(find: FindRow, trade: NewTradeRecord, windowMs: number): DuplicateOf | undefined {
  for (const [cause, column, claim] of claimsOf(trade)) {
    if (claim === null) continue;
    const since = trade.receivedAtMs - windowMs;
    const first = find(`SELECT request_id FROM trades WHERE ${column} = ? AND received_at > ?`, claim, since);
    if (first !== undefined) return [cause, first.request_id as string];
  }
  return undefined;
}

/** A body without an idempotency key that was answered 5xx a moment ago is known by its digest. */
function findResent(find: FindRow, trade: NewTradeRecord): DuplicateOf | undefined {
  const { idempotencyKey, bodyDigestHex, receivedAtMs } = trade;
  if (idempotencyKey !== null || bodyDigestHex === null) return undefined;
  const guards = 'SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?';
  const guard = find(guards, bytesOf(bodyDigestHex), receivedAtMs);
  return guard ? ['resend', guard.request_id as string] : undefined;
}

/** Its sender may have sent the refused body again meanwhile, and then it has traded or is about to. */
function findRetried(
  sql: Sql,
  { idempotencyKey }: NewTradeRecord,
  { bodyDigestHex, refusedAtMs }: ResendRecord,
): DuplicateOf | undefined {
  if (bodyDigestHex === null || idempotencyKey === null) return undefined;
  // It was sent again before: its claim says so in better words.
  if (sql('SELECT 1 FROM trades WHERE claim = ?').get(claimBytes(idempotencyKey))) return undefined;
  const digest = bytesOf(bodyDigestHex);
  const found =
    sql('SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?').get(digest, refusedAtMs) ??
    sql(`SELECT request_id FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
      WHERE body_digest = ? AND received_at >= ?
        AND NOT (state IN ('rejected', 'canceled', 'expired') AND executed_quantity = '0')`).get(digest, refusedAtMs);
  return found && ['retried', found.request_id as string];
}

function noteResend(sql: Sql, resend: ResendRecord, requestId: string): void {
  const { refusalId, bodyDigestHex, guardUntilMs } = resend;
  sql('UPDATE refusals SET resent_as = ? WHERE id = ?').run(requestId, refusalId);
  if (bodyDigestHex !== null) guardResend(sql, { bodyDigestHex, requestId, untilMs: guardUntilMs });
}

/**
 * A UUID is 16 bytes however it is spelled. Doors take nothing else as a key, so a key of another form is one that we made
 * ourselves: it becomes 32 bytes, and no sender can claim it.
 */
export const claimBytes = (key: string): Uint8Array =>
  UUID.test(key) ? bytesOf(key.replaceAll('-', '')) : hash('sha256', key, 'buffer');
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** One step of a trade's life, with everything that it changes. */
export interface OutcomeRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly state: TradeState;
  readonly event: { readonly kind: string; readonly detail: string | null };
  readonly orderId: string | null;
  readonly executedQuantity: string;
  readonly averagePrice: string | null;
  readonly error: string | null;
  readonly order: ReportRecord | null;
  readonly fills: readonly FillRecord[];
  readonly positions: readonly PositionRecord[];
  readonly books: readonly StrategyBookRecord[];
  readonly message: MessageRecord | null;
  readonly notice: NoticeRecord | null;
  /** Certainly nothing was placed: the signal's claims are given back if that is so on every account of the signal. */
  readonly releaseClaim: boolean;
  /** What everybody who follows the desk is told; null where nothing has changed that is news. */
  readonly words: string | null;
}

/** Returns the outbox number of the message, or 0. */
export function record(sql: Sql, outcome: OutcomeRecord, batch: Batch): number {
  const { seq, atMs, state, event, orderId, executedQuantity, averagePrice, error } = outcome;
  const { order, fills, positions, books, message, notice, releaseClaim, words } = outcome;
  sql(`UPDATE trades SET state = ?, updated_at = ?, order_id = ?, executed_quantity = ?, average_price = ?, error = ?
    WHERE seq = ?`).run(state, atMs, orderId, executedQuantity, averagePrice, error, seq);
  if (isFinal(state)) sql('DELETE FROM open_trades WHERE seq = ?').run(seq);
  // An ordinary fill is told by the rows themselves, see plainFill.
  const isFirst = state === 'filled' && event.kind === 'filled' && lastStep(sql, seq) === 0;
  const isPlain = isFirst && event.detail === plainFill(orderId, executedQuantity, averagePrice);
  if (!isPlain) addEvent(sql, seq, atMs, event.kind, event.detail);
  if (order !== null) writeReport(sql, seq, atMs, order, fills);
  if (words !== null) {
    const facts = { text: words, ...(order !== null && { clientOrderId: order.clientOrderId }) };
    addDeskEvent(batch, { atMs, kind: state, tradeSeq: seq, facts });
  }
  for (const position of positions) movePosition(sql, batch, { atMs, position, tradeSeq: seq });
  for (const book of books) writeStrategyBook(sql, book);
  if (releaseClaim) giveClaimBack(sql, seq);
  if (notice !== null) addNotices(sql, seq, notice, atMs);
  return message === null ? 0 : addMessage(sql, seq, message, atMs);
}

function movePosition(
  sql: Sql,
  batch: Batch,
  { atMs, position, tradeSeq }: { atMs: number; position: PositionRecord; tradeSeq?: number },
): void {
  writePosition(sql, position);
  const { exchange, mode, account, market, side, quantity, entryPrice } = position;
  const facts = { exchange, mode, account, market, side, quantity, entryPrice };
  addDeskEvent(batch, { atMs, kind: 'position', facts, ...(tradeSeq !== undefined && { tradeSeq }) });
}

function giveClaimBack(sql: Sql, seq: number): void {
  sql('UPDATE trades SET nothing_placed = 1 WHERE seq = ?').run(seq);
  const tradeId = sql('SELECT request_id FROM trades WHERE seq = ?').get(seq)?.request_id as string;
  const [requestId = ''] = tradeId.split('.');
  const { changes } =
    sql(`UPDATE trades SET claim = NULL, alert_claim = NULL WHERE request_id = ?1 AND NOT EXISTS (SELECT 1 FROM trades AS other
    WHERE (other.request_id = ?1 OR other.request_id > ?1 || '.' AND other.request_id < ?1 || '/')
      AND other.nothing_placed = 0)`).run(requestId);
  // Of a refused signal that was sent again and came to nothing, its sender's own retry is wanted again.
  if (changes === 1) sql('DELETE FROM resend_guards WHERE request_id = ?').run(requestId);
}

export interface AdoptedRecord {
  readonly positions: readonly PositionRecord[];
  readonly books: readonly StrategyBookRecord[];
  readonly detail: string;
  readonly atMs: number;
}

export function adopt(sql: Sql, { positions, books, detail, atMs }: AdoptedRecord, batch: Batch): void {
  for (const position of positions) movePosition(sql, batch, { atMs, position });
  for (const book of books) writeStrategyBook(sql, book);
  addEvent(sql, NO_TRADE, atMs, 'position-adopted', detail);
}

export interface GuardRecord {
  readonly bodyDigestHex: string;
  readonly requestId: string;
  readonly untilMs: number;
}

export function guardResend(sql: Sql, { bodyDigestHex, requestId, untilMs }: GuardRecord): void {
  sql(`INSERT INTO resend_guards (body_digest, request_id, until) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET request_id = excluded.request_id, until = max(until, excluded.until)`).run(
    bytesOf(bodyDigestHex),
    requestId,
    untilMs,
  );
}

export interface GuardUnansweredRecord {
  readonly receivedSinceMs: number;
  readonly untilMs: number;
}

/** Also where guards that have run out are swept away: it happens at every start. */
export function guardUnanswered(sql: Sql, { receivedSinceMs, untilMs }: GuardUnansweredRecord): void {
  sql('DELETE FROM resend_guards WHERE until < ?').run(receivedSinceMs);
  sql(`INSERT INTO resend_guards (body_digest, request_id, until)
    SELECT body_digest, request_id, ? FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
    WHERE received_at >= ? AND body_digest IS NOT NULL
    ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`).run(untilMs, receivedSinceMs);
}

/** How this connection keeps its promise; asked by a test, for no other connection can tell. */
export function durability(sql: Sql, _args: object): { readonly journalMode: unknown; readonly synchronous: unknown } {
  return {
    journalMode: sql('PRAGMA journal_mode').get()?.journal_mode,
    synchronous: sql('PRAGMA synchronous').get()?.synchronous,
  };
}

export function probe(sql: Sql, { nowMs }: { readonly nowMs: number }): void {
  sql('INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(nowMs);
}

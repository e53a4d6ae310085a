// The journal's writes as they run inside the writer's transaction.
//
// Their arguments cross a thread as JSON: amounts are text, bytes are hex. Records have names; SQL parameters are places, because naming them costs nearly as much as the whole write
// (measured: 1.8 times the time). Each statement lists its values in the order of its columns.

import { isFinal, type TradeState } from '../../../../trading/books/journal.ts';
import { STORED } from '../../../../trading/books/signal-store.ts';
import type { Sql } from '../sql.ts';
import {
  bytesOf,
  type ClaimRecord,
  claimBytes,
  claimsOf,
  type DuplicateOf,
  findClaimed,
  findResent,
  findRetried,
  giveClaimBack,
  guardResend,
  type ResendRecord,
} from './claims.ts';
import { isStale, STALE_CONTROLS } from './controls-version.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';
import { addEvent, hasEvents, NO_TRADE, plainFill } from './event-log.ts';
import { ADOPTED, holdsAdoption, holdsOutcome } from './held-steps.ts';
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
export async function addSignal(sql: Sql, signal: SignalRow, batch: Batch): Promise<void> {
  await insertSignal(sql, signal);
  const { signalId, timestampMs: atMs, symbol, signalType, source, decision } = signal;
  if (decision === STORED)
    addDeskEvent(batch, { atMs, kind: 'signal', facts: { signalId, symbol, signalType, source } });
}

async function insertSignal(sql: Sql, signal: SignalRow): Promise<void> {
  const { signalId, timestampMs, symbol, signalType, source, decision, alertId } = signal;
  await sql.run(
    `INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision, alert_id)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
    signalId,
    timestampMs,
    symbol,
    signalType,
    source,
    decision,
    alertId ?? '',
  );
}

/** A signal on its way to become a row of `trades`. */
export interface NewTradeRecord extends ClaimRecord {
  readonly requestId: string;
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
  readonly alertId: string | null;
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
  /** Which version of the controls its gates went by. */
  readonly controlsVersion?: number | undefined;
}

/** The event of a trade that tells which stops its signal asked for. */
export const STOPS_ASKED = 'stops-asked';

/** The numbers of the new rows, or who was first, or that it was judged by old controls. */
export type AcceptResult = readonly [number, ...number[]] | DuplicateOf | typeof STALE_CONTROLS;

export const isAccepted = (result: AcceptResult): result is readonly [number, ...number[]] =>
  typeof result[0] === 'number';

export async function accept(sql: Sql, record: AcceptRecord, batch: Batch): Promise<AcceptResult> {
  const { trade, windowMs, further = [], stops, asked, resend, controlsVersion } = record;
  if (controlsVersion !== undefined && (await isStale(sql, controlsVersion, batch))) return STALE_CONTROLS;
  const { requestId, receivedAtMs, source, action, symbol, alertId } = trade;
  const first =
    (await findResent(sql, trade)) ??
    (resend && (await findRetried(sql, trade, resend))) ??
    (await insertTrade(sql, trade)) ??
    (await insertAfterWindow(sql, trade, windowMs));
  const isFirst = typeof first === 'number';
  await insertSignal(sql, {
    signalId: requestId,
    timestampMs: receivedAtMs,
    symbol,
    signalType: action,
    source,
    decision: isFirst ? 'accepted' : 'DUPLICATE_SIGNAL',
    alertId,
  });
  if (!isFirst) return first;
  if (resend) await noteResend(sql, resend, requestId);
  // What makes a second signal a duplicate is with the first one: its claim and the digest of its body.
  const others: number[] = [];
  for (const other of further) others.push(await insertUnclaimed(sql, { ...other, bodyDigestHex: null }));
  for (const tradeSeq of [first, ...others]) {
    await sql.run('INSERT INTO open_trades (seq) VALUES (?)', tradeSeq);
    addDeskEvent(batch, { atMs: receivedAtMs, kind: 'accepted', tradeSeq });
  }
  if (stops !== undefined)
    for (const { requestId: id } of [trade, ...further]) await addPendingStops(sql, id, receivedAtMs, stops);
  if (asked !== undefined) await addEvent(sql, first, receivedAtMs, STOPS_ASKED, asked);
  return [first, ...others];
}

async function insertUnclaimed(sql: Sql, trade: NewTradeRecord): Promise<number> {
  const seq = await insertTrade(sql, trade, 'unclaimed');
  if (seq === undefined) throw new Error(`there is a trade ${trade.requestId} already`);
  return seq;
}

/** Undefined when the idempotency key or the alert is claimed already, or the request has a trade. */
function insertTrade(sql: Sql, trade: NewTradeRecord, how?: 'unclaimed'): Promise<number | undefined> {
  const { idempotencyKey, bodyDigestHex, alertClaimHex } = trade;
  return sql.insert(
    `INSERT INTO trades (request_id, received_at, updated_at, source, key_label,
      exchange, mode, account, action, symbol, market, quantity, price, leverage, idempotency_key, claim, body_digest,
      notify, closes_all, strategy, comment, quantity_type, time_in_force, post_only, cancel_after_seconds, alert_id,
      alert_claim, prev_market_position, prev_market_position_size, state, executed_quantity)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
      ?25, ?26, ?27, ?28, 'accepted', '0')
    ON CONFLICT DO NOTHING RETURNING seq`,
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
}

/** Claims older than the window are given up for the new signal; a younger one makes it a duplicate. */
async function insertAfterWindow(sql: Sql, trade: NewTradeRecord, windowMs: number): Promise<number | DuplicateOf> {
  const claimed = await findClaimed(sql, trade, windowMs);
  if (claimed !== undefined) return claimed;
  for (const [, column, claim] of claimsOf(trade))
    await sql.run(`UPDATE trades SET ${column} = NULL WHERE ${column} = ?`, claim);
  const seq = await insertTrade(sql, trade);
  if (seq === undefined) throw new Error(`there is a trade ${trade.requestId} already`);
  return seq;
}

async function noteResend(sql: Sql, resend: ResendRecord, requestId: string): Promise<void> {
  const { refusalId, bodyDigestHex, guardUntilMs } = resend;
  await sql.run('UPDATE refusals SET resent_as = ? WHERE id = ?', requestId, refusalId);
  if (bodyDigestHex !== null) await guardResend(sql, { bodyDigestHex, requestId, untilMs: guardUntilMs });
}

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
  /** A try before this one may have written it. */
  readonly mayHold?: boolean | undefined;
}

/**
 * Returns the outbox number of the message, or 0. That of a step which is there already is nobody's any more: the sweep of the
 * outbox may be delivering it.
 */
export async function record(sql: Sql, outcome: OutcomeRecord, batch: Batch): Promise<number> {
  if (outcome.mayHold && (await holdsOutcome(sql, outcome))) return 0;
  const { seq, atMs, state, event, orderId, executedQuantity, averagePrice, error } = outcome;
  const { order, fills, positions, books, message, notice, releaseClaim, words } = outcome;
  await sql.run(
    `UPDATE trades SET state = ?, updated_at = ?, order_id = ?, executed_quantity = ?, average_price = ?, error = ?
    WHERE seq = ?`,
    state,
    atMs,
    orderId,
    executedQuantity,
    averagePrice,
    error,
    seq,
  );
  if (isFinal(state)) await sql.run('DELETE FROM open_trades WHERE seq = ?', seq);
  // An ordinary fill is told by the rows themselves, see plainFill.
  const isFirst = state === 'filled' && event.kind === 'filled' && !(await hasEvents(sql, seq));
  const isPlain = isFirst && event.detail === plainFill(orderId, executedQuantity, averagePrice);
  if (!isPlain) await addEvent(sql, seq, atMs, event.kind, event.detail);
  if (order !== null) await writeReport(sql, seq, atMs, order, fills);
  if (words !== null) {
    const facts = { text: words, ...(order !== null && { clientOrderId: order.clientOrderId }) };
    addDeskEvent(batch, { atMs, kind: state, tradeSeq: seq, facts });
  }
  for (const position of positions) await movePosition(sql, batch, { atMs, position, tradeSeq: seq });
  for (const book of books) await writeStrategyBook(sql, book);
  if (releaseClaim) await giveClaimBack(sql, seq);
  if (notice !== null) await addNotices(sql, seq, notice, atMs);
  return message === null ? 0 : await addMessage(sql, seq, message, atMs);
}

async function movePosition(
  sql: Sql,
  batch: Batch,
  { atMs, position, tradeSeq }: { atMs: number; position: PositionRecord; tradeSeq?: number },
): Promise<void> {
  await writePosition(sql, position);
  const { exchange, mode, account, market, side, quantity, entryPrice } = position;
  const facts = { exchange, mode, account, market, side, quantity, entryPrice };
  addDeskEvent(batch, { atMs, kind: 'position', facts, ...(tradeSeq !== undefined && { tradeSeq }) });
}

export interface AdoptedRecord {
  readonly positions: readonly PositionRecord[];
  readonly books: readonly StrategyBookRecord[];
  readonly detail: string;
  readonly atMs: number;
  /** A try before this one may have written it. */
  readonly mayHold?: boolean | undefined;
}

export async function adopt(sql: Sql, adoption: AdoptedRecord, batch: Batch): Promise<void> {
  if (adoption.mayHold && (await holdsAdoption(sql, adoption))) return;
  const { positions, books, detail, atMs } = adoption;
  for (const position of positions) await movePosition(sql, batch, { atMs, position });
  for (const book of books) await writeStrategyBook(sql, book);
  await addEvent(sql, NO_TRADE, atMs, ADOPTED, detail);
}

/** How this connection keeps its promise; asked by a test, for no other connection can tell. */
export async function durability(
  sql: Sql,
  _args: object,
): Promise<{ readonly journalMode: unknown; readonly synchronous: unknown }> {
  return {
    journalMode: (await sql.get('PRAGMA journal_mode'))?.journal_mode,
    synchronous: (await sql.get('PRAGMA synchronous'))?.synchronous,
  };
}

export async function probe(sql: Sql, { nowMs }: { readonly nowMs: number }): Promise<void> {
  await sql.run('INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at', nowMs);
}

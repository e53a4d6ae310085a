// The journal port in SQL, on either engine: writes go through the writer thread, reads through connections of their own.

import { StaleControlsError, UnknownOutcomeError } from '../../../../errors/storage-error.ts';
import {
  type Acceptance,
  type Adoption,
  type BookedFill,
  type Duplicate,
  type Journal,
  type JournalEvent,
  type NewTrade,
  OPEN_ORDER_STATES,
  type OrderFilter,
  type OutcomeStep,
  type ResendOf,
  type SendingStep,
  type SentOrder,
  type Trade,
  type TradeDetail,
  type TradeFilter,
  type TradeSearch,
  type UnfinishedTrade,
} from '../../../../trading/books/journal.ts';
import type { Position } from '../../../../trading/books/position.ts';
import { type FillShare, NAMELESS, type StrategyBook } from '../../../../trading/books/strategy-book.ts';
import { type Decimal, toText } from '../../../../trading/decimal.ts';
import { sameCase } from '../same-case.ts';
import type { Row, Searches, SqlReads } from '../sql.ts';
import { claimBytes, type DuplicateOf, findDuplicate, type ResendRecord } from './claims.ts';
import { STALE_CONTROLS } from './controls-version.ts';
import { exactJson } from './exact-json.ts';
import { type AcceptResult, isAccepted, type NewTradeRecord, type OutcomeRecord } from './journal-mutations.ts';
import { eventOf, fillsOf, orderOf, positionOf, sentOrderOf, strategyBookOf, tradeOf } from './journal-rows.ts';
import type { FillShareRecord, SendingRecord } from './order-rows.ts';
import { noticeRecord } from './outbox.ts';
import { positionRecord, strategyBookRecord } from './position-rows.ts';
import { pendingColumns } from './protection/rows.ts';
import { isOneOf } from './row-filters.ts';
import type { Writer } from './writer.ts';

export interface JournalParts {
  readonly writer: Pick<Writer, 'run'>;
  readonly reads: SqlReads;
  /** For what may look at every row. */
  readonly searches: Searches;
  readonly nowMs: () => number;
  readonly onUnclearAcceptance?: ((error: Error) => void) | undefined;
}

/** Trades without an end. */
export const UNFINISHED = 'SELECT seq FROM open_trades';

export class SqlJournal implements Journal {
  readonly #parts: JournalParts;
  readonly #all: SqlReads['all'];

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#all = parts.reads.all;
  }

  accept(trade: NewTrade, windowMs: number, further: readonly NewTrade[] = []): Promise<Acceptance> {
    const { protect } = trade.order;
    const stops = protect && pendingColumns(protect);
    const others = further.length > 0 ? { further: further.map(newTradeRecord) } : {};
    const asked = protect && exactJson(protect);
    const resend = trade.resendOf && { resend: resendRecord(trade.resendOf) };
    const { controlsVersion } = trade;
    const record = { trade: newTradeRecord(trade), windowMs, stops, asked, controlsVersion, ...others, ...resend };
    return this.#parts.writer.run('accept', record).then(acceptanceOf, (error) => {
      if (error instanceof UnknownOutcomeError) this.#parts.onUnclearAcceptance?.(error);
      throw error;
    });
  }

  async claimant(idempotencyKey: string, afterMs: number): Promise<string | undefined> {
    const [row] = await this.#all(
      'SELECT request_id FROM trades WHERE claim = ? AND received_at > ?',
      claimBytes(idempotencyKey),
      afterMs,
    );
    return row?.request_id as string | undefined;
  }

  async duplicateOf(trade: NewTrade, windowMs: number): Promise<Duplicate | undefined> {
    const found = await findDuplicate(this.#parts.reads, newTradeRecord(trade), windowMs);
    return found && duplicate(found);
  }

  sending(step: SendingStep): Promise<void> {
    return this.#parts.writer.run('sending', sendingRecord(step)).then(assertFresh);
  }

  record(step: OutcomeStep, mayHold = false): Promise<{ readonly messageId?: number }> {
    const record = outcomeRecord(step);
    return this.#parts.writer.run('record', mayHold ? { ...record, mayHold } : record).then(recordedAs);
  }

  adopt({ positions, books, detail, atMs }: Adoption, mayHold = false): Promise<void> {
    const records = { positions: positions.map(positionRecord), books: books.map(strategyBookRecord) };
    return this.#parts.writer.run('adopt', { ...records, detail, atMs, ...(mayHold && { mayHold }) });
  }

  async guardResend(bodyDigest: Uint8Array, requestId: string, untilMs: number): Promise<void> {
    await this.#parts.writer.run('guardResend', { bodyDigestHex: hexOf(bodyDigest), requestId, untilMs });
  }

  async guardUnanswered(receivedSinceMs: number, untilMs: number): Promise<void> {
    await this.#parts.writer.run('guardUnanswered', { receivedSinceMs, untilMs });
  }

  async unfinished(): Promise<readonly UnfinishedTrade[]> {
    const rows =
      await this.#all(`SELECT *, EXISTS (SELECT 1 FROM orders WHERE trade_seq = current_trades.seq) AS touched
      FROM current_trades WHERE seq IN (${UNFINISHED}) ORDER BY seq`);
    // Most of a backlog was never touched: such rows have no orders to look for.
    const unfinished: UnfinishedTrade[] = [];
    for (const row of rows)
      unfinished.push(row.touched === 0 ? { trade: tradeOf(row), orders: [], fills: [] } : await this.#withOrders(row));
    return unfinished;
  }

  async trade(requestId: string): Promise<TradeDetail | undefined> {
    const [row] = await this.#all('SELECT * FROM current_trades WHERE request_id = ?', requestId);
    if (!row) return undefined;
    const found = await this.#withOrders(row);
    const events = await this.#all('SELECT * FROM events WHERE trade_seq = ? ORDER BY step', found.trade.seq);
    const [signal = ''] = requestId.split('.');
    const ofSignal = await this.#all(
      `SELECT * FROM current_trades WHERE request_id = ?1 OR request_id > ?1 || '.' AND request_id < ?1 || '/' ORDER BY seq`,
      signal,
    );
    return { ...found, ofSignal: ofSignal.map(tradeOf), events: events.map(eventOf) };
  }

  async trades(filter: TradeFilter): Promise<readonly Trade[]> {
    const {
      exchange = '',
      account = '',
      market = '',
      strategy,
      alertId = '',
      states = [],
      beforeRequestId = '',
    } = filter;
    const searched = searchParams(filter);
    const isSearch =
      [exchange, account, market, alertId, ...searched].some((each) => each !== '') ||
      [strategy, filter.fromMs, filter.toMs].some((each) => each !== undefined) ||
      states.length > 0;
    const rows = await (isSearch ? this.#parts.searches.all : this.#all)(
      `SELECT * FROM current_trades AS trades WHERE (?1 = '' OR seq < (SELECT seq FROM trades WHERE request_id = ?1))
        AND (?2 = '' OR exchange = ?2) AND (?3 = '' OR market = ?3)
        AND (?4 = '[]' OR current_state IN (SELECT value FROM json_each(?4)))
        AND (?6 = '' OR account = ?6) AND (?7 = '' OR '=' || strategy = ?7)
        AND (?8 = '' OR alert_id = ?8) AND received_at >= ?9 AND received_at < ?10 AND ${tradeSearch(11)}
      ORDER BY seq DESC LIMIT ?5`,
      beforeRequestId,
      exchange,
      market,
      JSON.stringify(states),
      filter.limit,
      account,
      strategy === undefined ? '' : `=${strategy}`,
      alertId,
      filter.fromMs ?? 0,
      filter.toMs ?? Number.MAX_SAFE_INTEGER,
      ...searched,
    );
    return rows.map(tradeOf);
  }

  async fillsOf(trades: readonly Pick<Trade, 'seq'>[]): Promise<ReadonlyMap<number, readonly BookedFill[]>> {
    const rows = await this.#all(
      `SELECT trade_seq, client_order_id, fills FROM orders
      WHERE trade_seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND fills <> '' ORDER BY trade_seq, sent_after_step, created_at, leg`,
      JSON.stringify(trades.map(({ seq }) => seq)),
    );
    const found = new Map<number, BookedFill[]>();
    for (const row of rows) {
      const seq = row.trade_seq as number;
      found.set(seq, [...(found.get(seq) ?? []), ...fillsOf(row)]);
    }
    return found;
  }

  async orders(filter: OrderFilter): Promise<readonly SentOrder[]> {
    const { states, before, exchange = '', account = '', market = '', strategy } = filter;
    const isOpen = states === 'open';
    const wanted = isOpen ? OPEN_ORDER_STATES : states === 'all' ? [] : states;
    const found = await (isOpen ? this.#all : this.#parts.searches.all)(
      `SELECT orders.* FROM orders JOIN trades ON trades.seq = orders.trade_seq
      WHERE ${isOpen ? `trade_seq IN (${UNFINISHED})` : 'true'}
        AND (?1 = '[]' OR orders.state IN (SELECT value FROM json_each(?1)))
        AND (?2 = '' OR (trade_seq, client_order_id) < ((SELECT seq FROM trades WHERE request_id = ?2), ?3))
        AND (?4 = '' OR orders.exchange = ?4) AND (?5 = '' OR orders.account = ?5) AND (?6 = '' OR orders.market = ?6)
        AND (?7 = '' OR '=' || trades.strategy = ?7) AND orders.created_at >= ?8 AND orders.created_at < ?9
        AND ${tradeSearch(11, 'orders.client_order_id, orders.order_id, orders.reason')}
      ORDER BY trade_seq DESC, client_order_id DESC LIMIT ?10`,
      JSON.stringify(wanted),
      before?.tradeId ?? '',
      before?.clientOrderId ?? '',
      exchange,
      account,
      market,
      strategy === undefined ? '' : `=${strategy}`,
      filter.fromMs ?? 0,
      filter.toMs ?? Number.MAX_SAFE_INTEGER,
      filter.limit,
      ...searchParams(filter),
    );
    const seqs = JSON.stringify(found.map(({ trade_seq }) => Number(trade_seq)));
    const rows = await this.#all(
      'SELECT * FROM current_trades WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
      seqs,
    );
    const trades = new Map(rows.map(tradeOf).map((trade) => [trade.seq, trade]));
    return found.map((row) => sentOrderOf(row, trades.get(Number(row.trade_seq)) as Trade));
  }

  async positions(): Promise<readonly Position[]> {
    return (await this.#all('SELECT * FROM positions ORDER BY exchange, mode, account, market, side')).map(positionOf);
  }

  async strategyBooks(): Promise<readonly StrategyBook[]> {
    const order = 'exchange, mode, account, market, side, strategy';
    return (await this.#all(`SELECT * FROM strategy_books ORDER BY ${order}`)).map(strategyBookOf);
  }

  async probe(): Promise<void> {
    await this.#all('SELECT 1 FROM trades LIMIT 1');
    await this.#parts.writer.run('probe', { nowMs: this.#parts.nowMs() });
  }

  async #withOrders(row: Row): Promise<UnfinishedTrade> {
    const trade = tradeOf(row);
    const orders = await this.#all(
      'SELECT * FROM orders WHERE trade_seq = ? ORDER BY sent_after_step, created_at, leg',
      trade.seq,
    );
    return { trade, orders: orders.map(orderOf), fills: orders.flatMap(fillsOf) };
  }
}

/** The conditions of a search on `trades`, with its parameters from this number on. */
const tradeSearch = (first: number, more?: string): string => {
  const [mode, key, action, source, tag, search] = [0, 1, 2, 3, 4, 5].map((offset) => `?${first + offset}`);
  const texts = ['symbol', 'market', 'strategy', 'comment', 'request_id', 'alert_id', 'key_label', 'error'].map(
    (column) => `trades.${column}`,
  );
  const note = '(SELECT note FROM trade_notes WHERE trade_seq = trades.seq)';
  return `(${mode} = '' OR trades.mode = ${mode}) AND (${key} = '' OR trades.key_label = ${key})
    AND (${action} = '' OR trades.action = ${action}) AND (${source} = '' OR ${isOneOf(source!, 'trades.source')})
    AND (${tag} = '' OR EXISTS (SELECT 1 FROM trade_tags WHERE tag = ${tag} AND trade_seq = trades.seq))
    AND (${search} = '' OR instr(lower(concat_ws('\n', ${[...texts, note, ...(more ? [more] : [])].join()})), ${search}) > 0)`;
};

const searchParams = ({ mode, keyLabel, action, source, tag, search }: TradeSearch): string[] =>
  [mode, keyLabel, action, source, tag, search && sameCase(search)].map((value) => value ?? '');

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function acceptanceOf(result: AcceptResult): Acceptance {
  if (result === STALE_CONTROLS) throw new StaleControlsError();
  return isAccepted(result) ? { accepted: true, seqs: result } : duplicate(result);
}

function assertFresh(result: typeof STALE_CONTROLS | undefined): void {
  if (result === STALE_CONTROLS) throw new StaleControlsError();
}

const duplicate = ([cause, originalRequestId]: DuplicateOf): Duplicate => ({
  accepted: false,
  cause,
  originalRequestId,
});

const resendRecord = ({ bodyDigest, ...of }: ResendOf): ResendRecord => ({
  ...of,
  bodyDigestHex: bodyDigest ? hexOf(bodyDigest) : null,
});

const recordedAs = (messageId: number): { messageId?: number } => (messageId === 0 ? {} : { messageId });

function newTradeRecord(trade: NewTrade): NewTradeRecord {
  const { requestId, receivedAtMs, source, keyLabel, mode, account, order, bodyDigest, alertClaim } = trade;
  const { exchange, action, symbol, market } = order;
  return {
    requestId,
    receivedAtMs,
    source,
    keyLabel,
    exchange,
    mode,
    account,
    action,
    symbol,
    market,
    quantity: toText(order.quantity),
    price: order.price === undefined ? null : toText(order.price),
    leverage: order.leverage ?? null,
    strategy: order.strategy ?? NAMELESS,
    comment: order.comment ?? null,
    quantityType: order.quantityType ?? null,
    timeInForce: order.timeInForce ?? null,
    postOnly: order.postOnly ? 1 : 0,
    cancelAfterSeconds: order.cancelAfterSeconds ?? null,
    idempotencyKey: order.idempotencyKey ?? null,
    bodyDigestHex: bodyDigest ? hexOf(bodyDigest) : null,
    alertId: order.alertId ?? null,
    alertClaimHex: alertClaim ? hexOf(alertClaim) : null,
    notify: order.notify ? JSON.stringify(order.notify) : null,
    closesAll: order.closesAll ? 1 : 0,
    prevMarketPosition: order.previousPosition?.position ?? null,
    prevMarketPositionSize: order.previousPosition?.size === undefined ? null : toText(order.previousPosition.size),
  };
}

function sendingRecord(step: SendingStep): SendingRecord {
  const { seq, atMs, leg, exchange, mode, account, request, notes } = step;
  const { clientOrderId, market, side, positionSide } = request;
  return {
    seq,
    atMs,
    leg,
    clientOrderId,
    exchange,
    mode,
    account,
    market,
    side,
    positionSide,
    reduceOnly: request.reduceOnly ? 1 : 0,
    netted: step.netted ? 1 : 0,
    givenUp: toText(step.givenUp),
    quantity: toText(request.quantity),
    price: request.price === undefined ? null : toText(request.price),
    notes: notes.map(eventRecord),
    controlsVersion: step.controlsVersion,
  };
}

const eventRecord = ({ kind, detail }: JournalEvent) => ({ kind, detail: detail ?? null });

const shareRecord = ({ strategy, quantity, realizedPnl, fee }: FillShare): FillShareRecord => ({
  strategy,
  quantity: toText(quantity),
  realizedPnl: toText(realizedPnl),
  fee: toText(fee),
});

function outcomeRecord(step: OutcomeStep): OutcomeRecord {
  const { seq, atMs, state, order, message, notice } = step;
  const executedQuantity = toText(step.executedQuantity);
  const averagePrice = step.averagePrice === undefined ? null : toText(step.averagePrice);
  // An order that fills at once says the same amount and price three times: they are turned into text once.
  const amount = (value: Decimal): string => (value === step.executedQuantity ? executedQuantity : toText(value));
  const price = (value: Decimal): string => (value === step.averagePrice ? (averagePrice as string) : toText(value));
  return {
    seq,
    atMs,
    state,
    executedQuantity,
    averagePrice,
    event: eventRecord(step.event),
    orderId: step.orderId ?? null,
    error: step.error ?? null,
    order: order
      ? {
          clientOrderId: order.clientOrderId,
          state: order.state,
          orderId: order.orderId ?? null,
          executedQuantity: amount(order.executedQuantity),
          averagePrice: order.averagePrice === undefined ? null : price(order.averagePrice),
          reason: order.reason ?? null,
        }
      : null,
    fills: step.fills.map((fill) => ({
      fillId: fill.fillId,
      quantity: amount(fill.quantity),
      price: price(fill.price),
      fee: toText(fill.fee),
      realizedPnl: toText(fill.realizedPnl),
      atMs: fill.atMs,
      ...(fill.shares && { shares: fill.shares.map(shareRecord) }),
    })),
    positions: step.positions?.map(positionRecord) ?? [],
    books: step.books?.map(strategyBookRecord) ?? [],
    message: message ? { kind: message.kind, payload: JSON.stringify(message) } : null,
    notice: notice ? noticeRecord(notice) : null,
    releaseClaim: step.releaseClaim ?? false,
    words: step.words ?? null,
  };
}

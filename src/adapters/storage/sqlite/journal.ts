// The journal port on SQLite: writes go through the writer thread, reads through a connection of their own.

import type { DatabaseSync } from 'node:sqlite';
import type {
  Acceptance,
  Journal,
  NewTrade,
  OutcomeStep,
  SendingStep,
  UnfinishedTrade,
} from '../../../trading/books/journal.ts';
import type { Position } from '../../../trading/books/position.ts';
import { type Decimal, productText, toText } from '../../../trading/decimal.ts';
import type { ProtectRequest } from '../../../trading/signal.ts';
import { queries, type Row } from './database.ts';
import type { AcceptArgs, AcceptResult, PositionArgs, RecordArgs } from './journal-mutations.ts';
import { eventOf, fillsOf, orderOf, positionOf, tradeOf } from './journal-rows.ts';
import type { SendingArgs } from './order-rows.ts';
import type { PendingStops } from './protection/mutations.ts';
import { textOf } from './protection/rows.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

export function createJournal(options: {
  writer: Pick<Writer, 'run'>;
  reader: DatabaseSync;
  /** For what may look at every row. */
  searches: Reader;
  path: string;
  nowMs: () => number;
}): Journal {
  const { writer, reader, searches, path, nowMs } = options;
  const all = queries(reader, path);

  const orderRows = (seq: number) =>
    all('SELECT * FROM orders WHERE trade_seq = ? ORDER BY sent_after_step, created_at, leg', seq);

  const unfinishedOf = (row: Row): UnfinishedTrade => {
    const trade = tradeOf(row);
    const orders = orderRows(trade.seq);
    return { trade, orders: orders.map(orderOf), fills: orders.flatMap(fillsOf) };
  };

  return {
    accept(trade, windowMs) {
      const args = acceptArgs(trade, windowMs);
      const { protect } = trade.order;
      const accepted =
        protect === undefined
          ? writer.run('accept', args)
          : writer.run('acceptProtected', [args, pendingStopsOf(protect)]);
      return accepted.then(acceptanceOf);
    },
    sending: (step) => writer.run('sending', sendingArgs(step)),
    record: (step) => writer.run('record', recordArgs(step)).then(recordedAs),
    adopt: (position, detail) => writer.run('adopt', [positionArgs(position), detail]),
    async guardResend(bodyDigest, requestId, untilMs) {
      await writer.run('guardResend', [hexOf(bodyDigest), requestId, untilMs]);
    },
    async guardUnanswered(receivedSinceMs, untilMs) {
      await writer.run('guardUnanswered', [receivedSinceMs, untilMs]);
    },
    async unfinished() {
      return all(`SELECT *, EXISTS (SELECT 1 FROM orders WHERE trade_seq = current_trades.seq) AS touched
        FROM current_trades WHERE seq IN (SELECT seq FROM open_trades UNION ALL SELECT seq FROM trades
          WHERE seq >= (SELECT seq FROM recovery_mark) AND state IN ('accepted', 'sending'))
        ORDER BY seq`).map((row) =>
        // Most of a backlog was never touched: such rows have no orders to look for.
        row.touched === 0 ? { trade: tradeOf(row), orders: [], fills: [] } : unfinishedOf(row),
      );
    },
    async trade(requestId) {
      const [row] = all('SELECT * FROM current_trades WHERE request_id = ?', requestId);
      if (!row) return undefined;
      const trade = tradeOf(row);
      const orders = orderRows(trade.seq);
      const events = all('SELECT * FROM events WHERE trade_seq = ? ORDER BY step', trade.seq);
      return {
        trade,
        orders: orders.map(orderOf),
        fills: orders.flatMap(fillsOf),
        events: events.map(eventOf),
      };
    },
    async trades(filter) {
      const { exchange = '', market = '', states = [], beforeRequestId = '' } = filter;
      const search = exchange !== '' || market !== '' || states.length > 0;
      const rows = await (search ? searches.all : all)(
        `SELECT * FROM current_trades WHERE (?1 = '' OR seq < (SELECT seq FROM trades WHERE request_id = ?1))
          AND (?2 = '' OR exchange = ?2) AND (?3 = '' OR market = ?3)
          AND (?4 = '[]' OR current_state IN (SELECT value FROM json_each(?4)))
        ORDER BY seq DESC LIMIT ?5`,
        beforeRequestId,
        exchange,
        market,
        JSON.stringify(states),
        filter.limit,
      );
      return rows.map(tradeOf);
    },
    async positions() {
      return all('SELECT * FROM positions ORDER BY exchange, market, side').map(positionOf);
    },
    async probe() {
      all('SELECT 1 FROM trades LIMIT 1');
      await writer.run('probe', [nowMs()]);
    },
  };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const acceptanceOf = (result: AcceptResult): Acceptance =>
  typeof result === 'number'
    ? { accepted: true, seq: result }
    : { accepted: false, cause: result[0], originalRequestId: result[1] };

const pendingStopsOf = ({ trailPercent, stopLoss, takeProfit }: ProtectRequest): PendingStops => ({
  trailPercent: textOf(trailPercent),
  stopLoss: textOf(stopLoss),
  takeProfit: textOf(takeProfit),
});

const recordedAs = (messageId: number): { messageId?: number } => (messageId === 0 ? {} : { messageId });

function acceptArgs(trade: NewTrade, windowMs: number): AcceptArgs {
  const { order } = trade;
  return [
    trade.requestId,
    trade.receivedAtMs,
    trade.source,
    trade.keyLabel,
    order.exchange,
    trade.account,
    order.action,
    order.symbol,
    order.market,
    toText(order.quantity),
    order.price === undefined ? null : toText(order.price),
    order.leverage ?? null,
    order.idempotencyKey ?? null,
    trade.bodyDigest ? hexOf(trade.bodyDigest) : null,
    order.notify ? JSON.stringify(order.notify) : null,
    windowMs,
    order.closesAll ? 1 : 0,
  ];
}

function sendingArgs({ seq, atMs, leg, exchange, account, request, notes }: SendingStep): SendingArgs {
  return [
    seq,
    atMs,
    request.clientOrderId,
    leg,
    exchange,
    account,
    request.market,
    request.side,
    request.positionSide,
    request.reduceOnly ? 1 : 0,
    toText(request.quantity),
    request.price === undefined ? null : toText(request.price),
    notes.flatMap((note) => [note.kind, note.detail ?? null]),
  ];
}

const positionArgs = (p: Position): PositionArgs => [
  p.exchange,
  p.account,
  p.market,
  p.side,
  toText(p.quantity),
  toText(p.entryPrice),
  toText(p.realizedPnl),
  toText(p.fees),
  p.updatedAtMs,
  productText(p.cost),
];

function recordArgs(step: OutcomeStep): RecordArgs {
  const { order, position: p, message } = step;
  const executed = toText(step.executedQuantity);
  const average = step.averagePrice === undefined ? null : toText(step.averagePrice);
  // An order that fills at once says the same amount and price three times: they are turned into text once.
  const amount = (value: Decimal): string => (value === step.executedQuantity ? executed : toText(value));
  const price = (value: Decimal): string => (average !== null && value === step.averagePrice ? average : toText(value));
  return [
    step.seq,
    step.atMs,
    step.state,
    step.event.kind,
    step.event.detail ?? null,
    step.orderId ?? null,
    executed,
    average,
    step.error ?? null,
    order
      ? [
          order.clientOrderId,
          order.state,
          order.orderId ?? null,
          amount(order.executedQuantity),
          order.averagePrice === undefined ? null : price(order.averagePrice),
          order.reason ?? null,
        ]
      : null,
    step.fills.map((f) => [
      f.clientOrderId,
      f.fillId,
      amount(f.quantity),
      price(f.price),
      toText(f.fee),
      toText(f.realizedPnl),
      f.atMs,
    ]),
    p ? positionArgs(p) : null,
    message ? [message.kind, JSON.stringify(message)] : null,
    step.releaseClaim ?? null,
  ];
}

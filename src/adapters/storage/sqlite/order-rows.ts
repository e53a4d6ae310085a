// The journal's order rows: an order that ends at once, as most do, is written once with its end, not twice.

import { addEvent, lastStep } from './event-log.ts';
import { noteOf, type Sql, writeLate } from './late-writes.ts';

type Text = string | null;

export type SendingArgs = readonly [
  seq: number,
  atMs: number,
  clientOrderId: string,
  leg: string,
  exchange: string,
  account: string,
  market: string,
  side: string,
  positionSide: string,
  reduceOnly: number,
  quantity: string,
  price: Text,
  /** kind, detail, kind, detail… */
  notes: readonly Text[],
];

export type FillArgs = readonly [
  clientOrderId: string,
  fillId: string,
  quantity: string,
  price: string,
  fee: string,
  realizedPnl: string,
  atMs: number,
];

export type ReportArgs = readonly [
  clientOrderId: string,
  state: string,
  orderId: Text,
  executedQuantity: string,
  averagePrice: Text,
  reason: Text,
];

/** An order that is being sent and whose row waits for its outcome or the commit, whichever comes first. */
interface Unwritten {
  readonly args: SendingArgs;
  readonly afterStep: number;
}

/** Trades that certainly have no order row yet. */
const untouched = (sql: Sql): Set<number> => noteOf(sql, 'trades without orders', () => new Set<number>());
const unwritten = (sql: Sql): Map<number, Unwritten> => noteOf(sql, 'unwritten orders', () => new Map());
const MAX_UNTOUCHED = 50_000;

export function noOrdersYet(sql: Sql, seq: number): void {
  const trades = untouched(sql);
  if (trades.size >= MAX_UNTOUCHED) trades.clear();
  trades.add(seq);
}

export function sending(sql: Sql, args: SendingArgs): void {
  const [seq, at, , leg] = args;
  const notes = args[12];
  for (let i = 0; i < notes.length; i += 2) addEvent(sql, seq, at, notes[i] as string, notes[i + 1] ?? null);
  const afterStep = lastStep(sql, seq);
  if (untouched(sql).delete(seq)) {
    unwritten(sql).set(seq, { args, afterStep });
    writeLate(sql, 'orders being sent', [], () => writeUnwritten(sql));
    return;
  }
  writeUnwrittenOf(sql, seq);
  if (insertOrder(sql, args, afterStep, SENDING, '')) return;
  // The same order is prepared again, after the venue proved that it never saw it.
  sql(
    `UPDATE orders SET state = 'sending', quantity = ?, price = ?, updated_at = ? WHERE trade_seq = ? AND leg = ?`,
  ).run(args[10], args[11], at, seq, leg);
  addEvent(sql, seq, at, 'sending', leg);
}

/** What the order's row says before the venue has said anything. */
const SENDING: readonly [state: string, orderId: Text, executed: string, average: Text, reason: Text] = [
  'sending',
  null,
  '0',
  null,
  null,
];

function writeUnwritten(sql: Sql): void {
  for (const seq of unwritten(sql).keys()) writeUnwrittenOf(sql, seq);
}

function writeUnwrittenOf(sql: Sql, seq: number): void {
  const orders = unwritten(sql);
  const order = orders.get(seq);
  if (order === undefined) return;
  orders.delete(seq);
  insertOrder(sql, order.args, order.afterStep, SENDING, '');
}

function insertOrder(
  sql: Sql,
  args: SendingArgs,
  afterStep: number,
  [state, orderId, executed, average, reason]: typeof SENDING,
  fills: string,
  updatedAt: number = args[1],
): boolean {
  const [seq, at, clientOrderId, leg, exchange, account, market, side, positionSide, reduceOnly, quantity, price] =
    args;
  const { changes } = sql(`INSERT INTO orders (trade_seq, leg, client_order_id, exchange, account, market, side,
      position_side, reduce_only, quantity, price, state, order_id, executed_quantity, average_price, reason, fills,
      created_at, updated_at, sent_after_step)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (trade_seq, leg) DO NOTHING`).run(
    seq,
    leg,
    clientOrderId,
    exchange,
    account,
    market,
    side,
    positionSide,
    reduceOnly,
    quantity,
    price,
    state,
    orderId,
    executed,
    average,
    reason,
    fills,
    at,
    updatedAt,
    afterStep,
  );
  return changes === 1;
}

const fillLine = (fill: FillArgs): string => `${JSON.stringify(fill.slice(1))}\n`;

/** A fill that is stored already stays as it is: its id stands in the column. */
export function writeReport(sql: Sql, seq: number, at: number, report: ReportArgs, fills: readonly FillArgs[]): void {
  const [clientOrderId, state, orderId, executed, average, reason] = report;
  const waiting = unwritten(sql).get(seq);
  if (waiting?.args[2] === clientOrderId) {
    unwritten(sql).delete(seq);
    const lines = fills.map(fillLine).join('');
    insertOrder(sql, waiting.args, waiting.afterStep, [state, orderId, executed, average, reason], lines, at);
    return;
  }
  const [first = undefined, ...more] = fills;
  sql(`UPDATE orders SET state = ?1, order_id = ?2, executed_quantity = ?3, average_price = ?4, reason = ?5, updated_at = ?6,
      fills = iif(?7 IS NULL OR instr(fills, ?7) > 0, fills, fills || ?8)
    WHERE trade_seq = ?9 AND client_order_id = ?10`).run(
    state,
    orderId,
    executed,
    average,
    reason,
    at,
    first === undefined ? null : `[${JSON.stringify(first[1])},`,
    first === undefined ? null : fillLine(first),
    seq,
    clientOrderId,
  );
  if (more.length > 0) writeReport(sql, seq, at, report, more);
}

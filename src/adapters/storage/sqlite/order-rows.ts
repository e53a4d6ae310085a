// The journal's order rows: written before an order is sent, and again with every word of the venue.

import type { Sql } from './database.ts';
import { addEvent, lastStep } from './event-log.ts';

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

export function sending(sql: Sql, args: SendingArgs): void {
  const [seq, at, clientOrderId, leg, exchange, account, market, side, positionSide, reduceOnly, quantity, price] =
    args;
  const notes = args[12];
  for (let i = 0; i < notes.length; i += 2) addEvent(sql, seq, at, notes[i] as string, notes[i + 1] ?? null);
  const { changes } = sql(`INSERT INTO orders (trade_seq, leg, client_order_id, exchange, account, market, side,
      position_side, reduce_only, quantity, price, state, executed_quantity, fills, created_at, updated_at,
      sent_after_step)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'sending', '0', '', ?12, ?12, ?13)
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
    at,
    lastStep(sql, seq),
  );
  if (changes === 1) return;
  // The same order is prepared again, after the venue proved that it never saw it.
  sql(
    `UPDATE orders SET state = 'sending', quantity = ?, price = ?, updated_at = ? WHERE trade_seq = ? AND leg = ?`,
  ).run(quantity, price, at, seq, leg);
  addEvent(sql, seq, at, 'sending', leg);
}

const fillLine = (fill: FillArgs): string => `${JSON.stringify(fill.slice(1))}\n`;

/** A fill that is stored already stays as it is: its id stands in the column. */
export function writeReport(sql: Sql, seq: number, at: number, report: ReportArgs, fills: readonly FillArgs[]): void {
  const [clientOrderId, state, orderId, executed, average, reason] = report;
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

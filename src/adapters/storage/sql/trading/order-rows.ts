// The journal's order rows: written before an order is sent, and again with every word of the venue.

import type { Sql } from '../sql.ts';
import { isStale, STALE_CONTROLS } from './controls-version.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';
import { addEvent, LAST_STEP } from './event-log.ts';

/** An order that is about to be sent. */
export interface SendingRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly leg: string;
  readonly clientOrderId: string;
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly market: string;
  readonly side: string;
  readonly positionSide: string;
  readonly reduceOnly: 0 | 1;
  readonly netted: 0 | 1;
  readonly givenUp: string;
  readonly quantity: string;
  readonly price: string | null;
  readonly notes: readonly { readonly kind: string; readonly detail: string | null }[];
  /** Which version of the controls it was planned by. */
  readonly controlsVersion?: number | undefined;
}

export interface FillRecord {
  readonly fillId: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly realizedPnl: string;
  readonly atMs: number;
  readonly shares?: readonly FillShareRecord[];
}

/** An object, not a list: the column is searched for `["` and a fill's id, which no share may look like. */
export interface FillShareRecord {
  readonly strategy: string;
  readonly quantity: string;
  readonly realizedPnl: string;
  readonly fee: string;
}

/** What a venue said of an order. */
export interface ReportRecord {
  readonly clientOrderId: string;
  readonly state: string;
  readonly orderId: string | null;
  readonly executedQuantity: string;
  readonly averagePrice: string | null;
  readonly reason: string | null;
}

export async function sending(
  sql: Sql,
  order: SendingRecord,
  batch: Batch,
): Promise<typeof STALE_CONTROLS | undefined> {
  const { seq, atMs, leg, quantity, price, controlsVersion } = order;
  if (controlsVersion !== undefined && (await isStale(sql, controlsVersion, batch))) return STALE_CONTROLS;
  for (const { kind, detail } of order.notes) await addEvent(sql, seq, atMs, kind, detail);
  const { clientOrderId, side, reduceOnly } = order;
  addDeskEvent(batch, {
    ...{ atMs, kind: 'sending', tradeSeq: seq },
    facts: { clientOrderId, side, reduceOnly, quantity, price },
  });
  const changes = await sql.run(
    `INSERT INTO orders (trade_seq, leg, client_order_id, exchange, mode, account, market, side,
      position_side, reduce_only, quantity, price, state, executed_quantity, fills, created_at, updated_at,
      sent_after_step, netted, given_up)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'sending', '0', '', ?13, ?13,
      ${LAST_STEP}, ?14, ?15)
    ON CONFLICT (trade_seq, leg) DO NOTHING`,
    seq,
    leg,
    order.clientOrderId,
    order.exchange,
    order.mode,
    order.account,
    order.market,
    order.side,
    order.positionSide,
    order.reduceOnly,
    quantity,
    price,
    atMs,
    order.netted,
    order.givenUp,
  );
  if (changes === 1) return undefined;
  // The same order is prepared again, after the venue proved that it never saw it.
  await sql.run(
    `UPDATE orders SET state = 'sending', side = ?, position_side = ?, reduce_only = ?, netted = ?, given_up = ?, quantity = ?, price = ?, updated_at = ?
    WHERE trade_seq = ? AND leg = ?`,
    order.side,
    order.positionSide,
    order.reduceOnly,
    order.netted,
    order.givenUp,
    quantity,
    price,
    atMs,
    seq,
    leg,
  );
  await addEvent(sql, seq, atMs, 'sending', leg);
  return undefined;
}

/** As a fill stands in the column: its id comes first, so that the column can be searched for it. */
const fillLine = ({ fillId, quantity, price, fee, realizedPnl, atMs, shares }: FillRecord): string =>
  `${JSON.stringify([fillId, quantity, price, fee, realizedPnl, atMs, ...(shares ? [shares] : [])])}\n`;

/** A fill that is stored already stays as it is: its id stands in the column. */
export async function writeReport(
  sql: Sql,
  seq: number,
  atMs: number,
  report: ReportRecord,
  [first, ...more]: readonly FillRecord[],
): Promise<void> {
  await sql.run(
    `UPDATE orders SET state = ?1, order_id = ?2, executed_quantity = ?3, average_price = ?4, reason = ?5, updated_at = ?6,
      fills = iif(CAST(?7 AS TEXT) IS NULL OR instr(fills, ?7) > 0, fills, fills || ?8)
    WHERE trade_seq = ?9 AND client_order_id = ?10`,
    report.state,
    report.orderId,
    report.executedQuantity,
    report.averagePrice,
    report.reason,
    atMs,
    first === undefined ? null : `[${JSON.stringify(first.fillId)},`,
    first === undefined ? null : fillLine(first),
    seq,
    report.clientOrderId,
  );
  if (more.length > 0) await writeReport(sql, seq, atMs, report, more);
}

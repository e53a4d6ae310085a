// A paper order as the venue keeps it in memory, and its two other forms: the row on disk and the report to the gateway.

import { type Decimal, decimal, toText } from '../../../trading/decimal.ts';
import type { Fill, OrderReport } from '../../../trading/venue.ts';
import type { PaperAccountName, PaperFillRow, PaperOrderRow } from './ledger.ts';

export interface PaperOrder extends Omit<OrderReport, 'fills' | 'reason'> {
  readonly price: Decimal | undefined;
  readonly reason: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface PaperFill extends Fill {
  readonly realizedPnl: Decimal;
}

export function orderRow({ exchange, account }: PaperAccountName, order: PaperOrder): PaperOrderRow {
  return {
    exchange,
    account,
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    market: order.market,
    side: order.side,
    positionSide: order.positionSide,
    reduceOnly: order.reduceOnly,
    status: order.status,
    quantity: toText(order.quantity),
    price: order.price === undefined ? null : toText(order.price),
    executedQuantity: toText(order.executedQuantity),
    averagePrice: order.averagePrice === undefined ? null : toText(order.averagePrice),
    reason: order.reason ?? null,
    createdAtMs: order.createdAtMs,
    updatedAtMs: order.updatedAtMs,
  };
}

export function orderFromRow(row: PaperOrderRow): PaperOrder {
  return {
    clientOrderId: row.clientOrderId,
    orderId: row.orderId,
    market: row.market,
    side: row.side,
    positionSide: row.positionSide,
    reduceOnly: row.reduceOnly,
    status: row.status,
    quantity: decimal(row.quantity),
    price: row.price === null ? undefined : decimal(row.price),
    executedQuantity: decimal(row.executedQuantity),
    averagePrice: row.averagePrice === null ? undefined : decimal(row.averagePrice),
    reason: row.reason ?? undefined,
    createdAtMs: row.createdAtMs,
    updatedAtMs: row.updatedAtMs,
  };
}

export function fillRow({ exchange, account }: PaperAccountName, clientOrderId: string, fill: PaperFill): PaperFillRow {
  return {
    exchange,
    account,
    fillId: fill.fillId,
    clientOrderId,
    quantity: toText(fill.quantity),
    price: toText(fill.price),
    fee: toText(fill.fee),
    realizedPnl: toText(fill.realizedPnl),
    atMs: fill.atMs,
  };
}

export const fillFromRow = (row: PaperFillRow): Fill => ({
  fillId: row.fillId,
  quantity: decimal(row.quantity),
  price: decimal(row.price),
  fee: decimal(row.fee),
  atMs: row.atMs,
});

export function reportOf(order: PaperOrder, fills: readonly Fill[]): OrderReport {
  return {
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    market: order.market,
    side: order.side,
    positionSide: order.positionSide,
    reduceOnly: order.reduceOnly,
    status: order.status,
    quantity: order.quantity,
    executedQuantity: order.executedQuantity,
    averagePrice: order.averagePrice,
    fills: fills.map(({ fillId, quantity, price, fee, atMs }) => ({ fillId, quantity, price, fee, atMs })),
    ...(order.reason === undefined ? {} : { reason: order.reason }),
  };
}

// Rows of the journal turned back into the domain's nouns.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import { heldAt } from '../../../../trading/books/holding.ts';
import type {
  BookedFill,
  Leg,
  SentOrder,
  Trade,
  TradeDetail,
  TradeOrder,
  TradeState,
} from '../../../../trading/books/journal.ts';
import type { Position } from '../../../../trading/books/position.ts';
import { type FillShare, NAMELESS, type StrategyBook } from '../../../../trading/books/strategy-book.ts';
import { decimal, productFrom, ZERO } from '../../../../trading/decimal.ts';
import type {
  Action,
  NotifyRequest,
  QuantityType,
  SignalSource,
  StrategyPosition,
  TimeInForce,
} from '../../../../trading/signal.ts';
import type { OrderSide, PositionSide, VenueMode } from '../../../../trading/venue.ts';
import type { Row } from '../sql.ts';
import type { FillShareRecord } from './order-rows.ts';

const text = (row: Row, name: string): string => row[name] as string;
const count = (row: Row, name: string): number => Number(row[name]);
const maybeText = (row: Row, name: string): string | undefined => (row[name] as string | null) ?? undefined;
const maybeDecimal = (row: Row, name: string) => (row[name] === null ? undefined : decimal(row[name] as string));

export function tradeOf(row: Row): Trade {
  const notify = maybeText(row, 'notify');
  return {
    seq: count(row, 'seq'),
    requestId: text(row, 'request_id'),
    receivedAtMs: count(row, 'received_at'),
    source: text(row, 'source') as SignalSource,
    keyLabel: text(row, 'key_label'),
    mode: text(row, 'mode') as VenueMode,
    account: text(row, 'account'),
    order: {
      exchange: text(row, 'exchange') as Exchange,
      action: text(row, 'action') as Action,
      symbol: text(row, 'symbol'),
      market: text(row, 'market'),
      quantity: decimal(text(row, 'quantity')),
      ...(row.quantity_type !== null && { quantityType: text(row, 'quantity_type') as QuantityType }),
      ...(row.closes_all === 1 && { closesAll: true }),
      price: maybeDecimal(row, 'price'),
      ...(row.time_in_force !== null && { timeInForce: text(row, 'time_in_force') as TimeInForce }),
      ...(row.post_only === 1 && { postOnly: true }),
      ...(row.cancel_after_seconds !== null && { cancelAfterSeconds: count(row, 'cancel_after_seconds') }),
      leverage: row.leverage === null ? undefined : count(row, 'leverage'),
      ...(row.strategy !== NAMELESS && { strategy: text(row, 'strategy') }),
      comment: maybeText(row, 'comment'),
      idempotencyKey: maybeText(row, 'idempotency_key'),
      alertId: maybeText(row, 'alert_id'),
      notify: notify === undefined ? undefined : (JSON.parse(notify) as NotifyRequest),
      ...previousOf(row),
    },
    ...(row.body_digest !== null && { bodyDigest: row.body_digest as Uint8Array }),
    state: text(row, 'current_state') as TradeState,
    orderId: maybeText(row, 'order_id'),
    executedQuantity: decimal(text(row, 'executed_quantity')),
    averagePrice: maybeDecimal(row, 'average_price'),
    error: maybeText(row, 'error'),
  };
}

function previousOf(row: Row): Pick<Trade['order'], 'previousPosition'> {
  if (row.prev_market_position === null) return {};
  const position = text(row, 'prev_market_position') as StrategyPosition;
  const size = maybeDecimal(row, 'prev_market_position_size');
  return { previousPosition: size === undefined ? { position } : { position, size } };
}

export function orderOf(row: Row): TradeOrder {
  return {
    clientOrderId: text(row, 'client_order_id'),
    leg: text(row, 'leg') as Leg,
    side: text(row, 'side') as OrderSide,
    positionSide: text(row, 'position_side') as PositionSide,
    reduceOnly: row.reduce_only === 1,
    netted: row.netted === 1,
    // An earlier version flattened only what was to be given up.
    givenUp: maybeDecimal(row, 'given_up') ?? (row.leg === 'flatten' ? decimal(text(row, 'quantity')) : ZERO),
    quantity: decimal(text(row, 'quantity')),
    price: maybeDecimal(row, 'price'),
    state: text(row, 'state') as TradeState,
    orderId: maybeText(row, 'order_id'),
    executedQuantity: decimal(text(row, 'executed_quantity')),
    averagePrice: maybeDecimal(row, 'average_price'),
    reason: maybeText(row, 'reason'),
  };
}

export const sentOrderOf = (row: Row, trade: Trade): SentOrder => ({
  trade,
  order: orderOf(row),
  createdAtMs: count(row, 'created_at'),
  updatedAtMs: count(row, 'updated_at'),
});

type StoredFill = readonly [
  id: string,
  quantity: string,
  price: string,
  fee: string,
  realizedPnl: string,
  atMs: number,
  shares?: readonly FillShareRecord[],
];

/** An order's fills, as they stand in its row. */
export function fillsOf(order: Row): BookedFill[] {
  const lines = text(order, 'fills').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [fillId, quantity, price, fee, realizedPnl, atMs, shares] = JSON.parse(line) as StoredFill;
    return {
      clientOrderId: text(order, 'client_order_id'),
      fillId,
      quantity: decimal(quantity),
      price: decimal(price),
      fee: decimal(fee),
      realizedPnl: decimal(realizedPnl),
      atMs,
      ...(shares && { shares: shares.map(shareOf) }),
    };
  });
}

const shareOf = ({ strategy, quantity, realizedPnl, fee }: FillShareRecord): FillShare => ({
  strategy,
  quantity: decimal(quantity),
  realizedPnl: decimal(realizedPnl),
  fee: decimal(fee),
});

export function eventOf(row: Row): TradeDetail['events'][number] {
  return { atMs: count(row, 'at'), kind: text(row, 'kind'), detail: maybeText(row, 'detail') };
}

export function positionOf(row: Row): Position {
  const quantity = decimal(text(row, 'quantity'));
  const entryPrice = decimal(text(row, 'entry_price'));
  const cost = maybeText(row, 'cost');
  return {
    exchange: text(row, 'exchange') as Exchange,
    mode: text(row, 'mode') as VenueMode,
    account: text(row, 'account'),
    market: text(row, 'market'),
    side: text(row, 'side') as PositionSide,
    quantity,
    // An earlier version kept the rounded average only.
    cost: cost === undefined ? heldAt(quantity, entryPrice).cost : productFrom(cost),
    entryPrice,
    realizedPnl: decimal(text(row, 'realized_pnl')),
    fees: decimal(text(row, 'fees')),
    updatedAtMs: count(row, 'updated_at'),
  };
}

export const strategyBookOf = (row: Row): StrategyBook => ({ ...positionOf(row), strategy: text(row, 'strategy') });

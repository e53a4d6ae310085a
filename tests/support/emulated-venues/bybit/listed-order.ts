// An order as Bybit lists it: a conditional order and the order that it becomes are one order with one id.

import {
  type Decimal,
  minus,
  plus,
  product,
  quotient,
  rounded,
  toText,
  ZERO,
} from '../../../../src/trading/decimal.ts';
import { type FuturesOrder, isOpen, type StopOrder, type Trade } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';

/** Either of the two, or both: a conditional order that has triggered. */
export type ListedOrder =
  | { readonly order: FuturesOrder; readonly stop?: StopOrder }
  | { readonly order?: FuturesOrder; readonly stop: StopOrder };

/** What Bybit tells of an order and the market does not know. */
export interface OrderNote {
  /** Of a market order: the worst price it may trade at. It stands where a limit order has its price. */
  readonly boundPrice?: Decimal;
  readonly closeOnTrigger?: boolean;
  readonly takeProfit?: Decimal;
  readonly stopLoss?: Decimal;
  readonly lastPriceOnCreated: Decimal;
  isCancelledByUser?: boolean;
}

/** By the number that the market knows an order or stop by. */
export type OrderNotes = Map<number, OrderNote>;

const NOTHING: OrderNote = { lastPriceOnCreated: ZERO };

/** Bybit's ids are UUIDs; the market counts. */
const uuidOf = (number: number): string => `b1b17000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const numberOf = ({ order, stop }: ListedOrder): number => stop?.stopId ?? order?.orderId ?? 0;
export const idOf = (listed: ListedOrder): string => uuidOf(numberOf(listed));
export const linkIdOf = ({ order, stop }: ListedOrder): string => stop?.clientStopId ?? order?.clientOrderId ?? '';
export const symbolOf = ({ order, stop }: ListedOrder): string => (stop ?? order)?.symbol ?? '';
export const createdMsOf = ({ order, stop }: ListedOrder): number => (stop ?? order)?.createdMs ?? 0;
export const updatedMsOf = ({ order, stop }: ListedOrder): number => (order ?? stop)?.updatedMs ?? 0;
export const executedOf = ({ order }: ListedOrder): Decimal => order?.executed ?? ZERO;

export function isClosed({ order, stop }: ListedOrder): boolean {
  if (order !== undefined) return !isOpen(order);
  return stop?.status !== 'NEW' && stop?.status !== 'TRIGGERING';
}

/** As it is listed, whichever of its two lives the market speaks of. */
export function listed(market: MatchingMarket, order: FuturesOrder): ListedOrder {
  const stop = market.stops.all.find(({ stopId }) => stopId === order.stopId);
  return stop === undefined ? { order } : { order, stop };
}

/** Everything there ever was, newest first. */
export function listedOrders(market: MatchingMarket): ListedOrder[] {
  const plain: ListedOrder[] = market.orders.filter(({ stopId }) => stopId === undefined).map((order) => ({ order }));
  const conditional: ListedOrder[] = market.stops.all.map((stop) => ({
    stop,
    ...(stop.order === undefined ? {} : { order: stop.order }),
  }));
  return [...plain, ...conditional].sort((a, b) => createdMsOf(b) - createdMsOf(a) || numberOf(b) - numberOf(a));
}

const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', GTX: 'PostOnly' } as const;
const SIDES = { BUY: 'Buy', SELL: 'Sell' } as const;
export const INDEXES = { BOTH: 0, LONG: 1, SHORT: 2 } as const;
const CREATE_TYPES: Readonly<Record<string, string>> = {
  StopLoss: 'CreateByStopLoss',
  TakeProfit: 'CreateByTakeProfit',
  PartialStopLoss: 'CreateByPartialStopLoss',
  PartialTakeProfit: 'CreateByPartialTakeProfit',
};

function statusOf({ order, stop }: ListedOrder): string {
  if (order !== undefined) {
    const words = { NEW: 'New', PARTIALLY_FILLED: 'PartiallyFilled', FILLED: 'Filled', REJECTED: 'Rejected' } as const;
    return order.status === 'CANCELED' || order.status === 'EXPIRED' ? 'Cancelled' : words[order.status];
  }
  if (stop?.status === 'NEW') return 'Untriggered';
  if (stop?.status === 'TRIGGERING') return 'Triggered';
  return stop?.status === 'REJECTED' ? 'Rejected' : 'Deactivated';
}

/** Why an order ended that nobody cancelled. */
function rejectReasonOf({ order, stop }: ListedOrder): string {
  if (stop?.status === 'REJECTED') return 'EC_ReduceOnlyRuleNotSatisfied';
  if (order?.status !== 'EXPIRED') return 'EC_NoError';
  return order.timeInForce === 'GTX' ? 'EC_PostOnlyWillTakeLiquidity' : 'EC_NoImmediateQtyToFill';
}

function cancelTypeOf(order: ListedOrder, note: OrderNote): string {
  if (note.isCancelledByUser) return 'CancelByUser';
  const status = statusOf(order);
  if (status === 'Deactivated') return 'CancelByTpSlTsClear';
  return status === 'Cancelled' && order.order?.reduceOnly ? 'CancelByReduceOnly' : 'UNKNOWN';
}

export const feesOf = (trades: readonly Trade[]): Decimal => trades.reduce((sum, { fee }) => plus(sum, fee), ZERO);

/** `wholeQuantity` is that of the position, for a stop that closes all of it. */
export function orderRow(listed: ListedOrder, notes: OrderNotes, wholeQuantity: Decimal): object {
  const { order, stop } = listed;
  const note = notes.get(numberOf(listed)) ?? NOTHING;
  const both = stop ?? order!;
  const quantity = order?.quantity ?? stop?.quantity ?? wholeQuantity;
  const executed = executedOf(listed);
  const leaves = isClosed(listed) ? ZERO : minus(quantity, executed);
  const isTpsl = stop !== undefined && stop.venueType in CREATE_TYPES;
  return {
    orderId: idOf(listed),
    orderLinkId: linkIdOf(listed),
    blockTradeId: '',
    symbol: both.symbol,
    price: toText(both.price ?? note.boundPrice ?? ZERO),
    qty: toText(quantity),
    side: SIDES[both.side],
    isLeverage: '',
    positionIdx: INDEXES[both.positionSide],
    orderStatus: statusOf(listed),
    createType: order?.forced ? 'CreateByLiq' : (CREATE_TYPES[stop?.venueType ?? ''] ?? 'CreateByUser'),
    cancelType: cancelTypeOf(listed, note),
    rejectReason: rejectReasonOf(listed),
    avgPrice: executed === ZERO ? '' : toText(quotient(order!.executedValue, executed)),
    leavesQty: toText(leaves),
    leavesValue: '0',
    cumExecQty: toText(executed),
    cumExecValue: order === undefined ? '0' : toText(rounded(order.executedValue)),
    cumExecFee: toText(feesOf(order?.trades ?? [])),
    cumFeeDetail: executed === ZERO ? {} : { USDT: toText(feesOf(order?.trades ?? [])) },
    timeInForce: both.price === undefined ? 'IOC' : TIMES_IN_FORCE[both.timeInForce],
    orderType: both.price === undefined ? 'Market' : 'Limit',
    stopOrderType: stop?.venueType ?? '',
    orderIv: '',
    triggerPrice: stop === undefined ? '' : toText(stop.triggerPrice),
    takeProfit: note.takeProfit === undefined ? '' : toText(note.takeProfit),
    stopLoss: note.stopLoss === undefined ? '' : toText(note.stopLoss),
    tpslMode: isTpsl ? (stop.venueType.startsWith('Partial') ? 'Partial' : 'Full') : '',
    triggerDirection: stop === undefined ? 0 : stop.waitsFor === 'rise' ? 1 : 2,
    triggerBy: stop === undefined ? '' : stop.triggerBy === 'MARK' ? 'MarkPrice' : 'LastPrice',
    lastPriceOnCreated: toText(note.lastPriceOnCreated),
    reduceOnly: both.reduceOnly || isTpsl,
    closeOnTrigger: (note.closeOnTrigger ?? false) || isTpsl,
    smpType: 'None',
    smpGroup: 0,
    smpOrderId: '',
    createdTime: String(createdMsOf(listed)),
    updatedTime: String(updatedMsOf(listed)),
  };
}

/** One fill. Its fee is positive where the account has paid. */
export function executionRow(listed: ListedOrder, trade: Trade): object {
  const order = listed.order!;
  return {
    symbol: order.symbol,
    orderId: idOf(listed),
    orderLinkId: linkIdOf(listed),
    side: SIDES[order.side],
    orderPrice: toText(order.price ?? ZERO),
    orderQty: toText(order.quantity),
    leavesQty: toText(minus(order.quantity, order.executed)),
    createType: order.forced ? 'CreateByLiq' : 'CreateByUser',
    orderType: order.price === undefined ? 'Market' : 'Limit',
    stopOrderType: listed.stop?.venueType ?? 'UNKNOWN',
    execFee: toText(trade.fee),
    execPnl: toText(trade.realizedPnl),
    execId: `e1ec0000-0000-4000-8000-${String(trade.tradeId).padStart(12, '0')}`,
    execPrice: toText(trade.price),
    execQty: toText(trade.quantity),
    execType: order.forced ? 'BustTrade' : 'Trade',
    execValue: toText(rounded(product(trade.quantity, trade.price))),
    execTime: String(trade.atMs),
    feeCurrency: 'USDT',
    isMaker: trade.maker,
    seq: trade.tradeId,
  };
}

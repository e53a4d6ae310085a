// An order as MEXC lists it, in numbers: sides, types and states have digits, volumes are contracts, ids are long.

import { type Decimal, plus, quotient, toNumber, ZERO } from '../../../../src/trading/decimal.ts';
import { type FuturesOrder, isOpen, type OrderStatus, type Trade } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';

/** 1 opens long, 2 closes short, 3 opens short, 4 closes long. */
export type OrderSide = 1 | 2 | 3 | 4;

/** What MEXC tells of an order and the market does not know. */
export interface OrderNote {
  readonly side: OrderSide;
  /** 1 limit, 2 post-only, 3 fill what can be and cancel, 4 all or nothing, 5 market, 6 market turned into a limit. */
  readonly type: number;
  /** Of a market order: the worst price it may trade at. */
  readonly boundPrice?: Decimal;
  readonly leverage: number;
  readonly openType: number;
  readonly stopLoss?: Decimal;
  readonly takeProfit?: Decimal;
  positionId: number;
}

export type OrderNotes = Map<number, OrderNote>;

/** Too long for a number of JavaScript, so they come as texts. */
const FIRST_ID = 739_000_000_000_000_000n;
export const idOf = (number: number): string => String(FIRST_ID + BigInt(number));

const STATES: Readonly<Record<OrderStatus, number>> = {
  NEW: 2,
  PARTIALLY_FILLED: 2,
  FILLED: 3,
  CANCELED: 4,
  EXPIRED: 4,
  REJECTED: 5,
};
const LIMIT = 1;
const TAKEN_OVER = 2;
const CLOSED_BY_STOP = 3;

export const closes = (side: OrderSide): boolean => side === 2 || side === 4;

/** Where nobody said how, such as for what a stop or the venue itself has placed. */
function sideOf({ side, positionSide }: FuturesOrder): OrderSide {
  if (positionSide === 'BOTH') return side === 'BUY' ? 2 : 4;
  if (positionSide === 'LONG') return side === 'BUY' ? 1 : 4;
  return side === 'BUY' ? 2 : 3;
}

const feesOf = (trades: readonly Trade[], maker: boolean): Decimal =>
  trades.filter((trade) => trade.maker === maker).reduce((sum, { fee }) => plus(sum, fee), ZERO);

export class OrderRows {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #notes: OrderNotes;

  constructor(market: MatchingMarket, contracts: Contracts, notes: OrderNotes) {
    this.#market = market;
    this.#contracts = contracts;
    this.#notes = notes;
  }

  order(order: FuturesOrder): object {
    const note = this.#notes.get(order.orderId);
    const volume = (quantity: Decimal): number => this.#contracts.volumeOf(order.symbol, quantity);
    const profit = order.trades.reduce((sum, { realizedPnl }) => plus(sum, realizedPnl), ZERO);
    return {
      orderId: idOf(order.orderId),
      symbol: this.#contracts.nameOf(order.symbol),
      positionId: note?.positionId ?? 0,
      price: toNumber(order.price ?? note?.boundPrice ?? ZERO),
      vol: volume(order.quantity),
      leverage: note?.leverage ?? this.#market.account.settings(order.symbol).leverage,
      side: note?.side ?? sideOf(order),
      category: order.forced ? TAKEN_OVER : order.stopId === undefined ? LIMIT : CLOSED_BY_STOP,
      orderType: note?.type ?? (order.price === undefined ? 5 : 1),
      dealAvgPrice: order.executed === ZERO ? 0 : toNumber(quotient(order.executedValue, order.executed)),
      dealVol: volume(order.executed),
      orderMargin: isOpen(order) ? toNumber(this.#market.orderMargin(order)) : 0,
      takerFee: toNumber(feesOf(order.trades, false)),
      makerFee: toNumber(feesOf(order.trades, true)),
      profit: toNumber(profit),
      feeCurrency: 'USDT',
      openType: note?.openType ?? 2,
      state: STATES[order.status],
      externalOid: order.clientOrderId,
      errorCode: 0,
      usedMargin: 0,
      createTime: order.createdMs,
      updateTime: order.updatedMs,
      positionMode: order.positionSide === 'BOTH' ? 2 : 1,
      reduceOnly: order.positionSide === 'BOTH' && order.reduceOnly,
    };
  }

  deal(order: FuturesOrder, trade: Trade): object {
    return {
      id: String(trade.tradeId),
      symbol: this.#contracts.nameOf(order.symbol),
      side: this.#notes.get(order.orderId)?.side ?? sideOf(order),
      vol: this.#contracts.volumeOf(order.symbol, trade.quantity),
      price: toNumber(trade.price),
      fee: toNumber(trade.fee),
      feeCurrency: 'USDT',
      profit: toNumber(trade.realizedPnl),
      category: order.forced ? TAKEN_OVER : LIMIT,
      orderId: idOf(order.orderId),
      externalOid: order.clientOrderId,
      timestamp: trade.atMs,
      taker: !trade.maker,
      isTaker: !trade.maker,
      positionMode: order.positionSide === 'BOTH' ? 2 : 1,
      reduceOnly: order.positionSide === 'BOTH' && order.reduceOnly,
    };
  }
}

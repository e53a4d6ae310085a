// The fill of a strategy's order as a signal for the gateway, in the fields of a TradingView strategy.
//
// Those say what was held before and after, so that the gateway itself tells an entry from a reversal, closes a part or
// everything, and compares what the script believes with what its book holds.

import type { Deployment, EventOrder, Target } from './deployment.ts';

export type TradeTarget = Extract<Target, { type: 'trade' }>;

/** Of quantities and prices: finer than any market's steps, and free of the noise of binary fractions. */
const DECIMALS = 10;

export interface OrderSignal {
  readonly exchange: string | undefined;
  readonly symbol: string;
  readonly action: EventOrder['action'];
  readonly quantity: string;
  readonly marketPosition: string;
  readonly marketPositionSize: string;
  readonly prevMarketPosition: string;
  readonly prevMarketPositionSize: string;
  readonly strategy: string;
  readonly comment: string;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
}

export function orderSignal(order: EventOrder, target: TradeTarget, deployment: Deployment): OrderSignal {
  const { action, contracts, before, after, id, stopLoss, takeProfit } = order;
  const opens = after !== 0 && Math.sign(after) !== Math.sign(before);
  // A bracket guards what an entry opens; the gateway keeps it even while Signalbox sees no bars.
  const bracket = {
    ...(stopLoss !== null && { stopLoss: decimalText(stopLoss) }),
    ...(takeProfit !== null && { takeProfit: decimalText(takeProfit) }),
  };
  return {
    exchange: exchangeOf(target, deployment),
    symbol: deployment.symbol,
    action,
    quantity: decimalText(contracts),
    marketPosition: sideOf(after),
    marketPositionSize: decimalText(Math.abs(after)),
    prevMarketPosition: sideOf(before),
    prevMarketPositionSize: decimalText(Math.abs(before)),
    strategy: strategyOf(target, deployment),
    comment: oneLine(id),
    ...(opens && bracket),
  };
}

/** A book of its own, unless its owner named one: then the script's position can be compared with it. */
export const strategyOf = ({ strategy }: TradeTarget, { id }: Pick<Deployment, 'id'>): string =>
  strategy ?? `deployment ${id}`;

/** The target's, else the one that the symbol begins with, as BINANCE:BTCUSDT does. */
export const exchangeOf = (
  { exchange }: Pick<TradeTarget, 'exchange'>,
  { symbol }: Pick<Deployment, 'symbol'>,
): string | undefined => exchange ?? /^([A-Za-z]+):/.exec(symbol)?.[1]?.toLowerCase();

const MAX_COMMENT_CHARS = 100;
/** Ids are any text; a comment is one line. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_COMMENT_CHARS)
    .toWellFormed();

function sideOf(size: number): string {
  if (size === 0) return 'flat';
  return size > 0 ? 'long' : 'short';
}

/** As `long 2`. */
export function sizeWords(size: number): string {
  return size === 0 ? 'flat' : `${sideOf(size)} ${decimalText(Math.abs(size))}`;
}

export const decimalText = (value: number): string =>
  value
    .toFixed(DECIMALS)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

// What each exchange takes of an order, as shares of its worth: of an account without any discount, as it publishes them.

import type { Exchange } from './exchange.ts';

export interface FeeRates {
  /** Of an order that waits in the book. */
  readonly maker: string;
  /** Of one that trades at once. */
  readonly taker: string;
}

export const USUAL_FEES: Readonly<Record<Exchange, FeeRates>> = {
  binance: { maker: '0.0002', taker: '0.0005' },
  bybit: { maker: '0.0002', taker: '0.00055' },
  mexc: { maker: '0', taker: '0.0002' },
};

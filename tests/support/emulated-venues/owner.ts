// The owner of the account at an emulated venue, who trades there by hand, beside whoever trades through its interface.

import type { Exchange } from '../../../src/exchanges/exchange.ts';
import { decimal } from '../../../src/trading/decimal.ts';
import type { EmulatedVenue } from './emulated-venue.ts';
import type { FuturesOrder, Side } from './futures-order.ts';

export interface OrderByHand {
  readonly exchange: Exchange;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: string;
  /** Absent means a market order. */
  readonly price?: string;
  /** On a hedge account, whether it closes what is held the other way. */
  readonly closes?: boolean;
  /** Whether it is a hedge account. An account at MEXC begins as one; the others begin as one-way accounts. */
  readonly isHedge?: boolean;
}

/** What a venue's own page calls an order: Bybit gives it no id of the client. */
const idOf = (exchange: Exchange, number: number): string =>
  ({ binance: `web_${number}`, bybit: '', mexc: `_m_${number}` })[exchange];

export function tradeByHand({ market }: Pick<EmulatedVenue, 'market'>, order: OrderByHand): FuturesOrder {
  const { exchange, symbol, side, quantity, price, closes = false, isHedge = exchange === 'mexc' } = order;
  const opened = (side === 'BUY') === !closes ? 'LONG' : 'SHORT';
  return market.place({
    clientOrderId: idOf(exchange, market.orders.length + 1),
    ...{ symbol, side, quantity: decimal(quantity), reduceOnly: false },
    positionSide: isHedge ? opened : 'BOTH',
    timeInForce: 'GTC',
    ...(price !== undefined && { price: decimal(price) }),
  });
}

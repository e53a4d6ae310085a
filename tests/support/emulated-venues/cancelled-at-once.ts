// An order that a venue takes and cancels in the same moment. Where one venue refuses a post-only order that would trade,
// another says yes, and only whoever reads the order back learns that it is gone.

import { type Product, ZERO } from '../../../src/trading/decimal.ts';
import type { FuturesOrder, NewOrder } from './futures-order.ts';
import type { MatchingMarket } from './matching-market.ts';

export function cancelAtOnce(market: MatchingMarket, request: NewOrder): FuturesOrder {
  const nowMs = market.nowMs();
  const order: FuturesOrder = {
    ...request,
    orderId: market.nextOrderId(),
    createdMs: nowMs,
    updatedMs: nowMs,
    stopId: undefined,
    forced: undefined,
    trades: [],
    status: 'EXPIRED',
    executed: ZERO,
    executedValue: 0n as Product,
  };
  market.orders.push(order);
  market.emit({ type: 'order', change: 'end', order });
  return order;
}

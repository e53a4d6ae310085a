// An order of a plan as its venue is asked for it.

import { isOpening, type Trade } from '../books/journal.ts';
import type { OrderRequest } from '../venue.ts';
import { clientOrderId } from './client-order-id.ts';
import type { PlannedOrder } from './plan-orders.ts';

/** `pricesUntilMs`: what opens something leaves before that, or not at all. */
export function orderRequest(
  { requestId, order: signal }: Pick<Trade, 'requestId' | 'order'>,
  planned: PlannedOrder,
  pricesUntilMs?: number,
) {
  const { leg, mustEndFlat: _, givenUp: __, ...order } = planned;
  const { timeInForce, postOnly, market } = signal;
  const request: OrderRequest = {
    ...order,
    ...(order.price !== undefined && timeInForce !== undefined && { timeInForce }),
    ...(order.price !== undefined && postOnly === true && { postOnly }),
    ...(isOpening(leg) && pricesUntilMs !== undefined && { notAfterMs: pricesUntilMs }),
    ...(!isOpening(leg) && !order.reduceOnly && { closesShare: true }),
    clientOrderId: clientOrderId(requestId, leg),
    market,
  };
  return request;
}

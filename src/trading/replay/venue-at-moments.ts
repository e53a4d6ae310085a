// A venue that takes every order at the moment at which the past took it.

import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Venue } from '../venue.ts';
import type { OrderMoments } from './order-moments.ts';
import type { VenueClock } from './replay-clock.ts';

/** What is to happen as soon as an order has been placed, by its client order id. */
export type AfterOrders = Map<string, () => Promise<void>>;

/** One order at a time, because each has a moment of its own. The venue must go by the clock. */
export function venueAtMoments<V extends Venue>(
  venue: V,
  clock: VenueClock,
  { moments, afterOrders }: { readonly moments: OrderMoments; readonly afterOrders: AfterOrders },
): V {
  const turns = new SerialQueue();
  const placeOrder: Venue['placeOrder'] = async (request) => {
    const report = await turns.run(() =>
      clock.at(moments.of(venue, request, clock.nowMs()), () => venue.placeOrder(request)),
    );
    await afterOrders.get(request.clientOrderId)?.();
    return report;
  };
  return { ...venue, placeOrder };
}

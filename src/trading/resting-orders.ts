// Orders that live on at a venue after their trade's lane let go of them, and the reports that come in for them.

import { isFinal } from './journal.ts';
import type { TradeRun } from './trade-run.ts';
import { type OrderReport, type PositionSide, type Venue, VenueError } from './venue.ts';

export interface RestingOrders {
  watch(clientOrderId: string, run: TradeRun): void;
  /** Books a report. Must run in the order's lane. A report on an order nobody watches is old news. */
  apply(report: OrderReport): Promise<void>;
  /** Cancels our own resting orders of one position side and books what became of them. Runs in the lane. */
  cancelSide(venue: Venue, market: string, side: PositionSide): Promise<void>;
  /** Which lane an order belongs to, if it is watched. */
  find(clientOrderId: string): TradeRun | undefined;
  /** Everything still watched, for the periodic look at orders without a clear outcome. */
  entries(): Iterable<readonly [clientOrderId: string, run: TradeRun]>;
}

export function createRestingOrders(): RestingOrders {
  const watched = new Map<string, TradeRun>();

  const apply = async (report: OrderReport): Promise<void> => {
    const run = watched.get(report.clientOrderId);
    if (!run) return;
    if (isFinal(report.status)) watched.delete(report.clientOrderId);
    await run.book(report, report.status, { counts: true, error: report.reason });
  };

  return {
    watch: (clientOrderId, run) => void watched.set(clientOrderId, run),
    apply,
    async cancelSide(venue, market, side) {
      for (const order of await venue.openOrders(market)) {
        if (order.positionSide !== side) continue;
        try {
          await apply(await venue.cancelOrder(market, order.clientOrderId));
        } catch (error) {
          if (!(error instanceof VenueError) || error.failure !== 'rejected') throw error;
          // It filled or vanished between the list and the cancel; its report tells.
          const lookup = await venue.findOrder(market, order.clientOrderId);
          if (lookup.found) await apply(lookup.order);
        }
      }
    },
    find: (clientOrderId) => watched.get(clientOrderId),
    entries: () => watched.entries(),
  };
}

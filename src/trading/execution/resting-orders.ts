// Orders that live on at a venue after their trade's lane let go of them, and the reports that come in for them.

import { isCatchUp, isFinal, type Leg } from '../books/journal.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import { type OrderReport, type PositionSide, type RestingOrder, type Venue, VenueError } from '../venue.ts';
import { isStopId } from './client-order-id.ts';
import type { PlannedOrder } from './plan-orders.ts';
import { goesBefore, laneNamed, laneOf, type TradeRun } from './trade-run.ts';

export interface WatchedOrder {
  readonly run: TradeRun;
  readonly leg: Leg;
  readonly order: Pick<PlannedOrder, 'side' | 'positionSide' | 'reduceOnly' | 'quantity'>;
  /** The venue has spoken of it: it did arrive there. */
  readonly seen: boolean;
}

export type Watched = readonly [clientOrderId: string, order: WatchedOrder];

/** `ended`: by itself, before it could be canceled. `open`: its venue would not cancel it. */
export type Withdrawn = 'canceled' | 'ended' | 'open';

export interface RestingOrders {
  watch(clientOrderId: string, order: WatchedOrder): void;
  /** Books a report. Must run in the order's lane. A report on an order nobody watches is old news. */
  apply(report: OrderReport): Promise<void>;
  /** The venue is certain that it has no such order: ends the trade, unless the order was seen there. Runs in the lane. */
  forget(clientOrderId: string): Promise<void>;
  /** The same where somebody wants the order to end: one that was seen there has been forgotten by the venue. Runs in the lane. */
  giveUp(clientOrderId: string): Promise<void>;
  /**
   * Of the orders that rest at a venue, those of one position side that this strategy sent, and those nobody here knows of; all of them
   * where the whole position is meant.
   */
  openOn(resting: readonly RestingOrder[], side: PositionSide, strategy: string | undefined): readonly RestingOrder[];
  /** Cancels one for the sake of another signal and books what became of it. Runs in the lane. */
  withdraw(venue: Venue, order: RestingOrder, reason: string): Promise<Withdrawn>;
  get(clientOrderId: string): WatchedOrder | undefined;
  /** Everything still watched. */
  entries(): readonly Watched[];
}

/** `onKnown`: the venue has said what became of an order, or is certain that it is not there. */
export function createRestingOrders(onKnown: (clientOrderId: string) => void = () => {}): RestingOrders {
  const watched = new Map<string, WatchedOrder>();

  const apply = async (report: OrderReport): Promise<void> => {
    const found = watched.get(report.clientOrderId);
    if (!found) return;
    onKnown(report.clientOrderId);
    const { run, leg, order } = found;
    if (isOld(report, run)) return;
    if (isFinal(report.status)) watched.delete(report.clientOrderId);
    else watched.set(report.clientOrderId, { run, leg, order, seen: true });
    if (goesBefore(leg, run.trade)) await endHalfWay(run, leg, report);
    else await run.book(report, report.status, { counts: true, error: report.reason });
  };

  const forget = async (clientOrderId: string): Promise<void> => {
    const found = watched.get(clientOrderId);
    if (found) onKnown(clientOrderId);
    if (!found || found.seen) return;
    watched.delete(clientOrderId);
    await found.run.neverArrived(clientOrderId);
  };

  return {
    watch: (clientOrderId, order) => void watched.set(clientOrderId, order),
    apply,
    forget,
    async giveUp(clientOrderId) {
      await forget(clientOrderId);
      const found = watched.get(clientOrderId);
      if (!found) return;
      watched.delete(clientOrderId);
      await endForgotten(found.run, clientOrderId);
    },
    openOn(resting, side, strategy) {
      const isOthers = (clientOrderId: string): boolean => {
        const sentBy = watched.get(clientOrderId)?.run.trade.order;
        return strategy !== undefined && sentBy !== undefined && (sentBy.strategy ?? NAMELESS) !== strategy;
      };
      // What a stop at the venue has sent is no order that rests: nobody may take it away.
      const open = resting.filter((order) => !isStopId(order.clientOrderId));
      return open.filter((order) => order.positionSide === side && !isOthers(order.clientOrderId));
    },
    async withdraw(venue, { market, clientOrderId }, reason) {
      try {
        const report = withReason(await venue.cancelOrder(market, clientOrderId), reason);
        await apply(report);
        return report.status === 'canceled' ? 'canceled' : 'ended';
      } catch (error) {
        if (!(error instanceof VenueError) || error.failure !== 'rejected') throw error;
        // It filled or vanished between the list and the cancel, or the venue keeps it; its report tells.
        const lookup = await venue.findOrder(market, clientOrderId);
        if (!lookup.found) return 'ended';
        await apply(lookup.order);
        return isFinal(lookup.order.status) ? 'ended' : 'open';
      }
    },
    get: (clientOrderId) => watched.get(clientOrderId),
    entries: () => [...watched],
  };
}

/**
 * Of one market: what rests in our books and no more at the venue has ended, and what has filled more there than in our books has
 * changed; that is booked. Returns those of which the venue does not tell it now. Runs in the lane.
 */
export async function bookChanged(
  venue: Venue,
  market: string,
  resting: readonly RestingOrder[],
  { entries, apply }: Pick<RestingOrders, 'entries' | 'apply'>,
): Promise<readonly Watched[]> {
  const lane = laneNamed(venue, market);
  const open = new Map(resting.map((order) => [order.clientOrderId, order]));
  const hasChanged = ([id, { run, seen }]: Watched): boolean =>
    seen && laneOf(run.trade) === lane && open.get(id)?.executedQuantity !== run.executedBy(id);
  const unread: Watched[] = [];
  for (const each of entries().filter(hasChanged)) {
    try {
      const lookup = await venue.findOrder(market, each[0]);
      if (lookup.found) await apply(lookup.order);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      unread.push(each);
    }
  }
  return unread;
}

/** Not every server of a venue knows the same: one that is behind has nothing to say of what is booked already. */
const isOld = ({ clientOrderId, status, executedQuantity }: OrderReport, run: TradeRun): boolean =>
  !isFinal(status) &&
  (executedQuantity < run.executedBy(clientOrderId) || (status === 'submitted' && run.state === 'partially_filled'));

/** Without it the owner of a resting order would find it canceled by nobody. */
export const withReason = (report: OrderReport, reason: string): OrderReport =>
  report.status === 'canceled' && report.reason === undefined ? { ...report, reason } : report;

/** An order that goes before another one and whose outcome came late: the other one is not sent after all that time. */
async function endHalfWay(run: TradeRun, leg: Leg, report: OrderReport): Promise<void> {
  const late = isCatchUp(leg)
    ? 'what was missing before it was sent too late to send the order itself'
    : 'the opposite position was closed too late to open the new one';
  const error =
    report.status === 'filled' ? `${late}; send the signal again if it still holds` : notEnough(leg, report.status);
  await run.book(report, isFinal(report.status) ? 'rejected' : 'unknown', { counts: false, error });
}

const FORGOTTEN = 'the venue does not have the order any more; its history there tells what became of it';

async function endForgotten(run: TradeRun, clientOrderId: string): Promise<void> {
  const state = 'canceled';
  const { orderId, averagePrice } = run;
  const executedQuantity = run.executedBy(clientOrderId);
  const order = { clientOrderId, state, orderId, executedQuantity, averagePrice, reason: FORGOTTEN } as const;
  await run.write(state, { kind: state, detail: FORGOTTEN }, { order, error: FORGOTTEN });
}

/** Of an order that goes before another one and has not filled. */
export const notEnough = (leg: Leg, why: string): string =>
  isCatchUp(leg)
    ? `what was missing before it could not be sent whole (${why}), so the order itself was not sent`
    : `the opposite position could not be closed (${why}), so the new one was not opened`;

// Before an order is planned: orders of its market that came before it and whose end is not in our books.
//
// A venue may acknowledge a market order and match it a moment later. An exit right behind such an entry would find nothing to close,
// and be refused although the position is about to be there; a second exit right behind the first would close what belongs to others.
// So the venue is asked about them first, for a moment, and their fills are booked. What has no end even then:
//
//   | the order before it              | an entry                    | an exit                                                    |
//   |----------------------------------|-----------------------------|------------------------------------------------------------|
//   | acknowledged, and is no limit    | waits                       | waits where it would close the same once more, where       |
//   | never shown, if it is there      | goes on                     | nothing of its strategy is shown that it could close, and  |
//   |                                  |                             | where less is shown, as another strategy may have sold it  |
//   | a limit order                    | goes on                     | goes on; one that rests no more is booked as room is made  |
//   | one that the venue has forgotten | goes on                     | goes on                                                    |
//
// Waiting ends: after about a minute a venue is certain that an order it does not show is not there, or not any more.

import { wait } from '../../timing/wait.ts';
import { ACTION_MEANING } from '../action.ts';
import { strategyOf } from '../books/position-book.ts';
import { negate, ZERO } from '../decimal.ts';
import { type OnAlarm, underWayAlarm } from '../notifications/alarm.ts';
import { type OrderLookup, type Venue, VenueError } from '../venue.ts';
import type { Asking } from './ask-venue.ts';
import { heldFor } from './plan-orders.ts';
import type { RestingOrders, Watched, WatchedOrder } from './resting-orders.ts';
import { PositionInDoubt } from './steady-positions.ts';
import { laneOf, type TradeRun } from './trade-run.ts';

export interface AwaitingOrders extends Asking {
  readonly resting: Pick<RestingOrders, 'entries'>;
  /** Asks what became of an order of ours and books it. Runs in its lane. */
  readonly lookAt: (clientOrderId: string, run: TradeRun) => Promise<OrderLookup>;
  readonly onAlarm?: OnAlarm | undefined;
}

/** Between the looks of one try, about three seconds in all. */
const PAUSES_MS = [0, 200, 400, 800, 1600];
/** What these do not fill at once they let go. */
const AT_ONCE: ReadonlySet<string | undefined> = new Set(['IOC', 'FOK']);

/** Runs in the lane. Throws where the order has to wait; nothing of it was sent. */
export async function awaitOrdersBefore(run: TradeRun, venue: Venue, awaiting: AwaitingOrders): Promise<void> {
  const { closes } = ACTION_MEANING[run.trade.order.action];
  // Some keep an order that has filled nothing for a day only. One that was shown once still stands in our books then.
  const forgotten = new Set<string>();
  const underWay = () => ordersUnderWay(run, awaiting).filter(([id]) => !forgotten.has(id));
  for (const pauseMs of PAUSES_MS) {
    const open = underWay();
    if (open.length === 0) return;
    if (pauseMs > 0) await wait(pauseMs, awaiting);
    for (const [id, order] of open) if (await isNotThere(id, order, awaiting)) forgotten.add(id);
    // What the venue has never shown may take a minute to be certain of.
    if (awaiting.stop.aborted || !underWay().some(([, { seen }]) => seen)) break;
  }
  const left = underWay();
  const [first] = closes ? await exitWaitsFor(left, run, venue) : left.filter(([, { seen }]) => seen);
  if (first === undefined) return;
  const [id] = first;
  if (awaiting.onAlarm) underWayAlarm(awaiting.onAlarm, run.trade, id);
  throw new PositionInDoubt(`what becomes of order ${id}, which came before it, is not known yet`);
}

/** Those whose end is a matter of moments: they wait for no price, or are not known to be there at all. */
const ordersUnderWay = (run: TradeRun, awaiting: AwaitingOrders): readonly Watched[] =>
  ordersBefore(run, awaiting).filter(([, order]) => !order.seen || !mayRest(order));

/** Orders of other trades of its lane. */
const ordersBefore = ({ trade }: TradeRun, { resting }: AwaitingOrders): readonly Watched[] =>
  resting.entries().filter(([, { run }]) => run.trade.seq !== trade.seq && laneOf(run.trade) === laneOf(trade));

function mayRest({ run: { trade } }: WatchedOrder): boolean {
  const { price, timeInForce } = trade.order;
  return price !== undefined && !AT_ONCE.has(timeInForce);
}

/** Of orders whose end is not in our books: those without whose end it is not clear what an exit closes. */
export async function exitWaitsFor(left: readonly Watched[], run: TradeRun, venue: Venue): Promise<readonly Watched[]> {
  const { action, market } = run.trade.order;
  const { side, positionSide } = ACTION_MEANING[action];
  const strategy = strategyOf(run.trade);
  const isIts = ([, order]: Watched): boolean =>
    order.order.positionSide === positionSide && (strategy === undefined || strategyOf(order.run.trade) === strategy);
  const its = left.filter(isIts);
  const reducing = run.isUndivided ? [] : left.filter(([, { order }]) => order.side === side);
  if (its.length === 0 && reducing.length === 0) return [];
  // Reduced, what is held whole can only become nothing.
  const again = reducing.filter((each) => its.includes(each) && each[1].order.reduceOnly);
  if (again.length > 0) return again;
  const positionMode = await venue.positionMode();
  run.netted = positionMode === 'one-way';
  const positions = await venue.positions(market, 'urgent');
  const { quantity } = run.shareOf(heldFor(action, { positionMode, positions }));
  const shown = positionSide === 'LONG' ? quantity : negate(quantity);
  // What an order of others has taken from the whole position would be taken from this share.
  const shrinking = reducing.filter(([, { order }]) => run.netted || order.positionSide === positionSide);
  if (shown < run.bookedShare && shrinking.length > 0) return shrinking;
  return shown > ZERO ? [] : its;
}

/** Whether the venue is certain of that. One that cannot be asked about it now may still tell what it holds. */
async function isNotThere(id: string, { run }: WatchedOrder, awaiting: AwaitingOrders): Promise<boolean> {
  try {
    const lookup = await awaiting.lookAt(id, run);
    return !lookup.found && lookup.certain;
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return false;
  }
}

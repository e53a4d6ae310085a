// Before a close or a reversal: which orders that rest in its position have to go.
//
// A close of everything clears the side: an order left behind would reopen the position or wait for the next one. So does a
// reversal with the side it leaves. A close of a part leaves resting orders alone, so that several limit closes live beside
// each other; only closing orders that do not fit into what is left after it go. The oldest stay first.

import { ACTION_MEANING } from '../action.ts';
import { strategyOf } from '../books/position-book.ts';
import { absolute, type Decimal, floorTo, minus, plus, ZERO } from '../decimal.ts';
import { isDirectClose, OWNER } from '../signal.ts';
import { type PositionSide, type RestingOrder, type Venue, VenueError } from '../venue.ts';
import type { Checked } from './catch-up.ts';
import { exitWaitsFor } from './orders-under-way.ts';
import { planOrders, standOf, type VenueFacts } from './plan-orders.ts';
import type { Quoted } from './quote-gate.ts';
import { bookChanged, type RestingOrders, type Watched } from './resting-orders.ts';
import type { Sized } from './size-order.ts';
import { PositionInDoubt } from './steady-positions.ts';
import type { TradeRun } from './trade-run.ts';

/** What is held and asked for right now; `size` works out the quantity of the signal. */
export interface RoomFacts extends VenueFacts {
  /** What its strategy says it held, compared with its share. */
  readonly checked: Checked;
  readonly size: () => Promise<Sized>;
  /** The best prices, where an entry goes by them. */
  readonly quoted: Quoted;
}

/** The orders that may have to go. */
export type RoomOrders = Pick<RestingOrders, 'openOn' | 'withdraw' | 'entries' | 'apply'>;

/** For a close. Runs in the lane. */
export async function makeRoom(
  run: TradeRun,
  venue: Venue,
  resting: RoomOrders,
  look: () => Promise<RoomFacts>,
): Promise<void> {
  const { action } = run.trade.order;
  run.leftResting = [];
  const open = await openNow(run, venue, ACTION_MEANING[action].positionSide, resting);
  if (open.length === 0) return;
  const left = isWholeBySource(run) ? undefined : await leftAfter(run, await look());
  const going = left === undefined ? open : exceeding(open, left);
  await withdrawAll(run, venue, resting, going, 'canceled because the position was closed');
}

/** Whether the strategy gives up what it holds the other way; a limit order never does. */
export const isReversal = ({ trade: { order } }: TradeRun, facts: VenueFacts): boolean =>
  !ACTION_MEANING[order.action].closes &&
  order.price === undefined &&
  (standOf(order, facts).ownBefore < ZERO || (facts.left ?? ZERO) > ZERO);

/**
 * For a reversal, once it is known that it will be sent: on the side it leaves nothing of its strategy may wait, because a
 * one-way account cannot hold both, and a strategy that turns around holds one. Throws where that cannot be reached. Runs in
 * the lane.
 */
export async function leaveSide(run: TradeRun, venue: Venue, resting: RoomOrders): Promise<void> {
  const side = ACTION_MEANING[run.trade.order.action].positionSide === 'LONG' ? 'SHORT' : 'LONG';
  const open = () => openNow(run, venue, side, resting);
  const going = await open();
  if (going.length === 0) return;
  await withdrawAll(run, venue, resting, going, 'canceled because the position was reversed');
  const [stays] = await open();
  if (stays)
    throw new VenueError(
      'rejected',
      `order ${stays.clientOrderId}, which waits on the ${side} side, could not be canceled, so the position was not reversed; cancel it and send the signal again`,
    );
}

/**
 * What has filled a moment ago is booked before anything is planned by what is held: it would be taken from the shares of others, too.
 * Where it cannot be read now, the order waits only if it is not clear without it what is to be closed.
 */
async function openNow(
  run: TradeRun,
  venue: Venue,
  side: PositionSide,
  resting: RoomOrders,
): Promise<readonly RestingOrder[]> {
  const { market, action } = run.trade.order;
  const strategy = strategyOf(run.trade);
  const open = await venue.openOrders(market);
  const unread = await bookChanged(venue, market, open, resting);
  const isIts = ([, order]: Watched): boolean => strategyOf(order.run.trade) === strategy;
  const [waited] = ACTION_MEANING[action].closes ? await exitWaitsFor(unread, run, venue) : unread.filter(isIts);
  if (waited)
    throw new PositionInDoubt(`what has filled of order ${waited[0]}, which came before it, cannot be read yet`);
  return resting.openOn(open, side, strategy);
}

/** Each that was canceled stands in the story of the trade at once, whatever becomes of it and of the next cancel. */
async function withdrawAll(
  run: TradeRun,
  venue: Venue,
  resting: RoomOrders,
  going: readonly RestingOrder[],
  reason: string,
): Promise<void> {
  for (const order of going) {
    const withdrawn = await resting.withdraw(venue, order, reason);
    if (withdrawn === 'open') run.leftResting = [...run.leftResting, order.clientOrderId];
    if (withdrawn !== 'canceled') continue;
    run.canceled = [...run.canceled, order.clientOrderId];
    await run.note({ kind: 'orders-canceled', detail: order.clientOrderId });
  }
}

/** Stops close all there is, and so does the owner who did not name a share; a target closes a part. */
const isWholeBySource = ({ trade }: TradeRun): boolean =>
  trade.order.closesAll === true || (isDirectClose(trade) && trade.source !== OWNER && trade.source !== 'target');

/** What its strategy still holds when all that was asked for is closed; undefined where that is nothing. */
async function leftAfter({ trade: { order } }: TradeRun, facts: RoomFacts): Promise<Decimal | undefined> {
  const sized = await facts.size();
  if ('refusal' in sized) return ENDLESS;
  if (sized.closesAll) return undefined;
  const held = absolute(standOf(order, facts).ownBefore);
  // Whoever closes wants to be out: an entry that still waits would open after its exit has come.
  if (held === ZERO) return undefined;
  if ('refusal' in planOrders({ ...order, ...sized }, facts)) return ENDLESS;
  return sized.quantity >= held ? undefined : minus(held, floorTo(sized.quantity, facts.market.stepSize));
}

/** A signal that will be refused makes nobody go. */
const ENDLESS = (10n ** 40n) as Decimal;

/** The oldest closing orders stay as long as they fit into what is left. */
function exceeding(open: readonly RestingOrder[], left: Decimal): readonly RestingOrder[] {
  const closing = open.filter(({ reduceOnly }) => reduceOnly);
  // The ids of our orders sort by the time of their signals.
  closing.sort((a, b) => (a.clientOrderId < b.clientOrderId ? -1 : 1));
  let taken: Decimal = ZERO;
  return closing.filter(({ quantity, executedQuantity }) => {
    const rest = minus(quantity, executedQuantity);
    if (plus(taken, rest) > left) return true;
    taken = plus(taken, rest);
    return false;
  });
}

// Before a close: which orders that rest in its position have to go.
//
// A close of everything clears the side: an order left behind would reopen the position or wait for the next one. A close of
// a part leaves resting orders alone, so that several limit closes live beside each other; only closing orders that do not
// fit into what is left after it go. The oldest stay first.

import { ACTION_MEANING } from '../action.ts';
import { strategyOf } from '../books/position-book.ts';
import { absolute, type Decimal, floorTo, minus, plus, ZERO } from '../decimal.ts';
import { isDirectClose, OWNER } from '../signal.ts';
import type { Market, OrderReport, PositionMode, Venue, VenuePosition } from '../venue.ts';
import { heldFor } from './plan-orders.ts';
import type { RestingOrders } from './resting-orders.ts';
import type { Sized } from './size-order.ts';
import type { TradeRun } from './trade-run.ts';

/** What is held and asked for right now; `size` works out the quantity of the signal. */
export interface RoomFacts {
  readonly positions: readonly VenuePosition[];
  readonly positionMode: PositionMode;
  readonly market: Market;
  readonly size: () => Promise<Sized>;
}

/** Returns the client order ids of those that were canceled. Runs in the lane. */
export async function makeRoom(
  run: TradeRun,
  venue: Venue,
  resting: RestingOrders,
  look: () => Promise<RoomFacts>,
): Promise<readonly string[]> {
  const { trade } = run;
  const { market, action } = trade.order;
  const open = await resting.openOn(venue, market, ACTION_MEANING[action].positionSide, strategyOf(trade));
  if (open.length === 0) return [];
  const left = isWholeBySource(run) ? undefined : await leftAfter(run, await look());
  const going = left === undefined ? open : exceeding(open, left);
  return resting.cancelEach(venue, market, going);
}

/** Stops close all there is, and so does the owner who did not name a share; a target closes a part. */
const isWholeBySource = ({ trade }: TradeRun): boolean =>
  trade.order.closesAll === true || (isDirectClose(trade) && trade.source !== OWNER && trade.source !== 'target');

/** What its strategy still holds when all that was asked for is closed; undefined where that is nothing. */
async function leftAfter(run: TradeRun, facts: RoomFacts): Promise<Decimal | undefined> {
  const sized = await facts.size();
  if ('refusal' in sized) return ENDLESS;
  if (sized.closesAll) return undefined;
  const share = run.shareOf(heldFor(run.trade.order.action, facts));
  const isLong = ACTION_MEANING[run.trade.order.action].positionSide === 'LONG';
  const before = minus(share.quantity, run.executedSoFar);
  const held = isLong === before > ZERO ? absolute(before) : ZERO;
  if (sized.quantity >= held) return undefined;
  const quantity = floorTo(sized.quantity, facts.market.stepSize);
  return quantity === ZERO ? ENDLESS : minus(held, quantity);
}

/** A signal that will be refused makes nobody go. */
const ENDLESS = (10n ** 40n) as Decimal;

/** The oldest closing orders stay as long as they fit into what is left. */
function exceeding(open: readonly OrderReport[], left: Decimal): readonly OrderReport[] {
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

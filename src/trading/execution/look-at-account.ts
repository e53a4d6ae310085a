// A look at a whole account: where the venue and our books say something else. What is found here is a suspicion and no more: our
// own orders may be under way while both sides are read.

import type { AccountName } from '../accounts.ts';
import { isFinal } from '../books/journal.ts';
import { positionKey } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { ZERO } from '../decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type RestingOrder,
  type UnreadableOrder,
  type Venue,
  type VenuePosition,
} from '../venue.ts';
import type { RestingOrders } from './resting-orders.ts';
import { laneNamed, laneOf } from './trade-run.ts';

/** A venue on whose account others can trade, too. */
export type SharedVenue = Venue & Required<Pick<Venue, 'allPositions' | 'allOpenOrders'>>;

export const isShared = (venue: Venue): venue is SharedVenue =>
  venue.allPositions !== undefined && venue.allOpenOrders !== undefined;

export interface LookParts {
  readonly book: Pick<PositionBook, 'all'>;
  readonly resting: Pick<RestingOrders, 'entries' | 'get'>;
}

export interface AccountLook {
  /** What the venue has. */
  readonly positions: readonly VenuePosition[];
  readonly orders: readonly (RestingOrder | UnreadableOrder)[];
  /** Markets in which it holds something else than our books. */
  readonly differing: ReadonlySet<string>;
  /** Orders of ours that rest in our books and not there, by client order id, with their market. */
  readonly missing: ReadonlyMap<string, string>;
  /** Orders with our prefix that rest there and not in our books, in the same form. */
  readonly unknown: ReadonlyMap<string, string>;
  /** Orders that rest there and that we have not sent. */
  readonly foreign: readonly (RestingOrder | UnreadableOrder)[];
}

export async function lookAtAccount(venue: SharedVenue, parts: LookParts): Promise<AccountLook> {
  const [positions, orders] = await Promise.all([venue.allPositions(), venue.allOpenOrders()]);
  const open = orders.filter((order) => isUnreadable(order) || !isFinal(order.status));
  const ours = open.filter(isOurs);
  const unknown = ours.filter(({ clientOrderId }) => parts.resting.get(clientOrderId) === undefined);
  return {
    positions,
    orders: open,
    differing: differingMarkets(venue, positions, parts),
    missing: missingOrders(venue, new Set(ours.map(({ clientOrderId }) => clientOrderId)), parts),
    unknown: new Map(unknown.map(({ clientOrderId, market }) => [clientOrderId, market])),
    foreign: open.filter((order) => !isOurs(order)),
  };
}

export const isUnreadable = (order: RestingOrder | UnreadableOrder): order is UnreadableOrder => 'words' in order;

const isOurs = (order: RestingOrder | UnreadableOrder): order is RestingOrder =>
  !isUnreadable(order) && order.clientOrderId.startsWith(CLIENT_ORDER_PREFIX);

/** Markets in which something of an account may be wrong. */
export const suspectMarkets = ({ differing, missing, unknown }: AccountLook): ReadonlySet<string> =>
  new Set([...differing, ...missing.values(), ...unknown.values()]);

function differingMarkets(
  { exchange, mode, account }: AccountName,
  positions: readonly VenuePosition[],
  { book }: LookParts,
): ReadonlySet<string> {
  const of = (position: Pick<VenuePosition, 'market' | 'side'>) =>
    positionKey({ exchange, mode, account, market: position.market, side: position.side });
  const ours = book.all().filter((each) => laneNamed(each, '') === laneNamed({ exchange, mode, account }, ''));
  const held = new Map(ours.map((position) => [positionKey(position), position.quantity]));
  const theirs = new Map(positions.map((position) => [of(position), position.quantity]));
  const differing = [...ours, ...positions].filter(
    (each) => (held.get(of(each)) ?? ZERO) !== (theirs.get(of(each)) ?? ZERO),
  );
  return new Set(differing.map(({ market }) => market));
}

/** Only those that the venue has spoken of: what became of the others is asked for by their recovery. */
function missingOrders(
  venue: AccountName,
  there: ReadonlySet<string>,
  { resting }: LookParts,
): ReadonlyMap<string, string> {
  const missing = resting.entries().filter(([clientOrderId, { run, seen }]) => {
    const isOfAccount = laneOf(run.trade) === laneNamed(venue, run.trade.order.market);
    return isOfAccount && seen && run.state !== 'unknown' && !there.has(clientOrderId);
  });
  return new Map(missing.map(([clientOrderId, { run }]) => [clientOrderId, run.trade.order.market]));
}

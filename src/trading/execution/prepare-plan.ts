// From a signal to the plan of its orders, in the lane with fresh facts: room is made, the strategy's share is compared, the
// quantity is worked out, and limits are asked; nothing of the signal itself has been sent until the plan is there.

import { type AccountName, accountInWords } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import type { OwnShare } from '../books/strategy-books.ts';
import { absolute, type Decimal, minus, plus, times, toText, ZERO } from '../decimal.ts';
import { confirmationGate } from '../intake/gates.ts';
import { isEntry, type LimitRefusal } from '../intake/limit-rules.ts';
import type { ProtectRequest, SignalOrder } from '../signal.ts';
import {
  type Market,
  type PositionMode,
  type Venue,
  VenueError,
  type VenueMode,
  type VenuePosition,
} from '../venue.ts';
import { afterOrders, checkPosition, type PositionChecking } from './catch-up.ts';
import type { EntryLimits, PlannedEntry } from './entry-limits.ts';
import { type Halting, killedBy, notAllowed } from './halted-trade.ts';
import { isKeptExit, restsInWords } from './kept-exit.ts';
import { leverageFault } from './leverage-check.ts';
import { isReversal, leaveSide, makeRoom, type RoomFacts, type RoomOrders } from './make-room.ts';
import { heldFor, type OrderPlan, otherSide, type PlannedOrder, planOrders, standOf } from './plan-orders.ts';
import { noEntries } from './plan-refusals.ts';
import { planWarnings } from './plan-warnings.ts';
import type { Quoted, QuoteGate } from './quote-gate.ts';
import { highestPrice, type Sized, sizeOrder } from './size-order.ts';
import { type PositionReading, type SettlesStops, steadyPositions } from './steady-positions.ts';
import type { SizedQuantity, TradeRun } from './trade-run.ts';

export interface Planning extends Halting, PositionChecking, PositionReading {
  readonly resting: RoomOrders;
  readonly limits: Pick<EntryLimits, 'prepare' | 'claim' | 'has'>;
  readonly quotes: Pick<QuoteGate, 'look' | 'raise'>;
  /** Whether the owner has said that an account may trade real money. */
  readonly isLiveConfirmed?: ((account: AccountName) => boolean) | undefined;
  /** Stops that wait at venues; undefined where none keeps any. What it does runs in the lane. */
  readonly venueStops?: () => StopsAtVenue | undefined;
  /** The stops that an entry taken up after a restart had asked for: its row does not hold them. */
  readonly stopsOf: (trade: Trade) => ProtectRequest | undefined;
}

export interface StopsAtVenue extends SettlesStops {
  /** Takes away what could act beside the order of this trade, after `before`, and books what has acted. */
  makeWay(trade: Trade, venue: Venue, before: () => Promise<unknown>): Promise<void>;
  /** This trade waits and is not at the venue: what was taken away for it is placed again, and what else is missing. Never rejects. */
  putBack(trade: Trade): Promise<void>;
  /** The ids of those that it would take away; takes none away. */
  inTheWayOf(trade: Trade, venue: Venue): Promise<readonly string[]>;
}

type RefusedPlan = Extract<OrderPlan, { readonly refusal: string }>;

/** A plan that may be sent, with the rules and the price that it was made by. */
export interface PreparedPlan extends Extract<OrderPlan, { readonly quantity: Decimal }> {
  readonly market: Market;
  /** The stops that the signal asks for. */
  readonly stops: ProtectRequest | undefined;
  /** All that the sender should know. */
  readonly warnings: readonly string[];
}

export async function preparePlan(
  run: TradeRun,
  venue: Venue,
  planning: Planning,
): Promise<PreparedPlan | RefusedPlan> {
  const { order } = run.trade;
  const isLimited = isEntry(order.action);
  if (isLimited) await planning.limits.prepare(run);
  const look = await looksAt(run, venue, planning);
  // Orders that have to go may fill first, so everything else is worked out after that.
  if (!isLimited) {
    const checked = order.previousPosition && (await look()).checked;
    if (checked && 'refusal' in checked) return checked;
    await makeRoom(run, venue, planning.resting, look);
  }
  let facts = await look();
  let plan = await planWith(run, venue, facts, planning);
  if (!('refusal' in plan) && isReversal(run, facts)) {
    await leaveSide(run, venue, planning.resting);
    facts = await look();
    plan = await planWith(run, venue, facts, planning);
  }
  if ('refusal' in plan) {
    if (plan.cause === 'stale-data') planning.quotes.raise(venue, order.market, plan.refusal);
    return plan;
  }
  const { market, stops } = facts;
  if (order.quantityType !== undefined) run.sized = sizeOf(order, plan.quantity, market);
  const rests = run.leftResting.map((id) => `orders: ${restsInWords(id)}`);
  const warnings = [...planWarnings(order, plan, market), ...(plan.warnings ?? []), ...rests];
  return { ...plan, market, stops, warnings };
}

/** How the market, the account and the strategy's share are looked at, as often as something may have changed. */
async function looksAt(run: TradeRun, venue: Venue, planning: Planning): Promise<() => Promise<RoomFacts>> {
  const { order } = run.trade;
  const urgency = isEntry(order.action) ? 'usual' : 'urgent';
  const [listed, quoted] = await Promise.all([
    venue.market(order.market),
    isEntry(order.action) ? quotedFor(run, venue, planning) : {},
  ]);
  const priced = isEntry(order.action) ? quoted : await priceToClose(order, venue, listed);
  const market = pricedBy(priced, listed, order, venue.mode);
  const positionMode = await venue.positionMode();
  run.netted = positionMode === 'one-way';
  run.stepSize = market.stepSize;
  const stops = order.protect ?? planning.stopsOf(run.trade);
  return async () => {
    const positions = await steadyPositions(run, venue, planning, urgency);
    const share = run.shareOf(heldFor(order.action, { positionMode, positions }));
    const held = { market, share: shareBefore(run, share), stops, equity: () => equityOf(venue) };
    const other = shareOfOther(run, positionMode, positions);
    const left = isLeft(order, planning) ? absolute(other?.quantity ?? ZERO) : ZERO;
    const view = { account: accountInWords(venue), market, positionMode, positions };
    const facts = { ...view, share, other, left, executed: run.executedSoFar, stops };
    const checked = checkPosition(run, facts, planning);
    const quantity = 'refusal' in checked ? undefined : checked.quantity;
    const size = async (): Promise<Sized> => (quantity === undefined ? sizeOrder(order, held) : { quantity });
    return { ...facts, checked, size, quoted };
  };
}

/** Asked where something is opened: always on a real account, on paper only where a limit is about it. */
async function quotedFor(run: TradeRun, venue: Venue, { limits, quotes }: Planning): Promise<Quoted> {
  const isAsked = venue.mode !== 'paper' || limits.has(run, 'priceDeviationPercent', 'spreadPercent');
  const quoted = isAsked ? await quotes.look(venue, run.trade.order.market) : {};
  run.pricesUntilMs = quoted.freshUntilMs;
  return quoted;
}

/** What is closed in money needs a price, however old it is. Where none can be had now the close waits for its venue. */
async function priceToClose(order: SignalOrder, venue: Venue, listed: Market): Promise<Quoted> {
  if (order.quantityType !== 'quote' || highestPrice(order, listed) !== undefined) return {};
  const quote = await venue.quote?.(order.market);
  return quote ? { quote } : {};
}

/** On a real account an order is sized and weighed with the price that it would trade at now. */
function pricedBy({ quote }: Quoted, market: Market, { action }: SignalOrder, mode: VenueMode): Market {
  if (quote === undefined || mode === 'paper') return market;
  return { ...market, lastPrice: ACTION_MEANING[action].side === 'BUY' ? quote.ask : quote.bid };
}

/** On a netted account there is one position, and the order itself gives up what its strategy holds the other way. */
function shareOfOther(
  run: TradeRun,
  positionMode: PositionMode,
  positions: readonly VenuePosition[],
): OwnShare | undefined {
  const { order } = run.trade;
  if (positionMode === 'one-way' || order.previousPosition === undefined) return undefined;
  const held = positions.filter(({ side }) => side === otherSide(order));
  return held.length === 0 ? undefined : run.shareOf(held);
}

/** Whether an entry closes the other side: where its strategy says that it was there, or where it is caught up with. */
function isLeft({ action, price, previousPosition }: SignalOrder, { positionCheck }: Planning): boolean {
  if (!isEntry(action) || price !== undefined || previousPosition === undefined) return false;
  return positionCheck === 'catch_up' || previousPosition.position === otherSide({ action }).toLowerCase();
}

/** What is refused by the plan or by a limit has changed nothing. */
async function planWith(run: TradeRun, venue: Venue, facts: RoomFacts, planning: Planning): Promise<OrderPlan> {
  const { order } = run.trade;
  const { checked } = facts;
  if ('refusal' in checked) return checked;
  const shut = isEntry(order.action) ? noEntries(facts) : undefined;
  if (shut !== undefined) return { refusal: shut };
  const { orders: catchUp, notes, warnings } = checked;
  const notOpened = checked.opens ? await openingRefusal(run, venue, catchUp, facts, planning) : undefined;
  if (notOpened) return notOpened;
  const { stale } = facts.quoted;
  if (stale !== undefined) return { refusal: stale, cause: 'stale-data' };
  if (checked.isAll) return { orders: catchUp, quantity: ZERO, notes, warnings };
  const sized = await facts.size();
  if ('refusal' in sized) return sized;
  const after = afterOrders(run, facts, catchUp);
  const plan = planOrders({ ...order, ...sized }, after);
  if ('refusal' in plan) return plan;
  const leveraged = isEntry(order.action) ? await leverageFault(order, venue, plan, after) : undefined;
  if (leveraged !== undefined) return { refusal: leveraged, cause: 'order-too-large' };
  const exceeded = isEntry(order.action) ? await claimEntry(run, venue, plan, after, planning) : undefined;
  if (exceeded) return { refusal: exceeded.message, cause: exceeded.code };
  return {
    ...{ ...plan, orders: [...catchUp, ...plan.orders], notes: [...notes, ...plan.notes] },
    warnings: [...warnings, ...(plan.warnings ?? []), ...lessThanBooked(run, facts)],
  };
}

/** Somebody has closed a part by hand, or the venue is behind: whoever closes should look. */
function lessThanBooked(run: TradeRun, { share }: RoomFacts): readonly string[] {
  const shown = absolute(share.quantity);
  const { bookedShare, trade } = run;
  if (!isKeptExit(trade) || shown >= bookedShare) return [];
  const { exchange } = trade.order;
  return [`position: our books have ${toText(bookedShare)} and ${exchange} shows ${toText(shown)}`];
}

/** What catches up by opening something is asked what an entry is asked, also before an exit, which is not. */
async function openingRefusal(
  run: TradeRun,
  venue: Venue,
  orders: readonly PlannedOrder[],
  facts: RoomFacts,
  planning: Planning,
): Promise<RefusedPlan | undefined> {
  const { positionSide: action } = ACTION_MEANING[run.trade.order.action];
  const first = (why: string): string => `what is missing before this order may not be sent: ${why}`;
  const unconfirmed = confirmationGate({ action }, [venue], planning.isLiveConfirmed ?? (() => true));
  // An exit may have waited for hours: it closes, and opens nothing at a price of another time.
  const late = planning.age.isLate(run) ? 'the signal is older than SIGNAL_MAX_AGE_S' : undefined;
  const stopped = late ?? noEntries(facts) ?? killedBy(run, action, planning) ?? unconfirmed?.message;
  if (stopped !== undefined) return { refusal: first(stopped), cause: 'position-differs' };
  // An exit has not asked yet: one that only closes must not wait for prices, nor for what limits count.
  if (!isEntry(run.trade.order.action)) await planning.limits.prepare(run);
  const quoted = isEntry(run.trade.order.action) ? facts.quoted : await quotedFor(run, venue, planning);
  const { stale } = quoted;
  if (stale !== undefined) return { refusal: first(stale), cause: 'stale-data' };
  const quantity = orders.map((each) => each.quantity).reduce(plus, ZERO);
  const asked = () => claimEntry(run, venue, { quantity, orders }, { ...facts, quoted }, planning);
  const refused = notAllowed(run, action, planning) ?? (await asked());
  return refused && { refusal: first(refused.message), cause: refused.code };
}

/**
 * What an entry trades with. One that names none trades with what its market is set to: the venue is asked for it where a limit is
 * about that, and not between two orders of one trade, where no limit is asked any more.
 */
async function leverageToWeigh(run: TradeRun, venue: Venue, { limits }: Planning): Promise<number | undefined> {
  const { leverage, market, action } = run.trade.order;
  // What an exit opens to catch up asks for none.
  const named = isEntry(action) ? leverage : undefined;
  if (named !== undefined || run.placed || !limits.has(run, 'leverage')) return named;
  return venue.leverageOf?.(market, ACTION_MEANING[action].positionSide);
}

/** The limits of everybody concerned, with the facts that the orders were planned with. */
async function claimEntry(
  run: TradeRun,
  venue: Venue,
  { quantity, orders }: Pick<PlannedEntry, 'quantity' | 'orders'>,
  facts: RoomFacts,
  planning: Planning,
): Promise<LimitRefusal | undefined> {
  const { positionSide } = ACTION_MEANING[run.trade.order.action];
  const { net, own } = standOf({ action: positionSide }, facts);
  const toward =
    facts.positionMode === 'one-way' ? orders : orders.filter((each) => each.positionSide === positionSide);
  const { quote } = facts.quoted;
  const leverage = await leverageToWeigh(run, venue, planning);
  return planning.limits.claim(run, {
    market: facts.market,
    positionSide,
    quantity,
    orders: toward,
    net,
    own,
    quote,
    leverage,
  });
}

/** Before the orders of this trade, which may be half done: what it asks for is a part of that. */
const shareBefore = (run: TradeRun, { quantity }: OwnShare): Decimal => minus(quantity, run.executedSoFar);

/** A market without a price has no worth; that is no fault, and nothing has been sent. */
const equityOf = (venue: Venue): Promise<Decimal | undefined> =>
  venue.summary().then(
    ({ equity }) => equity,
    (error) => {
      if (error instanceof VenueError) throw error;
      return undefined;
    },
  );

function sizeOf(order: SignalOrder, quantity: Decimal, market: Market): SizedQuantity {
  const at = highestPrice(order, market);
  return { requested: order.quantity, quantity, ...(at !== undefined && { notional: times(quantity, at) }) };
}

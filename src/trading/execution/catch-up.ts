// Before the orders of a signal are planned: what the setting makes of a difference between what its strategy says it held
// and its share here. The orders that catch up stand before those of the signal in one plan, and each has a leg of its own,
// so after a crash it is settled like any other order and never sent a second time.

import { ACTION_MEANING } from '../action.ts';
import type { JournalEvent, Leg } from '../books/journal.ts';
import { strategyOf } from '../books/position-book.ts';
import { NAMELESS, sumOf } from '../books/strategy-book.ts';
import { absolute, type Decimal, minus, negate, plus, toText, ZERO } from '../decimal.ts';
import { isEntry } from '../intake/limit-rules.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { SignalOrder } from '../signal.ts';
import type { PositionSide, VenuePosition } from '../venue.ts';
import { heldFor, type OrderPlan, otherSide, type PlannedOrder, planOrders, type VenueFacts } from './plan-orders.ts';
import {
  type Difference,
  differenceOf,
  exitQuantity,
  type MissingOrder,
  type PositionCheck,
} from './position-check.ts';
import type { RestingOrders } from './resting-orders.ts';
import { accountOf, laneOf, type TradeRun } from './trade-run.ts';

export interface PositionChecking {
  readonly positionCheck: PositionCheck;
  readonly resting: Pick<RestingOrders, 'entries'>;
  readonly onAlarm?: OnAlarm | undefined;
}

export type Checked =
  | { readonly refusal: string; readonly cause: 'position-differs' }
  | {
      /** What catches up, before the orders of the signal. */
      readonly orders: readonly PlannedOrder[];
      /** Of an exit: they lead to what the strategy has after it, and nothing is left to close. */
      readonly isAll?: boolean;
      /** They open something, whatever the signal itself does. */
      readonly opens?: boolean;
      /** How much an exit of a part closes instead. */
      readonly quantity?: Decimal | undefined;
      readonly notes: readonly JournalEvent[];
      readonly warnings: readonly string[];
    };

const NOTHING: Checked = { orders: [], notes: [], warnings: [] };
const REMEDY =
  'bring the position to what the strategy has, or set TRADINGVIEW_POSITION_CHECK to alarm (trade all the same) or catch_up (send what is missing first)';

export function checkPosition(run: TradeRun, facts: VenueFacts, checking: PositionChecking): Checked {
  const { trade } = run;
  const { positionCheck } = checking;
  if (positionCheck === 'off' || trade.order.previousPosition === undefined) return NOTHING;
  const share = minus(facts.share.quantity, run.executedSoFar);
  const netted = facts.positionMode === 'one-way';
  const other = absolute(facts.other?.quantity ?? ZERO);
  const way = onTheWay(run, facts, checking);
  const difference = differenceOf(trade, { market: facts.market, netted, share, other, ...way });
  if (difference === undefined) return NOTHING;
  const isCatchingUp = positionCheck === 'catch_up';
  // The question was answered before its first order left; only how much an exit closes is asked for again.
  if (run.hasBegun)
    return {
      ...NOTHING,
      ...(isCatchingUp && !trade.order.closesAll && { quantity: exitQuantity(trade.order, share) }),
    };
  if (isCatchingUp) return catchUp(run, facts, difference);
  // What ends flat ends the difference, and whoever wants to be out must get out.
  const endsFlat = trade.order.closesAll === true && difference.held > ZERO;
  if (positionCheck === 'refuse' && !endsFlat) return refused(`${difference.words}; nothing was sent: ${REMEDY}`);
  return told(run, difference, checking);
}

const refused = (refusal: string): Checked => ({ refusal, cause: 'position-differs' });

/** The order goes on as it was asked for, and the owner learns of it once. */
function told(run: TradeRun, { words }: Difference, { onAlarm }: PositionChecking): Checked {
  const { trade } = run;
  if (run.difference !== words) {
    run.difference = words;
    const text = `A position differs: ${words}. The order goes on as it was asked for; compare the two.`;
    onAlarm?.(`position ${laneOf(trade)} ${strategyOf(trade) ?? ''}`, text);
  }
  return { ...NOTHING, ...noted(words) };
}

const noted = (words: string) => ({
  notes: [{ kind: 'position-differs', detail: words }],
  warnings: [`prevMarketPosition: ${words}`],
});

function catchUp(run: TradeRun, facts: VenueFacts, difference: Difference): Checked {
  const { order } = run.trade;
  const { words, unknown, catchUp: missing } = difference;
  if (unknown !== undefined) return refused(`${words}, and ${unknown}; nothing was sent: ${REMEDY}`);
  const quantity = exitQuantity(order, facts.share.quantity);
  const isThere = quantity !== undefined && quantity < facts.market.stepSize;
  if (missing.length === 0) {
    // It went there before a restart.
    if (isThere && run.placed) return { ...NOTHING, isAll: true };
    if (isThere && !order.closesAll)
      return refused(`${words}, which is what the strategy has after this exit; nothing was sent`);
    return { ...NOTHING, ...noted(words), ...(!order.closesAll && { quantity }) };
  }
  const planned = missing.map((each) => planMissing(order, each, facts));
  const [failed] = planned.filter((plan) => 'refusal' in plan);
  // Too little to be traded can never be caught up: it must not stop an entry for good.
  if (failed && failed.cause === undefined && isEntry(order.action))
    return { ...NOTHING, ...noted(`${words}; that could not be caught up: ${failed.refusal}`) };
  if (failed) return refused(`${words}, and that cannot be caught up: ${failed.refusal}; nothing was sent`);
  const orders = planned.flatMap((plan) => ('orders' in plan ? plan.orders : [])).map(asCatchUp);
  if (orders.some(({ leg }) => run.hasPlaced(leg)))
    return refused(`${words}, although what was missing has been sent already; compare the two before you trade again`);
  const sent = orders.map((each) => `${each.side} ${toText(each.quantity)}`).join(' and ');
  const opens = missing.some(({ action }) => isEntry(action));
  const isAll = !isEntry(order.action) && (opens || isThere);
  return {
    orders,
    isAll,
    opens,
    ...noted(`${words}; ${sent} was sent first to catch up`),
    ...(!isAll && { quantity }),
  };
}

/** Seen from the side that it is about. */
function planMissing(order: SignalOrder, missing: MissingOrder, facts: VenueFacts): OrderPlan {
  const { price: _, quantityType: __, closesAll: ___, ...plain } = order;
  const isOther = facts.other !== undefined && missing.action === closeOf(otherSide(order));
  const share = isOther && facts.other ? facts.other : facts.share;
  return planOrders({ ...plain, ...missing }, { ...facts, share, left: ZERO, executed: ZERO, stops: undefined });
}

const closeOf = (side: PositionSide): SignalOrder['action'] => (side === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT');
const asCatchUp = (order: PlannedOrder): PlannedOrder => ({ ...order, leg: legOf(order), givenUp: ZERO });
const legOf = ({ reduceOnly }: PlannedOrder): Leg => (reduceOnly ? 'catch_up_close' : 'catch_up_open');

/** What orders of the same strategy that rest, or whose outcome nobody knows, may still do to its share. */
function onTheWay(run: TradeRun, { positionMode }: VenueFacts, { resting }: PositionChecking) {
  const { trade } = run;
  const { positionSide } = ACTION_MEANING[trade.order.action];
  const { exchange, mode, account } = accountOf(trade);
  const amounts = { buying: ZERO, selling: ZERO };
  for (const [id, { run: other, order }] of resting.entries()) {
    const at = accountOf(other.trade);
    const isHere = at.exchange === exchange && at.mode === mode && at.account === account;
    const isOurs = (strategyOf(other.trade) ?? NAMELESS) === strategyOf(trade) && other.trade.seq !== trade.seq;
    if (!isHere || !isOurs || other.trade.order.market !== trade.order.market) continue;
    if (positionMode === 'hedge' && order.positionSide !== positionSide) continue;
    const name = order.side === 'BUY' ? 'buying' : 'selling';
    amounts[name] = plus(amounts[name], minus(order.quantity, other.executedBy(id)));
  }
  return amounts;
}

/** What is held when these orders have filled: the orders behind them are planned with that. */
export function afterOrders<Facts extends VenueFacts>(
  run: TradeRun,
  facts: Facts,
  orders: readonly PlannedOrder[],
): Facts {
  if (orders.length === 0) return facts;
  const { action, market } = run.trade.order;
  const { positionSide } = ACTION_MEANING[action];
  const own = orders.filter((each) => facts.positionMode === 'one-way' || each.positionSide === positionSide);
  const change = own.map(({ side, quantity }) => (side === 'BUY' ? quantity : negate(quantity))).reduce(plus, ZERO);
  const held = heldFor(action, facts);
  const net = plus(sumOf(held), change);
  const [entryPrice = facts.market.lastPrice ?? ZERO] = held.map((position) => position.entryPrice);
  const position: VenuePosition = { market, side: net > ZERO ? 'LONG' : 'SHORT', quantity: absolute(net), entryPrice };
  const others = facts.positions.filter((each) => !held.includes(each));
  return {
    ...facts,
    positions: net === ZERO ? others : [...others, position],
    share: { ...facts.share, quantity: plus(facts.share.quantity, change) },
  };
}

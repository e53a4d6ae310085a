// What a planned order costs and risks, told before it is sent: the margin it binds, the fee, what is lost at its stop, and what its
// sender may not have meant. Only told: nothing here refuses an order.

import { EXCHANGE_ROWS } from '../../exchanges/exchange.ts';
import { ACTION_MEANING } from '../action.ts';
import { absolute, type Decimal, decimal, minus, over, plus, roundTo, times, toText, ZERO } from '../decimal.ts';
import { fixedLevels, trailingLevel } from '../fixed-levels.ts';
import { isEntry } from '../intake/limit-rules.ts';
import type { ProtectRequest, SignalOrder } from '../signal.ts';
import type { AccountSummary, Venue } from '../venue.ts';
import type { PlannedOrder } from './plan-orders.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import { highestPrice } from './size-order.ts';

/** Amounts in USDT; undefined is not known, or does not concern a close. */
export interface OrderCosts {
  /** In force once the orders are sent. */
  readonly leverage: number | undefined;
  /** What the orders that open something bind. */
  readonly margin: Decimal | undefined;
  /** Of all orders, at the exchange's usual rates. */
  readonly fee: Decimal | undefined;
  readonly account: Pick<AccountSummary, 'equity' | 'available'> | undefined;
  readonly risk: OrderRisk | undefined;
  /** What its sender may not have meant, in words. */
  readonly cautions: readonly string[];
}

export interface OrderRisk {
  /** What this order loses at its stop, before fees and a worse price there. */
  readonly loss: Decimal;
  readonly percentOfEquity: Decimal | undefined;
  readonly stopDistancePercent: Decimal;
}

const HUNDRED = decimal(100);
/** Farther than a market usually moves in a week: more often a slip of the pen than a plan. */
const FAR_STOP_PERCENT = decimal(20);
/** Ten such losses, and the account is gone. */
const LARGE_LOSS_PERCENT = decimal(10);
/** A limit that is meant to fill at once stands closer to the market. */
const PASSED_PERCENT = decimal(1);
/** A move of a fifth against it takes the whole account. */
const MANY_TIMES_EQUITY = decimal(5);

/** Its own limit where the market has not reached it; otherwise about what the market trades at. */
export function expectedPrice(order: SignalOrder, { orders, market }: PreparedPlan): Decimal | undefined {
  const price = orders.at(-1)?.price;
  return highestPrice(price === undefined ? order : { ...order, price }, market);
}

/** A plan with the client order ids of resting orders that are canceled before it. */
export interface PlanToWeigh extends PreparedPlan {
  readonly canceled: readonly string[];
}

/** An entry as if it had filled, with the stops that it asks for, if any. */
export interface FilledEntry {
  readonly asked: ProtectRequest | undefined;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly tick: Decimal;
  readonly equity: Decimal | undefined;
}

/** What it changes of the stops of what is held already, or which of them guard it too, in words; undefined where nothing. */
export type ChangedStops = (entry: FilledEntry) => string | undefined;

export async function costsOf(
  order: SignalOrder,
  plan: PlanToWeigh,
  venue: Venue,
  changedStops: ChangedStops,
): Promise<OrderCosts> {
  const price = expectedPrice(order, plan);
  const fee = price === undefined ? undefined : feeOf(plan, price, venue);
  if (!isEntry(order.action))
    return { leverage: undefined, margin: undefined, fee, account: undefined, risk: undefined, cautions: [] };
  const { positionSide } = ACTION_MEANING[order.action];
  const [account, leverage] = await Promise.all([
    known(() => venue.summary()),
    plan.leverage ?? known(async () => venue.leverageOf?.(order.market, positionSide)),
  ]);
  const opened = sumOf(plan.orders.filter(({ reduceOnly }) => !reduceOnly));
  const margin =
    price === undefined || leverage === undefined ? undefined : over(times(opened, price), decimal(leverage));
  const risk = price === undefined ? undefined : riskOf(order, plan, price, account?.equity);
  const costs = { leverage, margin, fee, account, risk };
  if (price === undefined) return { ...costs, cautions: [] };
  const { stops: asked, market } = plan;
  const filled = { price, quantity: opened, tick: market.tickSize, equity: account?.equity };
  const changed = changedStops({ asked, ...filled });
  return { ...costs, cautions: [...(changed ? [changed] : []), ...cautionsOf(costs, plan, price, venue)] };
}

const sumOf = (orders: readonly PlannedOrder[]): Decimal => orders.map(({ quantity }) => quantity).reduce(plus, ZERO);

/** What cannot be asked now is not known; it stops nobody from looking. */
const known = <T>(ask: () => Promise<T>): Promise<T | undefined> => ask().catch(() => undefined);

function feeOf({ orders, market: { lastPrice } }: PreparedPlan, at: Decimal, { exchange }: Venue): Decimal {
  const { maker, taker } = EXCHANGE_ROWS[exchange].fees;
  const rateOf = ({ price, side }: PlannedOrder): Decimal => {
    const waits =
      price !== undefined && lastPrice !== undefined && (side === 'BUY' ? price < lastPrice : price > lastPrice);
    return decimal(waits ? maker : taker);
  };
  return orders.map((order) => times(times(order.quantity, at), rateOf(order))).reduce(plus, ZERO);
}

function riskOf(
  { action }: SignalOrder,
  { stops, market, quantity }: PreparedPlan,
  price: Decimal,
  equity: Decimal | undefined,
): OrderRisk | undefined {
  if (stops === undefined || price === ZERO) return undefined;
  const side = ACTION_MEANING[action].positionSide;
  const { stopLoss, trail, activationPrice } = fixedLevels(stops, { side, price, tick: market.tickSize });
  const trailing = trail && activationPrice === undefined ? trailingLevel(side, trail, price) : undefined;
  const stop = stopLoss ?? trailing;
  if (stop === undefined) return undefined;
  const distance = absolute(minus(price, stop));
  const loss = times(distance, quantity);
  return {
    loss,
    percentOfEquity: equity === undefined || equity <= ZERO ? undefined : percentOf(loss, equity),
    stopDistancePercent: percentOf(distance, price),
  };
}

const percentOf = (part: Decimal, whole: Decimal): Decimal => over(times(part, HUNDRED), whole);

function cautionsOf(
  { leverage, margin, fee = ZERO, account, risk }: Omit<OrderCosts, 'cautions'>,
  { quantity, orders, canceled, market }: PlanToWeigh,
  price: Decimal,
  venue: Venue,
): string[] {
  const cautions: string[] = passedLimit(orders, market);
  if (risk && risk.stopDistancePercent > FAR_STOP_PERCENT)
    cautions.push(`The stop is ${shown(risk.stopDistancePercent)} % away from the price; is it meant to be so far?`);
  if (risk?.percentOfEquity !== undefined && risk.percentOfEquity >= LARGE_LOSS_PERCENT) {
    const beyond = risk.percentOfEquity >= HUNDRED ? '; it would be liquidated before that' : '';
    cautions.push(
      `At its stop this order loses about ${shown(risk.loss)} USDT, ${shown(risk.percentOfEquity)} % of what the account is worth${beyond}.`,
    );
  }
  if (account === undefined) return cautions;
  const worth = times(quantity, price);
  if (account.equity > ZERO && over(worth, account.equity) >= MANY_TIMES_EQUITY)
    cautions.push(
      `The order is worth ${shown(worth)} USDT, ${shown(over(worth, account.equity))} times what the account is worth, ${shown(account.equity)} USDT.`,
    );
  // What is closed or canceled first gives its margin back: how much is not known, but never more than the account is worth.
  const givesBack = canceled.length > 0 || orders.some(({ reduceOnly }) => reduceOnly);
  const free = givesBack ? account.equity : account.available;
  // Where the venue can be asked whether it takes the orders, that was done and is no guess.
  if (venue.tryOrders === undefined && margin !== undefined && plus(margin, fee) > free)
    cautions.push(
      `About ${shown(plus(margin, fee))} USDT are needed at ${leverage}x with the fee, and ${givesBack ? 'at most ' : ''}${shown(free)} USDT are free: ${EXCHANGE_ROWS[venue.exchange].title} would most likely refuse it. Lower the quantity or raise the leverage.`,
    );
  return cautions;
}

/** A limit to buy far above the market, or to sell far below it, waits for nothing: more often a slip, or meant as a stop order. */
function passedLimit(orders: readonly PlannedOrder[], { lastPrice }: PreparedPlan['market']): string[] {
  const { price, side } = orders.at(-1) ?? {};
  if (price === undefined || lastPrice === undefined || lastPrice === ZERO) return [];
  const beyond = percentOf(side === 'BUY' ? minus(price, lastPrice) : minus(lastPrice, price), lastPrice);
  if (beyond < PASSED_PERCENT) return [];
  return [
    `The market stands at ${toText(lastPrice)}: this order does not wait for ${toText(price)} but fills at once, ${shown(beyond)} % away from it; is that meant?`,
  ];
}

const CENT = decimal('0.01');
const shown = (amount: Decimal): string => toText(roundTo(amount, CENT));

// How much a signal asks for, worked out in the lane with fresh facts: an amount of money, a percentage of the account, a
// risk, or a percentage of what is held becomes a quantity in base currency. Pure but for the account, which is asked only
// where it counts.

import { ACTION_MEANING } from '../action.ts';
import { absolute, type Decimal, decimal, larger, minus, over, times, toText, ZERO } from '../decimal.ts';
import { levelPrice } from '../level.ts';
import type { ProtectRequest, SignalOrder } from '../signal.ts';
import type { Market } from '../venue.ts';

export interface SizingFacts {
  readonly market: Market;
  /** What the strategy holds of the market, long positive. */
  readonly share: Decimal;
  readonly stops?: Pick<ProtectRequest, 'stopLoss'> | undefined;
  /** What the account is worth now; undefined while a price is missing. */
  readonly equity: () => Promise<Decimal | undefined>;
}

export type Sized =
  | { readonly quantity: Decimal; readonly closesAll?: boolean }
  | { readonly refusal: string; readonly cause: 'cannot-size' };

const HUNDRED = decimal(100);

/**
 * The highest price at which an order can be expected to trade: what it is sized and weighed with, so that it never comes to more than
 * was asked for or allowed. A buy never costs more than its limit price. A sell below the market trades at the market, so
 * without a last price nothing can be said of it.
 */
export function highestPrice({ action, price }: SignalOrder, { lastPrice }: Market): Decimal | undefined {
  if (ACTION_MEANING[action].side === 'BUY') return price ?? lastPrice;
  return price === undefined || lastPrice === undefined ? lastPrice : larger(price, lastPrice);
}

export async function sizeOrder(order: SignalOrder, facts: SizingFacts): Promise<Sized> {
  const { quantity, quantityType = 'base' } = order;
  if (quantityType === 'base') return { quantity };
  if (quantityType === 'percent_position') return shareOfPosition(order, facts.share);
  const price = highestPrice(order, facts.market);
  if (price === undefined || price === ZERO)
    return refused(
      `${order.market} has no price now, and ${quantityType} needs one; try again, or send quantity in base currency`,
    );
  if (quantityType === 'quote') return { quantity: over(quantity, price) };
  const equity = await facts.equity();
  if (equity === undefined)
    return refused(
      `what the account is worth cannot be said now, because a price is missing; try again, or send quantity in base currency`,
    );
  const part = over(times(equity, quantity), HUNDRED);
  if (part <= ZERO) return refused(`the account is worth nothing, so ${toText(quantity)} percent of it trade nothing`);
  return quantityType === 'percent_equity' ? { quantity: over(part, price) } : sizeByRisk(part, price, order, facts);
}

/** What would be lost at the stop, before fees and a worse price there, is what may be risked. */
function sizeByRisk(risk: Decimal, entry: Decimal, { action }: SignalOrder, { stops, market }: SizingFacts): Sized {
  if (stops?.stopLoss === undefined) return refused('risk_percent needs stopLoss, which says where the loss is taken');
  const { tickSize } = market;
  const stopLoss = levelPrice(stops.stopLoss, 'loss', ACTION_MEANING[action].positionSide, entry, tickSize);
  const distance = absolute(minus(entry, stopLoss));
  if (distance < tickSize)
    return refused(
      `stopLoss ${toText(stopLoss)} is at the entry, about ${toText(entry)}: a risk over no distance has no size`,
    );
  return { quantity: over(risk, distance) };
}

/** All of it is all of it, whatever the step leaves over. */
function shareOfPosition({ quantity }: SignalOrder, share: Decimal): Sized {
  if (quantity >= HUNDRED) return { quantity: absolute(share), closesAll: true };
  return { quantity: over(times(absolute(share), quantity), HUNDRED) };
}

const refused = (refusal: string): Sized => ({ refusal: `${refusal}; nothing was sent`, cause: 'cannot-size' });

// What the sender of a signal should know of its plan although the trade goes on: what was changed to fit the market.

import { toText } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import type { Market } from '../venue.ts';
import type { OrderPlan } from './plan-orders.ts';
import { quantityCut } from './plan-refusals.ts';

type Planned = Exclude<OrderPlan, { readonly refusal: string }>;

export function planWarnings(
  order: SignalOrder,
  { orders, quantity, leverage, notes }: Planned,
  market: Market,
): string[] {
  const warnings: string[] = [];
  const was = (kind: string): boolean => notes.some((note) => note.kind === kind);
  // The one that the signal asked for: an order that flattens the other side goes before it.
  const last = orders.at(-1);
  // A size in money or percent hardly ever meets the step, and the answer says what it came to.
  if (was('quantity-rounded') && order.quantityType === undefined)
    warnings.push(`quantity: ${quantityCut(order, market, quantity)}`);
  if (order.price !== undefined && last?.price !== undefined && was('price-rounded')) {
    const moved = `${toText(order.price)} was moved to ${toText(last.price)}, the nearest tick`;
    warnings.push(`price: ${moved}: ${market.symbol} trades in ticks of ${toText(market.tickSize)}`);
  }
  if (leverage !== undefined && leverage !== order.leverage)
    warnings.push(`leverage: ${order.leverage} was lowered to ${leverage}, the most that ${market.symbol} allows`);
  return warnings;
}

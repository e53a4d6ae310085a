// What the orders of one trade have executed, each by itself and all together.

import { isCatchUp, type Leg, type TradeState } from '../books/journal.ts';
import { type Decimal, minus, negate, type Product, plus, product, quotient, ZERO } from '../decimal.ts';
import type { OrderSide } from '../venue.ts';

/** What an order has done so far. */
export interface ExecutedOrder {
  readonly leg: Leg;
  readonly side: OrderSide;
  readonly givenUp: Decimal;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal | undefined;
  /** As the venue has told it. */
  readonly state?: TradeState;
  readonly reason?: string | undefined;
}

export const signedExecution = ({ side, executedQuantity }: ExecutedOrder): Decimal =>
  side === 'BUY' ? executedQuantity : negate(executedQuantity);

/** What counts as the trade's own: what its orders executed, without what they had to give up or catch up first. */
export function countedOf(executions: readonly ExecutedOrder[]): {
  quantity: Decimal;
  averagePrice: Decimal | undefined;
} {
  const counted = executions
    .filter(({ leg }) => !isCatchUp(leg))
    .map((each) => ({ ...each, quantity: minus(each.executedQuantity, each.givenUp) }))
    .filter(({ quantity }) => quantity > ZERO);
  const quantity = counted.map((each) => each.quantity).reduce(plus, ZERO);
  if (counted.length <= 1) return { quantity, averagePrice: counted[0]?.averagePrice };
  const cost = counted.reduce((sum, each) => sum + product(each.quantity, each.averagePrice ?? ZERO), 0n) as Product;
  return { quantity, averagePrice: quotient(cost, quantity) };
}

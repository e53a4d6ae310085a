// What the owner of a new strategy should know of its default quantity: whether its exchange takes orders of that size.

import type { StrategyAccount } from '../script-runner.ts';
import { decimalText } from './order-signal.ts';
import type { OrderRules } from './ports.ts';

/** Of quantities in steps: what is off by less comes of binary fractions. */
const TOLERANCE = 1e-6;

export interface SizedMarket {
  readonly exchange: string;
  readonly market: string;
  readonly lastPrice: number;
  readonly rules: OrderRules;
}

/** In words with the remedy; undefined where an order of that size is taken as it is. */
export function quantityWarning(account: StrategyAccount, sized: SizedMarket): string | undefined {
  const { exchange, market, lastPrice, rules } = sized;
  const quantity = quantityOf(account, lastPrice);
  const steps = quantity / rules.stepSize;
  const cut = Math.floor(steps + TOLERANCE) * rules.stepSize;
  const order = `An order of its default quantity is ${decimalText(quantity)} ${market}`;
  const remedy = 'set default_qty_value or the quantities of its orders accordingly.';
  if (cut < rules.minQuantity - TOLERANCE * rules.stepSize)
    return `${order}; ${exchange} takes no less than ${decimalText(rules.minQuantity)}, so it would be refused: ${remedy}`;
  if (cut * lastPrice < rules.minNotional)
    return `${order}, worth ${decimalText(cut * lastPrice)} now; ${exchange} opens nothing below ${decimalText(rules.minNotional)}, so it would be refused: ${remedy}`;
  // What is sized by money or percent is cut to the step at each order, and nobody means it otherwise.
  if (account.quantityType === 'fixed' && steps - Math.floor(steps + TOLERANCE) > TOLERANCE)
    return `${order}; ${exchange} takes steps of ${decimalText(rules.stepSize)}, so it would be cut to ${decimalText(cut)}: ${remedy}`;
  return undefined;
}

function quantityOf({ quantityType, quantityValue, initialCapital }: StrategyAccount, lastPrice: number): number {
  if (quantityType === 'fixed') return quantityValue;
  return (quantityType === 'cash' ? quantityValue : (initialCapital * quantityValue) / 100) / lastPrice;
}

// How much an alert of a strategy trades: what the strategy ordered, or a size of the sender's own.
//
// | order                | quantity                                                     | `ownQuantity`, or a quantityType but base |
// |----------------------|--------------------------------------------------------------|-------------------------------------------|
// | entry                | `quantity`                                                   | `quantity`                                |
// | reversal             | `marketPositionSize`, and never more than `quantity`          | `quantity`                                |
// | exit of a part       | `quantity`                                                   | `quantity`; in another unit: `contracts`  |
// | exit to flat         | everything                                                   | everything                                |

import { ACTION_MEANING } from '../../trading/action.ts';
import { type KeylessAlert, numberOf, yesOrNo } from './alert-values.ts';
import type { PositionSizes, StrategyOrder } from './strategy-order.ts';

/**
 * A reversing order counts both the old and the new position; only the new one is to be opened. What is less than that is not of
 * the strategy's order, which is larger, but a size of the sender's own: never is more opened than he wrote.
 */
export function quantityOf(
  alert: KeylessAlert,
  strategy: StrategyOrder | undefined,
  { after }: PositionSizes,
  faults: string[],
): number | undefined {
  if (strategy && closesByContracts(alert, strategy)) return contractsOf(alert, faults);
  const given = numberOf('quantity', alert.quantity ?? alert.contracts, faults);
  if (!strategy?.reverses || isSizeOfItsOwn(alert)) return given;
  if (alert.marketPositionSize === undefined)
    faults.push(
      'marketPositionSize: a reversal needs it, send {{strategy.market_position_size}}, or "ownQuantity": true where quantity is a size of your own',
    );
  return after === undefined ? undefined : Math.min(Math.abs(after), given ?? Number.POSITIVE_INFINITY);
}

/** Where a reversal opens another size than the one that was sent, although that is not the size of the strategy's order. */
export function quantityNotOpened(
  alert: KeylessAlert,
  strategy: StrategyOrder,
  { before, after }: PositionSizes,
): string[] {
  if (alert.quantity === undefined || before === undefined || after === undefined || isSizeOfItsOwn(alert)) return [];
  const quantity = Number(alert.quantity);
  const ordered = changeOf(alert, strategy, Math.abs(before), after);
  if (quantity <= Math.abs(after) || ordered === undefined || isAbout(quantity, ordered)) return [];
  return [
    `quantity: ${quantity} is not what the strategy ordered, ${ordered}; this reversal opens ${Math.abs(after)}, the strategy's own size: ${REMEDY}`,
  ];
}

const REMEDY =
  'send "ownQuantity": true where every reversal is to open quantity, or {{strategy.order.contracts}} as quantity to trade as the strategy does';

/** Of a message that is not filled in yet: a number that stands in it is not the size of the strategy's orders. */
export function unboundQuantity(template: Readonly<Record<string, unknown>>): string[] {
  const { quantity, quantityType, ownQuantity, marketPositionSize, market_position_size: snake } = template;
  const isWritten = typeof quantity === 'number' || (typeof quantity === 'string' && /^[\d.]+$/.test(quantity));
  if (!isWritten || quantityType !== undefined || ownQuantity !== undefined) return [];
  if (!PLACEHOLDER.test(String(marketPositionSize ?? snake ?? ''))) return [];
  return [
    `quantity: ${quantity} is a size of your own, and a reversal opens marketPositionSize where that is less: ${REMEDY}`,
  ];
}

const PLACEHOLDER = /\{\{.*\}\}/;

export function checkOwnQuantity({ ownQuantity, quantity }: KeylessAlert, faults: string[]): void {
  const isOwn = yesOrNo(ownQuantity);
  if (typeof isOwn === 'string') faults.push('ownQuantity: is neither true nor false');
  if (isOwn === true && quantity === undefined)
    faults.push('quantity: ownQuantity says that it is a size of your own, send it');
}

/** A size of the sender's own is that of the position to be opened: contracts of the strategy say nothing of it. */
export const isSizeOfItsOwn = (alert: KeylessAlert): boolean =>
  yesOrNo(alert.ownQuantity) === true || isInAnotherUnit(alert);

/** In money or in percent. */
const isInAnotherUnit = ({ quantityType }: KeylessAlert): boolean =>
  quantityType !== undefined && quantityType !== 'base';

/** An entry's amount of money or percentage is no number of coins, so a part is closed by what the strategy sold itself. */
const closesByContracts = (alert: KeylessAlert, { action, closesAll }: StrategyOrder): boolean =>
  ACTION_MEANING[action].closes && !closesAll && isInAnotherUnit(alert) && alert.quantityType !== 'percent_position';

function contractsOf({ contracts, quantityType }: KeylessAlert, faults: string[]): number | undefined {
  if (contracts === undefined)
    faults.push(
      `contracts: an exit of a part closes by it where quantityType is ${quantityType}, send {{strategy.order.contracts}}`,
    );
  return numberOf('contracts', contracts, faults);
}

/** Many templates carry the contracts of the strategy for information; where sizes are in another unit, exits need them. */
export function sizeIgnored(alert: KeylessAlert): readonly string[] {
  const { quantity, contracts } = alert;
  if (quantity === undefined || contracts === undefined || isSizeOfItsOwn(alert)) return [];
  if (Number(quantity) === Number(contracts)) return [];
  return ['contracts: was ignored because quantity is given; send one of them'];
}

/** How much the strategy itself has traded; undefined where its size after the order was not sent. */
export function changeOf(
  { marketPosition }: KeylessAlert,
  { reverses }: StrategyOrder,
  before: number,
  after: number | undefined,
): number | undefined {
  if (after === undefined || marketPosition === undefined) return undefined;
  return reverses ? Math.abs(after) + before : Math.abs(Math.abs(after) - before);
}

/** Sums of binary numbers are off by a hair. */
export const isAbout = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

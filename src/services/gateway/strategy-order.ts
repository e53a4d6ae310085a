// What one order of a TradingView strategy asks for, read from its direction and the positions around it.
//
// | order | position before   | position after | becomes                                                     |
// |-------|-------------------|----------------|-------------------------------------------------------------|
// | buy   | flat or long      | long           | LONG                                                        |
// | buy   | short             | long           | LONG, a reversal: sized by the new position                 |
// | buy   | short             | flat           | CLOSE_SHORT of everything held                              |
// | buy   | short             | short          | CLOSE_SHORT of the order's quantity                         |
// | buy   | flat or long      | flat or short  | impossible: buying never leads there                        |
//
// A sell is the mirror image. Where the position before is not told, what is possible from any position is taken.
// What is impossible was not rendered by one order of one strategy, so whatever it means, trading it would be a guess.

import { ACTION_MEANING } from '../../trading/action.ts';
import { ACTIONS, type Action, STRATEGY_POSITIONS, type StrategyPosition } from '../../trading/signal.ts';
import type { TradingviewBody } from './schemas.ts';

type PositionFields = Pick<TradingviewBody, 'action' | 'marketPosition' | 'prevMarketPosition'>;

export interface StrategyOrder {
  readonly action: Action;
  /** The position turns to the other side: the order counts the old and the new position together. */
  readonly reverses: boolean;
  /** The strategy holds nothing any more, so nothing may be left of the position, however large it is here. */
  readonly closesAll: boolean;
  /** What it held before, where that was told. */
  readonly before: StrategyPosition | undefined;
}

/** Sizes of the strategy's position, as they were sent. */
export interface PositionSizes {
  readonly after: number | undefined;
  readonly before: number | undefined;
}

const SIGN: Readonly<Record<StrategyPosition, number>> = { long: 1, short: -1, flat: 0 };
const REMEDY = 'send the placeholders of one order, as the template in the TradingView guide has them';

/** Undefined where `faults` says why. */
export function strategyOrder(
  alert: PositionFields,
  sizes: PositionSizes,
  faults: string[],
): StrategyOrder | undefined {
  const known = faults.length;
  const after = positionOf('marketPosition', alert.marketPosition, faults);
  const before = positionOf('prevMarketPosition', alert.prevMarketPosition, faults);
  const action = actionOf(alert.action, after, faults);
  if (action === undefined || faults.length > known) return undefined;
  checkSize('marketPosition', after, 'marketPositionSize', sizes.after, faults);
  checkSize('prevMarketPosition', before, 'prevMarketPositionSize', sizes.before, faults);
  if (faults.length > known) return undefined;
  const impossible = impossibleChange(action, { position: before, size: sizes.before }, after, sizes.after);
  if (impossible !== undefined) {
    faults.push(impossible);
    return undefined;
  }
  const { closes, positionSide } = ACTION_MEANING[action];
  const other = positionSide === 'LONG' ? 'short' : 'long';
  return { action, reverses: !closes && before === other, closesAll: closes && after === 'flat', before };
}

function positionOf(field: string, word: string | undefined, faults: string[]): StrategyPosition | undefined {
  if (word === undefined) return undefined;
  const position = STRATEGY_POSITIONS.find((name) => name === word.trim().toLowerCase());
  const placeholder = field === 'marketPosition' ? 'market_position' : 'prev_market_position';
  if (position === undefined)
    faults.push(`${field}: is none of long, short and flat, send {{strategy.${placeholder}}}`);
  return position;
}

function actionOf(sent: string, after: StrategyPosition | undefined, faults: string[]): Action | undefined {
  const word = sent.trim().toUpperCase();
  const plain = ACTIONS.find((action) => action === word);
  if (plain) return plain;
  if (word !== 'BUY' && word !== 'SELL') {
    faults.push('action: is neither buy nor sell, send {{strategy.order.action}}');
    return undefined;
  }
  if (after === undefined) {
    if (!faults.some((fault) => fault.startsWith('marketPosition:')))
      faults.push('marketPosition: tells entries from exits, send {{strategy.market_position}} (long, short or flat)');
    return undefined;
  }
  if (word === 'BUY') return after === 'long' ? 'LONG' : 'CLOSE_SHORT';
  return after === 'short' ? 'SHORT' : 'CLOSE_LONG';
}

/** A flat position has no size, and any other one has. */
function checkSize(
  field: string,
  position: StrategyPosition | undefined,
  sizeField: string,
  size: number | undefined,
  faults: string[],
): void {
  if (position === undefined || size === undefined) return;
  if ((position === 'flat') === (size === 0)) return;
  faults.push(`${sizeField}: is ${size}, but ${field} is ${position}; ${REMEDY}`);
}

/** In words, where no order of this direction leads from the one position to the other. */
function impossibleChange(
  action: Action,
  before: { readonly position: StrategyPosition | undefined; readonly size: number | undefined },
  after: StrategyPosition | undefined,
  afterSize: number | undefined,
): string | undefined {
  if (after === undefined) return undefined;
  const { side, positionSide, closes } = ACTION_MEANING[action];
  const own = positionSide === 'LONG' ? 'long' : 'short';
  const order = side.toLowerCase();
  if (closes ? after !== 'flat' && after !== own : after !== own)
    return `marketPosition: is ${after}, which ${action} never leads to; ${REMEDY}`;
  if (before.position === undefined) return undefined;
  if (closes && before.position !== own)
    return `prevMarketPosition: is ${before.position}, and a ${order} never leads from there to ${after}; ${REMEDY}`;
  if (before.position !== after || before.size === undefined || afterSize === undefined) return undefined;
  const change = SIGN[after] * (Math.abs(afterSize) - Math.abs(before.size));
  if (side === 'BUY' ? change > 0 : change < 0) return undefined;
  return `marketPositionSize: went from ${before.size} ${before.position} to ${afterSize}, which a ${order} cannot do; ${REMEDY}`;
}

// When a stop fires: pure rules over how far a market traded.
//
// The definition. Time is cut into cells of one second. In each cell, in order: the worst price of the cell is compared
// with the levels as they stood before the cell; then the best price of the cell reaches targets and moves the peak. So a
// drop counts against a peak, or against the entry price after a target, only when it surely came after it, and a stop
// never fires on an order of events that may not have happened.

import { type Decimal, larger, smaller } from '../decimal.ts';
import { trailingLevel } from '../fixed-levels.ts';
import type { PositionSide } from '../venue.ts';
import { type Protection, stopLossOf, type Trigger } from './protection.ts';

export interface Extremes {
  readonly low: Decimal;
  readonly high: Decimal;
}

type Guarded = Pick<
  Protection,
  | 'side'
  | 'trail'
  | 'activationPrice'
  | 'peak'
  | 'stopLoss'
  | 'takeProfit'
  | 'targets'
  | 'targetsHit'
  | 'breakEvenAfter'
  | 'basis'
>;

export const bestOf = (side: PositionSide, { low, high }: Extremes): Decimal => (side === 'LONG' ? high : low);
const worstOf = (side: PositionSide, { low, high }: Extremes): Decimal => (side === 'LONG' ? low : high);

/** At the level or past it, on the good side for the position. */
const isGain = (side: PositionSide, price: Decimal, level: Decimal): boolean =>
  side === 'LONG' ? price >= level : price <= level;
const isLoss = (side: PositionSide, price: Decimal, level: Decimal): boolean =>
  side === 'LONG' ? price <= level : price >= level;

/** Where the trailing stop stands now; undefined without one, and before it has begun. */
export const stopPriceOf = ({ side, trail, peak }: Guarded): Decimal | undefined =>
  trail === undefined || peak === undefined ? undefined : trailingLevel(side, trail, peak);

/** The peak after the market traded as far as `best`; undefined while the trail has not begun. */
export function peakAfter({ side, trail, activationPrice, peak }: Guarded, best: Decimal): Decimal | undefined {
  if (trail === undefined) return undefined;
  if (peak !== undefined) return side === 'LONG' ? larger(peak, best) : smaller(peak, best);
  return activationPrice === undefined || isGain(side, best, activationPrice) ? best : undefined;
}

/** What fires when the market trades at these prices while the levels stand as they do. Of several, the worst is named. */
export function triggerOf(guarded: Guarded, seen: Extremes): Trigger | undefined {
  const { side, takeProfit } = guarded;
  const worst = worstOf(side, seen);
  const { level: stopLoss, isBreakEven } = stopLossOf(guarded);
  if (stopLoss !== undefined && isLoss(side, worst, stopLoss))
    return { by: isBreakEven ? 'break-even' : 'stop-loss', level: stopLoss };
  const trailing = stopPriceOf(guarded);
  if (trailing !== undefined && isLoss(side, worst, trailing)) return { by: 'trailing-stop', level: trailing };
  if (takeProfit !== undefined && isGain(side, bestOf(side, seen), takeProfit))
    return { by: 'take-profit', level: takeProfit };
  return targetReached(guarded, bestOf(side, seen));
}

/** The furthest target that was reached and not hit before; those on the way to it are hit with it. */
function targetReached({ side, targets = [], targetsHit = 0 }: Guarded, best: Decimal): Trigger | undefined {
  const index = targets.findLastIndex(({ level }, at) => at >= targetsHit && isGain(side, best, level));
  const reached = targets[index];
  return reached && { by: 'target', level: reached.level, target: index + 1 };
}

/** Whether anything could fire in this stretch under the worst order of events: the best price first, then the worst. */
export const mayFire = (guarded: Guarded, seen: Extremes): boolean =>
  triggerOf({ ...guarded, peak: peakAfter(guarded, bestOf(guarded.side, seen)) }, seen) !== undefined;

// The levels of a protection as prices, once it is known what they are measured from; and which of them no position can have.

import { type Decimal, toText, ZERO } from './decimal.ts';
import { distanceOf, type Level, levelPrice, type Towards } from './level.ts';
import type { ProtectRequest } from './signal.ts';
import type { PositionSide } from './venue.ts';

/** How far behind the best price the stop follows: in percent of that price, or as a price difference. */
export type Trail = { readonly percent: Decimal } | { readonly amount: Decimal };

export interface Target {
  readonly level: Decimal;
  readonly share: Decimal;
}

export interface Levels {
  readonly trail?: Trail;
  /** The trail begins when this price is reached; absent means at once. */
  readonly activationPrice?: Decimal;
  readonly stopLoss?: Decimal;
  readonly takeProfit?: Decimal;
  /** The nearest first. */
  readonly targets?: readonly Target[];
  readonly breakEvenAfter?: number;
  readonly maxHoldSeconds?: number;
}

/** What percent and ticks are measured from. */
export interface MeasuredFrom {
  readonly side: PositionSide;
  readonly price: Decimal;
  readonly tick: Decimal;
}

export function fixedLevels(asked: ProtectRequest, from: MeasuredFrom): Levels {
  const { stopLoss, takeProfit, trail, targets, breakEvenAfter, maxHoldSeconds } = asked;
  const priceOf = (level: Level, towards: Towards): Decimal =>
    levelPrice(level, towards, from.side, from.price, from.tick);
  return {
    ...(trail && { trail: fixedTrail(trail, from) }),
    ...(stopLoss && { stopLoss: priceOf(stopLoss, 'loss') }),
    ...(takeProfit && { takeProfit: priceOf(takeProfit, 'gain') }),
    ...(targets && { targets: targets.map(({ level, share }) => ({ level: priceOf(level, 'gain'), share })) }),
    ...(breakEvenAfter !== undefined && { breakEvenAfter }),
    ...(maxHoldSeconds !== undefined && { maxHoldSeconds }),
  };
}

/** Percent of a trail are of the best price, wherever that goes; everything else is a difference. */
const fixedTrail = (trail: Level, { price, tick }: MeasuredFrom): Trail =>
  trail.unit === 'percent' ? { percent: trail.value } : { amount: distanceOf(trail, price, tick) };

/**
 * What is wrong with these levels for a position of this side while the market is at `price`: undefined when nothing is.
 * One rule for entries and for the owner: a level that the market has passed would close at once, one at nothing never.
 */
export function wrongSide(
  levels: Levels,
  { side, price, what }: { readonly side: PositionSide; readonly price: Decimal; readonly what: 'entry' | 'market' },
): string | undefined {
  const { stopLoss, takeProfit, targets = [], trail } = levels;
  const isBelow = (a: Decimal, b: Decimal): boolean => (side === 'LONG' ? a < b : a > b);
  const [loss, gain] = side === 'LONG' ? ['below', 'above'] : ['above', 'below'];
  const of = `of a ${side.toLowerCase()}`;
  const at = `the ${what} at about ${toText(price)}, or it would close the position at once`;
  if (stopLoss !== undefined && !isBelow(stopLoss, price))
    return `stopLoss ${toText(stopLoss)} ${of} belongs ${loss} ${at}`;
  if (takeProfit !== undefined && !isBelow(price, takeProfit))
    return `takeProfit ${toText(takeProfit)} ${of} belongs ${gain} ${at}`;
  for (const [index, { level }] of targets.entries()) {
    const before = targets[index - 1]?.level ?? price;
    if (isBelow(before, level)) continue;
    const last = index === 0 ? at : `the one before it, ${toText(before)}`;
    return `targets: ${toText(level)} ${of} belongs ${gain} ${last}`;
  }
  const unreachable = [stopLoss, takeProfit, ...targets.map(({ level }) => level)].find(
    (level) => level !== undefined && level <= ZERO,
  );
  if (unreachable !== undefined)
    return 'a level is as far away as the price itself, so it could never be reached; lower it';
  if (trail && 'amount' in trail && trail.amount >= price)
    return 'the trail is as much as the price itself, so the stop could never be reached; lower it';
  return undefined;
}

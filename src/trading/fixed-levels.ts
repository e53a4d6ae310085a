// The levels of a protection as prices, once it is known what they are measured from; and which of them no position can have.

import { type Decimal, decimal, larger, minus, over, plus, times, toText, ZERO } from './decimal.ts';
import { distanceOf, type Level, levelPrice, type Towards } from './level.ts';
import type { ProtectRequest } from './signal.ts';
import type { PositionSide } from './venue.ts';

const HUNDRED = decimal('100');

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
  const { stopLoss, takeProfit, trail, activationPrice, targets, breakEvenAfter, maxHoldSeconds } = asked;
  const priceOf = (level: Level, towards: Towards): Decimal =>
    levelPrice(level, towards, from.side, from.price, from.tick);
  return {
    ...(trail && { trail: fixedTrail(trail, from) }),
    ...(activationPrice !== undefined && { activationPrice }),
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

/** Where the trail would stand with its best price here. */
export function trailingLevel(side: PositionSide, trail: Trail, peak: Decimal): Decimal {
  const distance = 'percent' in trail ? over(times(peak, trail.percent), HUNDRED) : trail.amount;
  return side === 'LONG' ? minus(peak, distance) : plus(peak, distance);
}

/** What levels are judged by; a tick of 0 is not known. */
interface Judged extends MeasuredFrom {
  readonly what: 'entry' | 'market';
}

/**
 * What is wrong with these levels for a position of this side while the market is at `price`: undefined when nothing is.
 * One rule for entries and for the owner: a level that the market has passed would close at once, one below the lowest price
 * that a market can trade at never.
 */
export function wrongSide(levels: Levels, judged: Judged): string | undefined {
  return passed(levels, judged) ?? unreachable(levels, judged);
}

function passed(levels: Levels, { side, price, what }: Judged): string | undefined {
  const { stopLoss, takeProfit, targets = [] } = levels;
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
  return undefined;
}

/** The lowest price of a market is one tick. */
function unreachable(levels: Levels, { side, price, tick }: Judged): string | undefined {
  const { stopLoss, takeProfit, activationPrice, targets = [], trail } = levels;
  // Only that of a long can come too low. It begins at `activationPrice`, or where the market is if that is past it already.
  const trailing = trail && trailingLevel(side, trail, larger(price, activationPrice ?? price));
  const named: readonly (readonly [name: string, level: Decimal | undefined])[] = [
    ...([
      ['stopLoss', stopLoss],
      ['takeProfit', takeProfit],
      ['activationPrice', activationPrice],
    ] as const),
    ...targets.map(({ level }) => ['targets:', level] as const),
    ['the trail', trailing],
  ];
  for (const [name, level] of named) {
    if (level === undefined || (level > ZERO && level >= tick)) continue;
    const lowest = tick === ZERO ? 'nothing' : `one tick of the market, ${toText(tick)}`;
    return `${name} comes to ${toText(level)}, where no price is: the lowest is ${lowest}, so it could never be reached; put it nearer`;
  }
  return undefined;
}

/**
 * With the price of the fill a distance may come to less than one tick, although it did not from the price at which it was
 * judged. It stands at one tick then: the position is guarded as low as a market can trade.
 */
export function atLeastOneTick<T extends Levels>(levels: T, tick: Decimal): T {
  const raised = (level: Decimal): Decimal => larger(level, tick);
  const { stopLoss, takeProfit, targets } = levels;
  return {
    ...levels,
    ...(stopLoss !== undefined && { stopLoss: raised(stopLoss) }),
    ...(takeProfit !== undefined && { takeProfit: raised(takeProfit) }),
    ...(targets && { targets: targets.map(({ level, share }) => ({ level: raised(level), share })) }),
  };
}

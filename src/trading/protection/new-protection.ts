// How a protection is made, how what is asked for changes one that is there, and how later fills of its entry move it.

import type { ShareName } from '../books/strategy-book.ts';
import { type Decimal, minus, type Product, plus, product, quotient, ZERO } from '../decimal.ts';
import { atLeastOneTick, fixedLevels } from '../fixed-levels.ts';
import { type Level, priceLevel } from '../level.ts';
import type { ProtectRequest } from '../signal.ts';
import { type AskedChange, withExcluded } from './named-parts.ts';
import { type AskedDistances, type Basis, type Protection, stopLossOf } from './protection.ts';
import { peakAfter } from './stop-rules.ts';

/** From when on the market counts, at which price, and what levels are measured from. */
export interface Start {
  readonly price?: Decimal | undefined;
  readonly atMs: number;
  readonly basis: Basis;
}

export function newProtection(
  { exchange, mode, account, market, side, strategy }: ShareName,
  made: Pick<Protection, 'createdAtMs' | 'seenUntilMs' | 'closeRequestId'> & { readonly origin: string | undefined },
): Protection {
  const { origin, ...facts } = made;
  return { exchange, mode, account, market, side, strategy, ...facts, ...(origin !== undefined && { origin }) };
}

/**
 * Parts that are not asked for stay as they are, null takes one away. A trail that is asked for begins anew, from the price
 * of the start; targets that are asked for begin anew with what is held then.
 */
export function withAsked(before: Protection, given: AskedChange, from: Start): Protection {
  const change = withExcluded(given);
  const asked = withoutNulls(change);
  const { basis } = from;
  const levels = fixedLevels(asked, { side: before.side, price: basis.price, tick: basis.tick });
  const kept = without(steadied(before, change), change);
  const distances = { ...kept.asked, ...distancesOf(asked) };
  const changed: Protection = {
    ...kept,
    ...levels,
    ...(change.activationPrice !== undefined && { activationPrice: change.activationPrice }),
    basis,
    ...(change.targets && { targetsHit: 0, targetsClosed: ZERO }),
    ...(Object.keys(distances).length > 0 && { asked: distances }),
  };
  if (!change.trail) return changed;
  const peak = from.price === undefined ? undefined : peakAfter(changed, from.price);
  return { ...changed, seenUntilMs: from.atMs, ...(peak !== undefined && { peak }) };
}

/** A second entry brings fills of its own: what it does not name stays at the price where it stands. */
export function asPrices(before: Protection): Protection {
  const { asked: _, ...fixed } = before;
  return fixed;
}

/** More of its own entry filled: what is measured from the fill moves with the average price. */
export function withFills(before: Protection, added: Decimal, price: Decimal): Protection {
  const { basis } = before;
  if (basis === undefined) return before;
  const filled = plus(basis.filled, added);
  const cost = (product(basis.filled, basis.price) + product(added, price)) as Product;
  return measuredAnew(before, basis, { filled, price: quotient(cost, filled) });
}

/**
 * As the journal has its own entry. A fill and the protection that it moves are two writes: where the process ended between them,
 * either may be there without the other.
 */
export function asFilled(before: Protection, { executedQuantity: filled, averagePrice }: Filled): Protection {
  const { basis } = before;
  if (basis === undefined || basis.filled === filled) return before;
  return measuredAnew(before, basis, { filled, price: averagePrice ?? basis.price });
}

type Filled = { readonly executedQuantity: Decimal; readonly averagePrice?: Decimal | undefined };

function measuredAnew(before: Protection, basis: Basis, now: Pick<Basis, 'filled' | 'price'>): Protection {
  const { asked = {}, targets } = before;
  const later = { ...basis, ...now, quantity: plus(basis.quantity, minus(now.filled, basis.filled)) };
  const request: ProtectRequest = {
    ...asked,
    targets: asked.targets?.map((level, index) => ({ level, share: targets?.[index]?.share ?? ZERO })),
  } as ProtectRequest;
  const levels = fixedLevels(request, { side: before.side, price: later.price, tick: later.tick });
  return { ...before, ...atLeastOneTick(levels, later.tick), basis: later };
}

/** The target was dealt with: the rest is guarded on, under a request id of its own for the next close. */
export function afterTarget(before: Protection, closed: Decimal, closeRequestId: string): Protection {
  const { fired, targetsHit = 0, targetsClosed = ZERO, ...rest } = before;
  return {
    ...rest,
    targetsHit: Math.max(targetsHit, fired?.target ?? 0),
    targetsClosed: plus(targetsClosed, closed),
    closeRequestId,
  };
}

/** A stop that stands at the entry price stays there when targets go, and gives way where the owner names another. */
function steadied(before: Protection, { stopLoss, targets, breakEvenAfter }: AskedChange): Protection {
  const { level, isBreakEven } = stopLossOf(before);
  const isTouched = [stopLoss, targets, breakEvenAfter].some((part) => part !== undefined);
  if (!isBreakEven || !isTouched || level === undefined) return before;
  const { breakEvenAfter: _, asked: { stopLoss: __, ...asked } = {}, ...rest } = before;
  return { ...rest, stopLoss: level, asked };
}

/** Without what the change replaces or takes away. */
function without(before: Protection, change: AskedChange): Protection {
  const kept: Record<string, unknown> = { ...before, asked: { ...before.asked } };
  for (const part of Object.keys(change)) {
    delete kept[part];
    delete (kept.asked as Record<string, unknown>)[part];
  }
  if ('trail' in change) {
    delete kept.peak;
    delete kept.activationPrice;
  }
  if ('targets' in change) for (const part of ['targetsHit', 'targetsClosed', 'breakEvenAfter']) delete kept[part];
  if (Object.keys(kept.asked as object).length === 0) delete kept.asked;
  return kept as unknown as Protection;
}

const withoutNulls = ({ activationPrice: _, ...change }: AskedChange): ProtectRequest =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null && value !== undefined));

/** Percent of a trail are no distance from the fill. */
function distancesOf({ stopLoss, takeProfit, trail, targets }: ProtectRequest): AskedDistances {
  const isMeasured = (level: Level | undefined): level is Level => level !== undefined && level.unit !== 'price';
  return {
    ...(isMeasured(stopLoss) && { stopLoss }),
    ...(isMeasured(takeProfit) && { takeProfit }),
    ...(trail?.unit === 'ticks' && { trail }),
    ...(targets?.some(({ level }) => isMeasured(level)) && { targets: targets.map(({ level }) => level) }),
  };
}

/** As it was asked for, for those who look. */
export function askedFor(protection: Protection, part: 'stopLoss' | 'takeProfit'): Level | undefined {
  const fixed = protection[part];
  return protection.asked?.[part] ?? (fixed === undefined ? undefined : priceLevel(fixed));
}

export function askedTrail({ trail, asked }: Pick<Protection, 'trail' | 'asked'>): Level | undefined {
  if (asked?.trail || trail === undefined) return asked?.trail;
  return 'percent' in trail ? { unit: 'percent', value: trail.percent } : priceLevel(trail.amount);
}

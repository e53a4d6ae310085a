// How a protection is made, and how the levels of one that is there are changed.

import type { PositionName } from '../books/position.ts';
import type { Decimal } from '../decimal.ts';
import type { Levels, Protection } from './protection.ts';
import { peakAfter } from './stop-rules.ts';

/** From when on the market counts, and at which price. */
export interface Start {
  readonly price?: Decimal | undefined;
  readonly atMs: number;
}

export function newProtection(
  { exchange, mode, account, market, side }: PositionName,
  made: Pick<Protection, 'createdAtMs' | 'seenUntilMs' | 'closeRequestId'> & { readonly origin: string | undefined },
): Protection {
  const { origin, ...facts } = made;
  return { exchange, mode, account, market, side, ...facts, ...(origin !== undefined && { origin }) };
}

/** Levels that are not given stay as they are. A trail that is given begins anew, from the price of the start. */
export function withLevels(before: Protection, levels: Levels, from: Start): Protection {
  if (levels.trail === undefined) return { ...before, ...levels };
  const { peak: _, activationPrice: __, ...kept } = before;
  const changed: Protection = { ...kept, ...levels, seenUntilMs: from.atMs };
  const peak = from.price === undefined ? undefined : peakAfter(changed, from.price);
  return { ...changed, ...(peak !== undefined && { peak }) };
}

// Whose stops the owner means, and why he is told that nothing was changed.

import { accountInWords } from '../accounts.ts';
import { keyInWords, type ShortName } from '../books/position.ts';
import { NAMELESS, type ShareName, shareInWords } from '../books/strategy-book.ts';

/** A position, and whose share of it where that is named. */
export interface Whose extends ShortName {
  readonly strategy?: string | undefined;
}

/** Why nothing was changed, in words. */
export interface NotChanged {
  readonly conflict: string;
  readonly cause: 'no-position' | 'closing' | 'which-strategy' | 'wrong-side' | 'invalid';
}

/** The share that is meant where none is named: the nameless one, or the only one. */
export function pick<T extends { readonly strategy: string }>(
  found: readonly T[],
  strategy: string | undefined,
): T | 'several' | undefined {
  if (strategy !== undefined) return found.find((each) => each.strategy === strategy);
  const nameless = found.find((each) => each.strategy === NAMELESS);
  return nameless ?? (found.length > 1 ? 'several' : found[0]);
}

export const noPosition = (where: Whose): string =>
  `there is no ${where.side.toLowerCase()} position in ${where.market} on ${accountInWords(where)}` +
  `${where.strategy ? ` of strategy ${JSON.stringify(where.strategy)}` : ''} to protect; open it first, or send the stops with the entry`;

export const alreadyClosing = (share: ShareName): string =>
  `the stop ${shareInWords(share)} was reached and the position is being closed; GET /trades shows it`;

export const whichStrategy = (where: ShortName, shares: readonly { readonly strategy: string }[]): NotChanged => ({
  conflict: `${keyInWords(where)} has shares of several strategies: name one of ${shares.map(({ strategy }) => JSON.stringify(strategy)).join(', ')} with ?strategy=`,
  cause: 'which-strategy',
});

export const breakEvenAlone = (targets: number): string =>
  targets === 0
    ? 'breakEvenAfter: counts targets, and there are none; send targets with it'
    : `breakEvenAfter: counts targets, and there are ${targets}; send 1 to ${targets}`;

export const NOTHING_ASKED =
  'there are no stops to take away, and none was asked for; send stopLoss, takeProfit, trail, targets or maxHoldSeconds';

// Leverage tiers: the larger a position, the less leverage its venue lets it have.

import { type Decimal, decimal, floorTo, times, toText, ZERO } from './decimal.ts';

export interface LeverageTier {
  /** A larger position is in the next tier, and none may be larger than the last one. */
  readonly upTo: Decimal;
  readonly maxLeverage: number;
}

/** Those of one market, smallest first. */
export interface LeverageTiers {
  /** What of a position they go by: its worth in USDT, or its quantity in base currency. */
  readonly by: 'worth' | 'quantity';
  readonly tiers: readonly LeverageTier[];
}

/** A position as it would be. */
export interface TieredPosition {
  readonly market: string;
  readonly leverage: number;
  readonly size: Decimal;
}

/** The tier of a position of this size; the last one for whatever is beyond all of them. */
export const tierAt = <Tier extends LeverageTier>(tiers: readonly Tier[], size: Decimal): Tier =>
  tiers.find(({ upTo }) => size <= upTo) ?? (tiers.at(-1) as Tier);

/** How large a position may be at this leverage. */
export const largestAt = (tiers: readonly LeverageTier[], leverage: number): Decimal =>
  tiers.findLast(({ maxLeverage }) => leverage <= maxLeverage)?.upTo ?? ZERO;

/** What the tiers go by of a position of this quantity. */
export const sizeFor = ({ by }: LeverageTiers, quantity: Decimal, price: Decimal): Decimal =>
  by === 'worth' ? times(quantity, price) : quantity;

/** Why a position may not have its leverage, with the remedy; undefined where it may. */
export function tierFault(
  { by, tiers }: LeverageTiers,
  { market, leverage, size }: TieredPosition,
): string | undefined {
  const largest = largestAt(tiers, leverage);
  if (size <= largest) return undefined;
  const lower = size > largestAt(tiers, 1) ? '' : ` the leverage to ${tierAt(tiers, size).maxLeverage} or`;
  const may = by === 'worth' ? `be worth ${toText(largest)} USDT` : `have a quantity of ${toText(largest)}`;
  return `at ${leverage}x a position in ${market} may ${may}, and this would make it ${shown(size)}: lower${lower} the quantity`;
}

const CENT_OF_CENT = decimal('0.0001');
/** For people to read. */
const shown = (size: Decimal): string => toText(floorTo(size, CENT_OF_CENT));

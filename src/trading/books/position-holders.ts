// Which keys have made a position: those whose entries are in it since it was last flat.
//
// One reducer, whether fills are read from the journal or followed as they come. The journal does not tell what the owner did
// at the venue by hand, but the books have taken it over. So a position was flat where its fills say so, and also where,
// counted back from what the books hold now, nothing can have been there.

import { type Decimal, minus, negate, plus, smaller, ZERO } from '../decimal.ts';

/** A fill as far as it says who holds what. */
export interface HoldingFill {
  /** The key of its position. */
  readonly position: string;
  readonly keyLabel: string;
  readonly closes: boolean;
  readonly quantity: Decimal;
  readonly atMs: number;
}

interface Made {
  /** What is left of the fills since it was last flat. */
  readonly quantity: Decimal;
  readonly keys: ReadonlySet<string>;
}

const NOTHING: Made = { quantity: ZERO, keys: new Set() };

export class PositionHolders {
  readonly #made = new Map<string, Made>();

  /**
   * Notes the fills of one position, oldest first, and tells whom each of them counts for: a close for the keys that made the
   * position, whoever sent it. `quantityNow` is what the books hold after the last of them.
   */
  note<T extends HoldingFill>(fills: readonly T[], quantityNow: Decimal, onFill: Counting<T>): void {
    const before = quantitiesBefore(fills, quantityNow);
    for (const [at, fill] of fills.entries()) onFill(fill, this.#noteOne(fill, before[at] as Decimal));
  }

  #noteOne({ position, keyLabel, closes, quantity }: HoldingFill, before: Decimal): readonly string[] {
    const held = before > ZERO ? (this.#made.get(position) ?? NOTHING) : NOTHING;
    if (!closes) {
      const keys = held.keys.has(keyLabel) ? held.keys : new Set(held.keys).add(keyLabel);
      this.#made.set(position, { quantity: plus(held.quantity, quantity), keys });
      return [keyLabel];
    }
    const left = minus(held.quantity, smaller(held.quantity, quantity));
    if (left === ZERO) this.#made.delete(position);
    else this.#made.set(position, { quantity: left, keys: held.keys });
    return held.keys.size > 0 ? [...held.keys] : [keyLabel];
  }

  has(position: string, keyLabel: string): boolean {
    return this.#made.get(position)?.keys.has(keyLabel) ?? false;
  }

  /** It is flat, whatever its fills say. */
  forget(position: string): void {
    this.#made.delete(position);
  }

  clear(): void {
    this.#made.clear();
  }
}

type Counting<T> = (fill: T, countsFor: readonly string[]) => void;

/** What was held before each fill, counted back from what is held now. */
function quantitiesBefore(fills: readonly HoldingFill[], quantityNow: Decimal): readonly Decimal[] {
  const before = new Array<Decimal>(fills.length);
  let quantity = quantityNow;
  for (let at = fills.length - 1; at >= 0; at--) {
    const fill = fills[at] as HoldingFill;
    quantity = minus(quantity, fill.closes ? negate(fill.quantity) : fill.quantity);
    before[at] = quantity;
  }
  return before;
}

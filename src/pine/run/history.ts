// Earlier values of series that do not get one on every bar: what `[]` reads inside branches, loops and functions.
//
// Such a series keeps its last value through the bars on which its place in the script is not reached, and the last value
// of a bar counts: `x[n]` is what it was as of n bars ago. Series of the outermost scope have a value on every bar; the
// emitter keeps those in plain typed arrays. Of an array or a matrix the past is what was in it at the end of the bar.

import { PineRuntimeError, pastOf } from '../values/index.ts';

/** How far back a script can look where the offset is not known beforehand: Pine's own longest buffer. */
export const LONGEST_HISTORY = 10_000;

/** Places for so many earlier values, a power of two: one for the present, and one that a tick may spoil. */
export function ringSize(depth: number | 'any'): number {
  const places = (depth === 'any' ? LONGEST_HISTORY : depth) + 2;
  return 2 ** Math.ceil(Math.log2(places));
}

/** What stands for the bar of an offset that reaches no bar: none before the first, and an error for what is not allowed. */
export function wrongOffset(offset: number): number {
  if (offset < 0 || offset > LONGEST_HISTORY)
    throw new PineRuntimeError(
      `The script attempts to reference historical data that is too far from the current bar (${offset} bars back). The offset of [] must be between 0 and ${LONGEST_HISTORY}.`,
    );
  return -1;
}

/** The bar that lies so far back, or -1 when there is none. An offset is a whole number or na, which TradingView takes for 0. */
export function barBack(bar: number, offset: number): number {
  const found = bar - offset;
  if (found >= 0 && offset >= 0 && offset <= LONGEST_HISTORY) return found;
  return Number.isNaN(offset) ? bar : wrongOffset(offset);
}

/** The number at an offset that reaches no bar. */
function beyond(offset: number): number {
  wrongOffset(offset);
  return Number.NaN;
}

/** When a series was reached: the part of a ring that does not depend on what it holds. */
abstract class Reached {
  /** The first bar, and the last so far. */
  protected first = -1;
  protected bar = -1;
  private savedFirst = -1;
  private savedBar = -1;

  save(): void {
    this.savedFirst = this.first;
    this.savedBar = this.bar;
  }

  restore(): void {
    this.first = this.savedFirst;
    this.bar = this.savedBar;
  }
}

/** Numbers by bar. The same as a ring of items on purpose, and not one class with it: both stay fast. */
export class NumberRing extends Reached {
  private readonly places: Float64Array;
  private readonly mask: number;
  private last = Number.NaN;
  private savedLast = Number.NaN;

  constructor(size: number) {
    super();
    this.places = new Float64Array(size);
    this.mask = size - 1;
  }

  /** Sets the value of the bar, and returns it. */
  put(bar: number, value: number): number {
    if (this.bar !== bar) this.advance(bar);
    this.places[bar & this.mask] = value;
    this.last = value;
    return value;
  }

  /** The value as of so many bars ago; the offset is known to fit. */
  back(offset: number): number {
    const bar = this.bar - offset;
    return bar >= this.first ? (this.places[bar & this.mask] as number) : Number.NaN;
  }

  /** The same for an offset the script computed. */
  at(offset: number): number {
    const bar = this.bar - offset;
    if (bar >= this.first && offset >= 0 && offset <= LONGEST_HISTORY) return this.places[bar & this.mask] as number;
    return Number.isNaN(offset) ? this.back(0) : beyond(offset);
  }

  override save(): void {
    super.save();
    this.savedLast = this.last;
  }

  override restore(): void {
    super.restore();
    this.last = this.savedLast;
  }

  /** Bars that were passed over keep what was before. */
  private advance(bar: number): void {
    if (this.first < 0) this.first = bar;
    else
      for (let at = Math.max(this.bar + 1, bar - this.mask); at < bar; at += 1) this.places[at & this.mask] = this.last;
    this.bar = bar;
  }
}

/** Items by bar: what is na as null, and bools. */
export class ItemRing extends Reached {
  protected readonly places: unknown[];
  protected readonly mask: number;
  private readonly empty: unknown;
  protected last: unknown;
  private savedLast: unknown;

  constructor(size: number, empty: unknown) {
    super();
    this.places = new Array(size).fill(empty);
    this.mask = size - 1;
    this.empty = empty;
    this.last = empty;
    this.savedLast = empty;
  }

  put(bar: number, value: unknown): unknown {
    if (this.bar !== bar) this.advance(bar);
    this.places[bar & this.mask] = value;
    this.last = value;
    return value;
  }

  back(offset: number): unknown {
    const bar = this.bar - offset;
    return bar >= this.first ? this.places[bar & this.mask] : this.empty;
  }

  at(offset: number): unknown {
    const bar = barBack(this.bar, offset);
    return bar >= this.first ? this.places[bar & this.mask] : this.empty;
  }

  override save(): void {
    super.save();
    this.savedLast = this.last;
  }

  override restore(): void {
    super.restore();
    this.last = this.savedLast;
  }

  private advance(bar: number): void {
    if (this.first < 0) this.first = bar;
    else
      for (let at = Math.max(this.bar + 1, bar - this.mask); at < bar; at += 1) this.places[at & this.mask] = this.last;
    this.bar = bar;
  }
}

/** Arrays and matrices by bar: during a bar the collection itself, afterwards what was in it when the bar ended. */
export class CollectionRing extends ItemRing {
  /** `reached` gathers the rings that have something of this bar. */
  override put(bar: number, value: unknown, reached: CollectionRing[] = []): unknown {
    if (this.bar !== bar) reached.push(this);
    return super.put(bar, value);
  }

  settle(): void {
    this.last = pastOf(this.last);
    this.places[this.bar & this.mask] = this.last;
  }
}

/** The bar ends: what was reached on it is from now on the past. */
export function settleAll(reached: CollectionRing[]): void {
  for (const ring of reached) ring.settle();
  reached.length = 0;
}

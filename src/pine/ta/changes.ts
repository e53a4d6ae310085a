// How a value compares with the one some calls ago: change, mom, roc, and the running total.

import { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

/** The value of `length` calls ago. */
class Lag implements Kernel {
  private readonly name: string;
  private readonly longest: number;
  private readonly ring: NumberRing;
  private length: number;

  constructor(name: string, longest: number) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.ring = new NumberRing(name, this.longest);
  }

  swap(source: number, length: number): number {
    if (length !== this.length) this.length = checkedLength(this.name, length, this.longest);
    this.ring.push(source);
    return this.ring.before(this.length);
  }

  save(): void {
    this.ring.save();
  }

  restore(): void {
    this.ring.restore();
  }
}

/** ta.change. Inputs: source, length. Includes na. Of bools: hand in 0 and 1; it changed where the result is not 0. */
export class Change extends Lag {
  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'change') {
    super(name, longest);
  }

  next(source: number, length: number): number {
    return source - this.swap(source, length);
  }
}

/** ta.mom. Inputs: source, length. The same difference under its other name. */
export class Mom extends Change {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super(longest, 'mom');
  }
}

/** ta.roc. Inputs: source, length. The change in percent of the old value; na where that is zero. */
export class Roc extends Lag {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('roc', longest);
  }

  next(source: number, length: number): number {
    const old = this.swap(source, length);
    return old === 0 ? Number.NaN : (100 * (source - old)) / old;
  }
}

/** ta.cum. Inputs: source. The sum of all values; an na adds nothing and gives na. */
export class Cum implements Kernel {
  private total = 0;
  private savedTotal = 0;

  next(source: number): number {
    if (!Number.isFinite(source)) return Number.NaN;
    this.total += source;
    return this.total;
  }

  save(): void {
    this.savedTotal = this.total;
  }

  restore(): void {
    this.total = this.savedTotal;
  }
}

/** fixnan. Inputs: source. The last value that was not na; an infinity, which a division by zero leaves, is none. */
export class FixNan implements Kernel {
  private last = Number.NaN;
  private savedLast = Number.NaN;

  next(source: number): number {
    if (Number.isFinite(source)) this.last = source;
    return this.last;
  }

  save(): void {
    this.savedLast = this.last;
  }

  restore(): void {
    this.last = this.savedLast;
  }
}

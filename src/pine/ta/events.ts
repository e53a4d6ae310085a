// What happened and when: crosses, bars since a condition, and the value at a condition.

import type { Kernel } from './kernel.ts';
import { checkedCount, LONGEST_LENGTH } from './length.ts';

/**
 * ta.cross. Inputs: source1, source2. Returns a boolean. Remembers which of the two was above when they last differed:
 * touching and going on is no cross, touching and turning over a bar later is one. An na is no relation.
 */
export class Cross implements Kernel {
  /** 1 when the first was above, -1 when below, 0 when they never differed. */
  private side = 0;
  private savedSide = 0;

  next(first: number, second: number): boolean {
    const side = first > second ? 1 : first < second ? -1 : 0;
    if (side === 0) return false;
    const crossed = side === -this.side;
    this.side = side;
    return crossed;
  }

  save(): void {
    this.savedSide = this.side;
  }

  restore(): void {
    this.side = this.savedSide;
  }
}

/** The pair of the last call in which neither was na, for the crosses with a direction: a gap does not hide a cross. */
class PreviousPair implements Kernel {
  protected first = Number.NaN;
  protected second = Number.NaN;
  private savedFirst = Number.NaN;
  private savedSecond = Number.NaN;

  save(): void {
    this.savedFirst = this.first;
    this.savedSecond = this.second;
  }

  restore(): void {
    this.first = this.savedFirst;
    this.second = this.savedSecond;
  }
}

/** ta.crossover. Inputs: source1, source2. Returns a boolean; compares exactly. */
export class Crossover extends PreviousPair {
  next(first: number, second: number): boolean {
    const isAbove = first > second;
    const crossed = isAbove && this.first <= this.second;
    // One of the two holds when neither is na.
    if (isAbove || first <= second) {
      this.first = first;
      this.second = second;
    }
    return crossed;
  }
}

/** ta.crossunder. Inputs: source1, source2. Returns a boolean; compares exactly. */
export class Crossunder extends PreviousPair {
  next(first: number, second: number): boolean {
    const isBelow = first < second;
    const crossed = isBelow && this.first >= this.second;
    if (isBelow || first >= second) {
      this.first = first;
      this.second = second;
    }
    return crossed;
  }
}

/** ta.barssince. Inputs: condition (boolean). Counts calls; na before the first time. */
export class BarsSince implements Kernel {
  private bars = Number.NaN;
  private savedBars = Number.NaN;

  next(condition: boolean): number {
    // na + 1 stays na.
    this.bars = condition ? 0 : this.bars + 1;
    return this.bars;
  }

  save(): void {
    this.savedBars = this.bars;
  }

  restore(): void {
    this.bars = this.savedBars;
  }
}

/**
 * ta.valuewhen. Inputs: condition (boolean), source. The source where the condition was true, `occurrence` times ago.
 * For sources that are not numbers make it with their na: `new ValueWhen(occurrence, null)` for colors.
 */
export class ValueWhen<T = number> implements Kernel {
  private readonly na: T;
  private readonly size: number;
  private readonly values: T[] = [];
  private count = 0;
  private live = false;
  private savedCount = 0;
  /** What was overwritten since the save, in order. */
  private readonly overwritten: T[] = [];

  constructor(occurrence: number, na: T) {
    this.na = na;
    this.size = checkedCount('valuewhen', occurrence, LONGEST_LENGTH, 'occurrence') + 1;
  }

  next(condition: boolean, source: T): T {
    if (condition) this.push(source);
    return this.count < this.size ? this.na : this.values[this.count % this.size]!;
  }

  save(): void {
    this.live = true;
    this.savedCount = this.count;
    this.overwritten.length = 0;
  }

  restore(): void {
    const first = Math.max(this.savedCount - this.size, 0);
    for (let i = 0; i < this.overwritten.length; i++) this.values[(first + i) % this.size] = this.overwritten[i]!;
    this.overwritten.length = 0;
    this.count = this.savedCount;
  }

  private push(source: T): void {
    const slot = this.count % this.size;
    const leaving = this.count - this.size;
    if (this.live && leaving >= 0 && leaving < this.savedCount) this.overwritten.push(this.values[slot]!);
    this.values[slot] = source;
    this.count++;
  }
}

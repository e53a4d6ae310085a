// The last values a kernel was given, in a ring that can take back what was pushed since the last save.

import { fixedLength, ringCapacity } from './length.ts';

/** So many times round the ring, sums that pass their errors on are made anew: seldom enough to cost nothing. */
const ROUNDS_OF_A_SUM = 16;

/** Holds `longest` values and the one before them, which is the one that leaves when the window is full. */
export class NumberRing {
  /** How many values were ever pushed. */
  pushed = 0;
  private readonly values: Float64Array;
  private readonly mask: number;
  private live = false;
  private savedPushed = 0;
  /** Values of before the save that were overwritten since, in the order they were pushed in. */
  private readonly overwritten: number[] = [];

  constructor(name: string, longest: number) {
    const capacity = ringCapacity(fixedLength(name, longest) + 1);
    this.values = new Float64Array(capacity);
    this.mask = capacity - 1;
  }

  push(value: number): void {
    const slot = this.pushed & this.mask;
    if (this.live) this.remember(slot);
    this.values[slot] = value;
    this.pushed++;
  }

  /** Whether the push just made is one after which a sum of these values is to be made anew. */
  endsRounds(): boolean {
    return (this.pushed & (ROUNDS_OF_A_SUM * (this.mask + 1) - 1)) === 0;
  }

  /** The value pushed `ago` pushes before the newest; only for `ago < pushed` and at most `longest`. */
  at(ago: number): number {
    return this.values[(this.pushed - 1 - ago) & this.mask]!;
  }

  /** Like `at`, and na where the history does not reach. */
  before(ago: number): number {
    return ago < this.pushed ? this.at(ago) : Number.NaN;
  }

  save(): void {
    this.live = true;
    this.savedPushed = this.pushed;
    this.overwritten.length = 0;
  }

  restore(): void {
    const capacity = this.mask + 1;
    const first = Math.max(this.savedPushed - capacity, 0);
    for (let i = 0; i < this.overwritten.length; i++) this.values[(first + i) & this.mask] = this.overwritten[i]!;
    this.overwritten.length = 0;
    this.pushed = this.savedPushed;
  }

  private remember(slot: number): void {
    const leaving = this.pushed - this.mask - 1;
    // Once round the ring, only values pushed after the save are overwritten: nothing to keep.
    if (leaving >= 0 && leaving < this.savedPushed) this.overwritten.push(this.values[slot]!);
  }
}

// Numbers for charts and programs made at random: the same for a seed on every machine, and no part of the engine under test.

/** Mulberry32, a published generator of 32 bits: small, even enough, and bound to no version of anything. */
export class RandomSequence {
  private state: number;

  constructor(seed: number) {
    // Both halves of the seed count, so that large seeds with equal low bits differ.
    this.state = (seed ^ Math.imul(Math.floor(seed / 0x100000000), 0x9e3779b1)) >>> 0;
  }

  /** Above `min` and below `max`: neither bound is in the range. */
  next(min: number, max: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const unit = (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 0x100000000;
    return min + unit * (max - min);
  }
}

// A running sum that gives back what is taken out of it: it carries its rounding errors in a second number.

/** Knuth's two-sum: after `add(x)` and `add(-x)` the sum is what it was, even when x was far larger. */
export class ExactSum {
  private high = 0;
  private low = 0;
  private savedHigh = 0;
  private savedLow = 0;

  add(x: number): void {
    const total = this.high + x;
    const part = total - this.high;
    this.low += this.high - (total - part) + (x - part);
    this.high = total;
  }

  /** `add(-leaving)` and `add(coming)` in one step, which every full window takes on every bar. */
  exchange(leaving: number, coming: number): void {
    const less = this.high - leaving;
    const lessPart = less - this.high;
    const total = less + coming;
    const part = total - less;
    this.low += this.high - (less - lessPart) + (-leaving - lessPart) + (less - (total - part) + (coming - part));
    this.high = total;
  }

  addAll(other: ExactSum): void {
    this.add(other.high);
    this.low += other.low;
    this.settle();
  }

  subtractAll(other: ExactSum): void {
    this.add(-other.high);
    this.low -= other.low;
    this.settle();
  }

  /** Adds `count · x` without rounding the product: each half of x times a count below 2^26 is exact. */
  addProduct(count: number, x: number): void {
    const spread = SPLITTER * x;
    const head = spread - (spread - x);
    this.add(count * head);
    this.add(count * (x - head));
  }

  value(): number {
    return this.high + this.low;
  }

  clear(): void {
    this.high = 0;
    this.low = 0;
  }

  save(): void {
    this.savedHigh = this.high;
    this.savedLow = this.low;
  }

  restore(): void {
    this.high = this.savedHigh;
    this.low = this.savedLow;
  }

  /**
   * Moves into the first number what the second holds of it. A sum that is taken out of another bar by bar would else
   * drive the two numbers of that other apart: both grow, and their difference has fewer digits with every bar.
   */
  private settle(): void {
    const { low } = this;
    this.low = 0;
    this.add(low);
  }
}

/** 2^27 + 1 splits a double into two halves of 26 bits. */
const SPLITTER = 134217729;

/** What is smaller never swallows anything that a market has. */
export const LARGE = 1e18;

/**
 * Whether a value that leaves a sum was so large that even the second number may have lost what stayed: the sum is then
 * made anew. No market has such numbers; a script that divides by almost nothing does.
 */
export function mayHaveSwallowed(leaving: number, newest: number): boolean {
  const size = Math.abs(leaving);
  return size > LARGE && size > 1e12 * Math.abs(newest);
}

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

  addAll(other: ExactSum): void {
    this.add(other.high);
    this.low += other.low;
  }

  subtractAll(other: ExactSum): void {
    this.add(-other.high);
    this.low -= other.low;
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
}

/** 2^27 + 1 splits a double into two halves of 26 bits. */
const SPLITTER = 134217729;

/**
 * Whether a value that leaves a sum was so large that even the second number may have lost what stayed: the sum is then
 * made anew. No market has such numbers; a script that divides by almost nothing does.
 */
export function mayHaveSwallowed(leaving: number, newest: number): boolean {
  const size = Math.abs(leaving);
  return size > 1e18 && size > 1e12 * Math.abs(newest);
}

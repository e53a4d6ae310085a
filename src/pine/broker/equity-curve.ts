// What an account was worth at the close of each bar.

import type { CurrentBar } from './current-bar.ts';
import type { Ledger } from './ledger.ts';

/** Room at first; twice as much whenever it is full. */
const FIRST_ROOM = 1024;

export class EquityCurve {
  private values = new Float64Array(FIRST_ROOM);
  private count = 0;

  /** At the close of a bar, once more while it is live. */
  keep({ index, close }: CurrentBar, ledger: Ledger): void {
    if (index >= this.values.length) this.grow(index);
    this.values[index] = ledger.equity(close);
    if (index >= this.count) this.count = index + 1;
  }

  private grow(bar: number): void {
    const values = new Float64Array(2 * bar);
    values.set(this.values);
    this.values = values;
  }

  /** By bar, from the first. */
  all(): Float64Array {
    return this.values.subarray(0, this.count);
  }
}

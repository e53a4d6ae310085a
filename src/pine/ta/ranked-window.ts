// The last `length` values, na among them, in the order in which TradingView's percentiles find them.

import { checkedLength } from './length.ts';
import { SortedWindow } from './sorted-window.ts';

/** The window as it was before the first na since the save came in or left. */
interface Snapshot {
  readonly sorted: Float64Array;
  readonly nas: number;
  readonly isInOrder: boolean;
  readonly steps: number;
}

/**
 * Without an na this is a sorted window. An na has no place in an order, so where it stands depends on how values are
 * moved: a new value takes the place of the one that leaves and moves left while the neighbour there is not smaller; if
 * it did not, and is neither the smaller of the two nor their equal, right while the neighbour there is not greater. An na
 * is nothing of that: it ends a way to the left and lets everything pass to the right. That is how percentiles over a gap come out on
 * TradingView's charts, and a few bars after it as well: what an na kept from its place stays there when the na leaves.
 */
export class RankedWindow extends SortedWindow {
  private nas = 0;
  private isInOrder = true;
  private snapshot: Snapshot | null = null;

  /** True when the window is full. */
  override next(value: number, length: number): boolean {
    const bars = length === this.length ? length : checkedLength(this.name, length, this.longest);
    if (this.isInOrder && !Number.isNaN(value) && !this.takesNa(bars)) return super.next(value, bars);
    if (this.live) this.snapshot ??= this.look();
    if (bars === this.length) this.put(value);
    else this.sortAgain(value, bars);
    this.isInOrder = this.nas === 0 && this.isSorted();
    return this.size === this.length;
  }

  override save(): void {
    super.save();
    this.snapshot = null;
  }

  override restore(): void {
    if (this.snapshot !== null) {
      this.sorted.set(this.snapshot.sorted);
      this.size = this.snapshot.sorted.length;
      this.nas = this.snapshot.nas;
      this.isInOrder = this.snapshot.isInOrder;
      this.steps.length = this.snapshot.steps;
      this.snapshot = null;
    }
    super.restore();
  }

  private look(): Snapshot {
    const { nas, isInOrder, steps } = this;
    return { sorted: this.sorted.slice(0, this.size), nas, isInOrder, steps: steps.length };
  }

  /** Whether a longer window begins before an na. */
  private takesNa(bars: number): boolean {
    const end = Math.min(bars, this.ring.pushed);
    for (let ago = this.size; ago < end; ago++) if (Number.isNaN(this.ring.at(ago))) return true;
    return false;
  }

  private put(value: number): void {
    if (Number.isNaN(value)) this.nas++;
    if (this.size < this.length) this.settle(value, this.size++, false);
    else {
      const leaving = this.ring.at(this.size - 1);
      if (Number.isNaN(leaving)) this.nas--;
      this.settle(value, this.placeOf(leaving), !(value <= leaving));
    }
    this.ring.push(value);
  }

  private settle(value: number, from: number, mayGoRight: boolean): void {
    const { sorted } = this;
    let place = from;
    for (; place > 0 && sorted[place - 1]! >= value; place--) sorted[place] = sorted[place - 1]!;
    if (place === from && mayGoRight)
      for (; place < this.size - 1 && !(sorted[place + 1]! > value); place++) sorted[place] = sorted[place + 1]!;
    sorted[place] = value;
  }

  private isSorted(): boolean {
    for (let i = 1; i < this.size; i++) if (this.sorted[i - 1]! > this.sorted[i]!) return false;
    return true;
  }

  private placeOf(value: number): number {
    const isIt = Number.isNaN(value) ? Number.isNaN : (other: number): boolean => other === value;
    return this.sorted.findIndex(isIt);
  }

  /** Of another length the moves are not known: in order of size, na last. */
  private sortAgain(value: number, bars: number): void {
    this.ring.push(value);
    this.length = bars;
    this.size = Math.min(bars, this.ring.pushed);
    for (let ago = 0; ago < this.size; ago++) this.sorted[ago] = this.ring.at(ago);
    const window = this.sorted.subarray(0, this.size).sort();
    this.nas = this.size - window.filter((value) => !Number.isNaN(value)).length;
  }
}

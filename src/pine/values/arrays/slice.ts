// A window into another array: what one of them changes, the other sees.

import { PineRuntimeError } from '../runtime-error.ts';
import { checkArraySize, outOfBounds, PineArray, unlessNa } from './array.ts';

/**
 * A slice keeps its place and its length, not its elements. Elements put into it go into the parent; when the parent
 * shrinks below the window, the next use of the slice is an error.
 */
export class ArraySlice<T> extends PineArray<T> {
  readonly parent: PineArray<T>;
  readonly from: number;
  private count: number;

  constructor(parent: PineArray<T>, from: number, to: number) {
    super(parent.journal);
    this.parent = parent;
    this.from = from;
    this.count = to - from;
  }

  override size(): number {
    if (this.from + this.count > this.parent.size())
      throw new PineRuntimeError('Slice is out of bounds of the parent array.');
    return this.count;
  }

  override at(index: number): T {
    return this.parent.at(this.from + index);
  }

  override put(index: number, value: T): void {
    this.parent.put(this.from + index, value);
  }

  override get(index: number): T {
    const size = this.size();
    const place = index < 0 ? index + size : index;
    // Which na the elements have, the array knows that holds them.
    if (Number.isNaN(index)) return this.parent.get(index);
    if (!(place >= 0 && place < size)) throw outOfBounds('get', index, size);
    return this.at(place);
  }

  override set(index: number, value: T): void {
    const size = this.size();
    const place = index < 0 ? index + size : index;
    if (place >= 0 && place < size) this.put(place, value);
    else unlessNa('set', index, size);
  }

  override push(value: T): void {
    // Asked first: a window that no longer fits must not write into its parent.
    this.insertAt(this.size(), value);
  }

  override insertAt(index: number, value: T): void {
    checkArraySize(this.parent.size() + 1);
    this.parent.insertAt(this.from + index, value);
    this.resize(this.count + 1);
  }

  override removeAt(index: number): T {
    const value = this.parent.removeAt(this.from + index);
    this.resize(this.count - 1);
    return value;
  }

  override toList(): T[] {
    const size = this.size();
    const list: T[] = [];
    for (let i = 0; i < size; i += 1) list.push(this.at(i));
    return list;
  }

  override replaceAll(values: ArrayLike<T>): void {
    const size = this.size();
    if (values.length === size) {
      for (let i = 0; i < size; i += 1) this.put(i, values[i] as T);
      return;
    }
    const whole = this.parent.toList();
    this.parent.replaceAll([...whole.slice(0, this.from), ...Array.from(values), ...whole.slice(this.from + size)]);
    this.resize(values.length);
  }

  override sameKind(values: ArrayLike<T>): PineArray<T> {
    return this.parent.sameKind(values);
  }

  override undo(_operation: number, place: number): void {
    this.count = place;
  }

  private resize(count: number): void {
    if (this.born < this.journal.epoch) this.journal.record(this, 0, this.count, null);
    this.count = count;
  }
}

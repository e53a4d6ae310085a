// An array of ints or floats, in a plain list of doubles open at both ends.

import type { Journal } from '../rollback.ts';
import {
  checkArraySize,
  outOfBounds,
  PineArray,
  UNDO_INSERT,
  UNDO_REMOVE,
  UNDO_REPLACE,
  UNDO_SET,
  unlessNa,
} from './array.ts';

/** Free slots in front are given back once there are this many and they outnumber the elements. */
const MIN_FREE_IN_FRONT = 64;

/**
 * Elements stand from `head` to the end of the list. The same as an array of items on purpose, and not one class with
 * it: V8 keeps a list that only ever held doubles unboxed, and code that only ever sees such lists fast.
 */
export class NumberArray extends PineArray<number> {
  private data: number[];
  private head = 0;

  constructor(journal: Journal, size = 0, initial = Number.NaN) {
    super(journal);
    this.data = doubles();
    for (let i = 0; i < size; i += 1) this.data.push(initial);
  }

  static of(journal: Journal, values: ArrayLike<number>): NumberArray {
    checkArraySize(values.length);
    const made = new NumberArray(journal);
    for (let i = 0; i < values.length; i += 1) made.data.push(values[i] as number);
    return made;
  }

  override size(): number {
    return this.data.length - this.head;
  }

  override at(index: number): number {
    return this.data[this.head + index] as number;
  }

  override get(index: number): number {
    const size = this.data.length - this.head;
    const place = index < 0 ? index + size : index;
    if (!(place >= 0 && place < size)) {
      if (Number.isNaN(index)) return Number.NaN;
      throw outOfBounds('get', index, size);
    }
    return this.data[this.head + place] as number;
  }

  override set(index: number, value: number): void {
    const size = this.data.length - this.head;
    const place = index < 0 ? index + size : index;
    if (place >= 0 && place < size) this.put(place, value);
    else unlessNa('set', index, size);
  }

  override put(index: number, value: number): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_SET, index, this.at(index));
    this.data[this.head + index] = value;
  }

  override push(value: number): void {
    const size = this.data.length - this.head;
    checkArraySize(size + 1);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_INSERT, size, null);
    this.data.push(value);
  }

  override insertAt(index: number, value: number): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_INSERT, index, null);
    this.open(index, value);
  }

  override removeAt(index: number): number {
    const value = this.at(index);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_REMOVE, index, value);
    this.close(index);
    return value;
  }

  override replaceAll(values: ArrayLike<number>): void {
    checkArraySize(values.length);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_REPLACE, 0, this.toList());
    this.overwrite(values);
  }

  override toList(): number[] {
    return this.data.slice(this.head);
  }

  override sameKind(values: ArrayLike<number>): NumberArray {
    return NumberArray.of(this.journal, values);
  }

  /** The elements, in place where that is possible: for reading at once, never for keeping or writing. */
  view(): readonly number[] {
    return this.head === 0 ? this.data : this.data.slice(this.head);
  }

  /** The list as it is kept, whose elements begin at `firstPlace`: for reading at once without a copy. */
  get list(): readonly number[] {
    return this.data;
  }

  get firstPlace(): number {
    return this.head;
  }

  override undo(operation: number, place: number, value: unknown): void {
    if (operation === UNDO_SET) this.data[this.head + place] = value as number;
    else if (operation === UNDO_INSERT) this.close(place);
    else if (operation === UNDO_REMOVE) this.open(place, value as number);
    else this.overwrite(value as number[]);
  }

  private open(index: number, value: number): void {
    if (index === this.size()) this.data.push(value);
    else if (index > 0) this.data.splice(this.head + index, 0, value);
    else {
      if (this.head === 0) this.makeRoomInFront();
      this.head -= 1;
      this.data[this.head] = value;
    }
  }

  /** As much room as there are elements, so that a queue that runs backwards moves each of them once. */
  private makeRoomInFront(): void {
    const free = Math.max(this.data.length, MIN_FREE_IN_FRONT);
    const data = doubles();
    for (let i = 0; i < free; i += 1) data.push(Number.NaN);
    for (let i = 0; i < this.data.length; i += 1) data.push(this.data[i] as number);
    this.data = data;
    this.head = free;
  }

  private close(index: number): void {
    if (index === this.size() - 1) this.data.pop();
    else if (index > 0) this.data.splice(this.head + index, 1);
    else {
      this.head += 1;
      if (this.head > MIN_FREE_IN_FRONT && this.head > this.size()) {
        this.data = this.data.slice(this.head);
        this.head = 0;
      }
    }
  }

  private overwrite(values: ArrayLike<number>): void {
    const data = doubles();
    for (let i = 0; i < values.length; i += 1) data.push(values[i] as number);
    this.data = data;
    this.head = 0;
  }
}

/** An empty list that V8 knows as one of doubles, also when whole numbers come first. */
function doubles(): number[] {
  const list = [Number.NaN];
  list.pop();
  return list;
}

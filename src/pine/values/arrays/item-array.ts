// An array of strings, bools, colors or references, in a plain list open at both ends.

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
const MIN_FREE_IN_FRONT = 32;

/** Elements stand from `head` to the end of the list; slots before `head` are empty. */
export class ItemArray<T> extends PineArray<T | null> {
  private data: (T | null)[];
  private head = 0;

  constructor(journal: Journal, size = 0, initial: T | null = null) {
    super(journal);
    this.data = [];
    for (let i = 0; i < size; i += 1) this.data.push(initial);
  }

  static of<T>(journal: Journal, values: ArrayLike<T | null>): ItemArray<T> {
    checkArraySize(values.length);
    const made = new ItemArray<T>(journal);
    made.data = Array.from(values);
    return made;
  }

  override size(): number {
    return this.data.length - this.head;
  }

  override at(index: number): T | null {
    return this.data[this.head + index] as T | null;
  }

  override get(index: number): T | null {
    const size = this.data.length - this.head;
    const place = index < 0 ? index + size : index;
    if (!(place >= 0 && place < size)) {
      if (Number.isNaN(index)) return null;
      throw outOfBounds('get', index, size);
    }
    return this.data[this.head + place] as T | null;
  }

  override set(index: number, value: T | null): void {
    const size = this.data.length - this.head;
    const place = index < 0 ? index + size : index;
    if (place >= 0 && place < size) this.put(place, value);
    else unlessNa('set', index, size);
  }

  override put(index: number, value: T | null): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_SET, index, this.at(index));
    this.data[this.head + index] = value;
  }

  override push(value: T | null): void {
    checkArraySize(this.size() + 1);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_INSERT, this.size(), null);
    this.data.push(value);
  }

  override insertAt(index: number, value: T | null): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_INSERT, index, null);
    this.open(index, value);
  }

  override removeAt(index: number): T | null {
    const value = this.at(index);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_REMOVE, index, value);
    this.close(index);
    return value;
  }

  override replaceAll(values: ArrayLike<T | null>): void {
    checkArraySize(values.length);
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_REPLACE, 0, this.toList());
    this.overwrite(values);
  }

  override toList(): (T | null)[] {
    return this.data.slice(this.head);
  }

  override sameKind(values: ArrayLike<T | null>): ItemArray<T> {
    return ItemArray.of<T>(this.journal, values);
  }

  override undo(operation: number, place: number, value: unknown): void {
    if (operation === UNDO_SET) this.data[this.head + place] = value as T | null;
    else if (operation === UNDO_INSERT) this.close(place);
    else if (operation === UNDO_REMOVE) this.open(place, value as T | null);
    else this.overwrite(value as (T | null)[]);
  }

  private open(index: number, value: T | null): void {
    if (index === this.size()) this.data.push(value);
    else if (index > 0) this.data.splice(this.head + index, 0, value);
    else {
      if (this.head === 0) {
        const free = Math.max(this.data.length, MIN_FREE_IN_FRONT);
        this.data = new Array<T | null>(free).fill(null).concat(this.data);
        this.head = free;
      }
      this.head -= 1;
      this.data[this.head] = value;
    }
  }

  private close(index: number): void {
    if (index === this.size() - 1) this.data.pop();
    else if (index > 0) this.data.splice(this.head + index, 1);
    else {
      this.data[this.head] = null;
      this.head += 1;
      if (this.head > MIN_FREE_IN_FRONT && this.head > this.size()) {
        this.data = this.data.slice(this.head);
        this.head = 0;
      }
    }
  }

  private overwrite(values: ArrayLike<T | null>): void {
    this.data = Array.from(values);
    this.head = 0;
  }
}

// What every array of the language can do, whatever it holds and whether it owns its elements or looks into another.

import type { Journal, Undoable } from '../rollback.ts';
import { PineRuntimeError } from '../runtime-error.ts';

/** The language's own limit on the elements of one array. */
export const MAX_ARRAY_SIZE = 100_000;

/** How a change of an array is undone. */
export const UNDO_SET = 0;
export const UNDO_INSERT = 1;
export const UNDO_REMOVE = 2;
export const UNDO_REPLACE = 3;

/**
 * `at`, `put`, `insertAt` and `removeAt` trust their index; the methods with Pine names check it. Hot methods are
 * written out in every subclass so that each stays monomorphic.
 */
export abstract class PineArray<T> implements Undoable {
  readonly journal: Journal;
  born: number;

  constructor(journal: Journal) {
    this.journal = journal;
    this.born = journal.epoch;
  }

  abstract size(): number;
  abstract at(index: number): T;
  abstract put(index: number, value: T): void;
  abstract insertAt(index: number, value: T): void;
  abstract removeAt(index: number): T;
  /** The elements as a fresh list that the caller may keep. */
  abstract toList(): T[];
  /** The new contents, whole. */
  abstract replaceAll(values: ArrayLike<T>): void;
  /** A new array of the same kind with these elements. */
  abstract sameKind(values: ArrayLike<T>): PineArray<T>;
  /** An index that is na finds na. */
  abstract get(index: number): T;
  /** An index that is na changes nothing. */
  abstract set(index: number, value: T): void;
  abstract push(value: T): void;
  abstract undo(operation: number, place: number, value: unknown): void;

  pop(): T {
    const size = this.size();
    if (size === 0) throw emptyArray('pop');
    return this.removeAt(size - 1);
  }

  shift(): T {
    if (this.size() === 0) throw emptyArray('shift');
    return this.removeAt(0);
  }

  unshift(value: T): void {
    checkArraySize(this.size() + 1);
    this.insertAt(0, value);
  }

  /** An index that is na appends. */
  insert(index: number, value: T): void {
    const size = this.size();
    const place = Number.isNaN(index) ? size : index < 0 ? index + size : index;
    // One past the end is allowed: it appends.
    if (!(place >= 0 && place <= size)) throw outOfBounds('insert', index, size);
    checkArraySize(size + 1);
    this.insertAt(place, value);
  }

  /** An index that is na removes nothing and gives na. */
  remove(index: number): T {
    if (Number.isNaN(index)) return this.get(index);
    return this.removeAt(checkedIndex('remove', index, this.size()));
  }

  first(): T {
    if (this.size() === 0) throw emptyArray('first');
    return this.at(0);
  }

  last(): T {
    const size = this.size();
    if (size === 0) throw emptyArray('last');
    return this.at(size - 1);
  }

  clear(): void {
    this.replaceAll([]);
  }

  copy(): PineArray<T> {
    return this.sameKind(this.toList());
  }
}

/** The index in the array, counted from the end when negative; throws when there is no such element. */
export function checkedIndex(method: string, index: number, size: number): number {
  const place = index < 0 ? index + size : index;
  if (!(place >= 0 && place < size)) throw outOfBounds(method, index, size);
  return place;
}

export function outOfBounds(method: string, index: number, size: number): PineRuntimeError {
  return new PineRuntimeError(
    `In 'array.${method}()' function. Index ${index} is out of bounds, array size is ${size}.`,
  );
}

/** The error of an index that finds nothing; one that is na goes on. Apart from the hot methods, which stay short. */
export function unlessNa(method: string, index: number, size: number): void {
  if (!Number.isNaN(index)) throw outOfBounds(method, index, size);
}

export function emptyArray(method: string): PineRuntimeError {
  return new PineRuntimeError(`Cannot use ${method}() if array is empty.`);
}

export function checkArraySize(size: number): void {
  if (size > MAX_ARRAY_SIZE)
    throw new PineRuntimeError(`Array is too large. Maximum size is ${MAX_ARRAY_SIZE} elements.`);
}

/** The size asked for in `array.new`: whole, not negative, within the limit. */
export function checkedNewSize(size: number): number {
  if (!(size >= 0)) throw new PineRuntimeError('Cannot create an array with a negative size.');
  checkArraySize(size);
  return Math.trunc(size);
}

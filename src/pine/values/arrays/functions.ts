// The functions of `array.*` that are not simple methods: ranges, searching, sorting, joining.

import { eq } from '../compare.ts';
import { PineRuntimeError } from '../runtime-error.ts';
import { checkArraySize, outOfBounds, type PineArray } from './array.ts';
import { NumberArray } from './number-array.ts';
import { ArraySlice } from './slice.ts';

export type SortOrder = 'ascending' | 'descending';

/** What a sorted array is searched for: a number, or a text among the fields of objects. */
export type Key = number | string;

/** Stands in for na where a method of the array would be called. */
export function arrayId<T>(id: T | null | undefined): T {
  if (id === null || id === undefined)
    throw new PineRuntimeError("Cannot call array methods when ID of array is 'na'.");
  return id;
}

/** A start that is na is the first element, an end that is na the size. */
export function slice<T>(id: PineArray<T>, start: number, end: number): ArraySlice<T> {
  const size = id.size();
  const from = Number.isNaN(start) ? 0 : start;
  const to = Number.isNaN(end) ? size : end;
  if (!(from >= 0 && from <= size)) throw outOfBounds('slice', from, size);
  if (!(to >= 0 && to <= size)) throw outOfBounds('slice', to, size);
  if (from > to) throw new PineRuntimeError("Index 'from' should be less than index 'to'.");
  return new ArraySlice(id, from, to);
}

/** Appends the second to the first and returns the first. */
export function concat<T>(id: PineArray<T>, other: PineArray<T>): PineArray<T> {
  const added = other.toList();
  checkArraySize(id.size() + added.length);
  for (let i = 0; i < added.length; i += 1) id.push(added[i] as T);
  return id;
}

/**
 * Sets the elements from `start` up to but not including `to`: none where that lies before it. A start that is na is the
 * first element, an end that is na the size. An array without elements has no first one to start at.
 */
export function fill<T>(id: PineArray<T>, value: T, start = 0, to = Number.NaN): void {
  const size = id.size();
  const from = Number.isNaN(start) ? 0 : start;
  const end = Number.isNaN(to) ? size : to;
  if (size === 0) throw outOfBounds('fill', from, size);
  if (!(from >= 0 && from <= size)) throw outOfBounds('fill', from, size);
  if (!(end >= 0 && end <= size)) throw outOfBounds('fill', end, size);
  for (let i = from; i < end; i += 1) id.put(i, value);
}

/** Searching compares numbers as `==` of the language does: within its tolerance, and never with na. */
const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number' ? eq(a, b) : a === b;

export function indexOf<T>(id: PineArray<T>, value: T): number {
  const size = id.size();
  for (let i = 0; i < size; i += 1) if (isSame(id.at(i), value)) return i;
  return -1;
}

export function lastIndexOf<T>(id: PineArray<T>, value: T): number {
  for (let i = id.size() - 1; i >= 0; i -= 1) if (isSame(id.at(i), value)) return i;
  return -1;
}

export function includes<T>(id: PineArray<T>, value: T): boolean {
  return indexOf(id, value) >= 0;
}

export function reverse<T>(id: PineArray<T>): void {
  id.replaceAll(id.toList().reverse());
}

/**
 * Ascending puts an na among numbers last and among texts first; descending is the mirror of it. Objects are sorted by
 * one of their fields.
 */
export function sort<T>(id: PineArray<T>, order: SortOrder = 'ascending', field?: string): void {
  if (id instanceof NumberArray) {
    const values = new Float64Array(id.view()).sort();
    id.replaceAll(order === 'descending' ? values.reverse() : values);
    return;
  }
  const values = id.toList();
  id.replaceAll(ranked(values, order, field).map((index) => values[index] as T));
}

/** The indices in the order of the values. */
export function sortIndices<T>(id: PineArray<T>, order: SortOrder = 'ascending', field?: string): NumberArray {
  return NumberArray.of(id.journal, ranked(id.toList(), order, field));
}

/**
 * Equal values keep their order. Not so in a descending order of plain values: that is the ascending one read backwards,
 * while objects sorted by a field keep theirs.
 */
function ranked(values: readonly unknown[], order: SortOrder, field: string | undefined): number[] {
  const indices = values.map((_, index) => index);
  if (field === undefined) {
    // Only among texts is there a null, and texts that are na stand in front.
    indices.sort((a, b) => compareKeys(values[a] ?? '', values[b] ?? '') || a - b);
    return order === 'descending' ? indices.reverse() : indices;
  }
  const keys = values.map((value) => fieldOf(value, field));
  const turn = order === 'descending' ? -1 : 1;
  return indices.sort((a, b) => turn * compareKeys(keys[a], keys[b]) || a - b);
}

/** The field of an object to sort or search by; na of an object has na in every field. */
function fieldOf(value: unknown, field: string): unknown {
  return value === null ? null : (value as Record<string, unknown>)[field];
}

function compareKeys(a: unknown, b: unknown): number {
  const aIsNa = a === null || Number.isNaN(a);
  const bIsNa = b === null || Number.isNaN(b);
  if (aIsNa || bIsNa) return Number(aIsNa) - Number(bIsNa);
  const left = a as number;
  const right = b as number;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The number at a place of an array of numbers, or a field of the object there. */
function keyAt(id: PineArray<unknown>, index: number, field: string | undefined): Key {
  const element = id.at(index);
  return (field === undefined ? element : fieldOf(element, field)) as Key;
}

/** The first index whose value is not below (or, with `after`, is above) the value, in an ascending array. */
function bound(id: PineArray<unknown>, value: Key, after: boolean, field: string | undefined): number {
  let low = 0;
  let high = id.size();
  while (low < high) {
    const middle = (low + high) >> 1;
    const element = keyAt(id, middle, field);
    if (element < value || (after && element === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the value in an ascending array, or -1; of equal values the one that halving the array meets first. */
export function binarySearch(id: PineArray<unknown>, value: Key, field?: string): number {
  let low = 0;
  let high = id.size() - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const key = keyAt(id, middle, field);
    if (key === value) return middle;
    if (key < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The leftmost index of the value, or of the element to the left of where it would stand; of a value below all 0. */
export function binarySearchLeftmost(id: PineArray<unknown>, value: Key, field?: string): number {
  const place = bound(id, value, false, field);
  return place < id.size() && keyAt(id, place, field) === value ? place : Math.max(place - 1, 0);
}

/** The rightmost index of the value, or of the element to the right of where it would stand. */
export function binarySearchRightmost(id: PineArray<unknown>, value: Key, field?: string): number {
  const place = bound(id, value, true, field);
  return place > 0 && keyAt(id, place - 1, field) === value ? place - 1 : place;
}

/** Of an array without elements it is false, as seen on TradingView. */
export function every(id: PineArray<unknown>): boolean {
  const size = id.size();
  for (let i = 0; i < size; i += 1) if (!isTrue(id.at(i))) return false;
  return size > 0;
}

export function some(id: PineArray<unknown>): boolean {
  const size = id.size();
  for (let i = 0; i < size; i += 1) if (isTrue(id.at(i))) return true;
  return false;
}

/** na and zero are false, as in an `if` of the older version. */
const isTrue = (value: unknown) => Boolean(value);

/** The numbers of an array for reading at once. */
export function numbersOf(id: PineArray<number>): readonly number[] {
  return id instanceof NumberArray ? id.view() : id.toList();
}

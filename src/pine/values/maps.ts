// Maps of the language: keys in the order they were first put, with every change undoable.

import type { PineArray } from './arrays/array.ts';
import { ItemArray } from './arrays/item-array.ts';
import { NumberArray } from './arrays/number-array.ts';
import type { Journal, Undoable } from './rollback.ts';
import { PineRuntimeError } from './runtime-error.ts';

/** The language's own limit on the pairs of one map. */
export const MAX_MAP_SIZE = 50_000;

const UNDO_VALUE = 0;
const UNDO_ADD = 1;
const UNDO_REMOVE = 2;
const UNDO_REPLACE = 3;

/** Holes are closed once there are this many and they outnumber the pairs. */
const MIN_HOLES = 32;

const HOLE = Symbol('removed');

/** Which array class keys and values go into, and what na is for them. */
export interface MapKinds {
  readonly numberKeys: boolean;
  readonly numberValues: boolean;
}

interface Slots<K, V> {
  readonly keys: (K | typeof HOLE)[];
  readonly values: V[];
}

/** Pairs stand in slots; a removed pair leaves a hole, so that undoing the removal puts it back where it was. */
export class PineMap<K, V> implements Undoable {
  readonly journal: Journal;
  readonly kinds: MapKinds;
  born: number;
  private keyAt: (K | typeof HOLE)[] = [];
  private valueAt: V[] = [];
  private slotOf = new Map<K, number>();

  constructor(journal: Journal, kinds: MapKinds) {
    this.journal = journal;
    this.kinds = kinds;
    this.born = journal.epoch;
  }

  size(): number {
    return this.slotOf.size;
  }

  /** The value of the key, or na. */
  get(key: K): V {
    const slot = this.slotOf.get(key);
    return slot === undefined ? this.noValue() : (this.valueAt[slot] as V);
  }

  contains(key: K): boolean {
    return this.slotOf.has(key);
  }

  /** Puts the pair in and returns the value the key had, or na. A known key keeps its place. */
  put(key: K, value: V): V {
    const slot = this.slotOf.get(key);
    const recording = this.born < this.journal.epoch;
    if (slot === undefined) {
      if (this.slotOf.size >= MAX_MAP_SIZE)
        throw new PineRuntimeError(`Map is too large. Maximum size is ${MAX_MAP_SIZE} key-value pairs.`);
      if (recording) this.journal.record(this, UNDO_ADD, this.keyAt.length, null);
      this.slotOf.set(key, this.keyAt.length);
      this.keyAt.push(key);
      this.valueAt.push(value);
      return this.noValue();
    }
    const old = this.valueAt[slot] as V;
    if (recording) this.journal.record(this, UNDO_VALUE, slot, old);
    this.valueAt[slot] = value;
    return old;
  }

  /** Takes the pair out and returns its value, or na. */
  remove(key: K): V {
    const slot = this.slotOf.get(key);
    if (slot === undefined) return this.noValue();
    const old = this.valueAt[slot] as V;
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_REMOVE, slot, { key: this.keyAt[slot], old });
    this.slotOf.delete(key);
    this.keyAt[slot] = HOLE;
    this.valueAt[slot] = this.noValue();
    const holes = this.keyAt.length - this.slotOf.size;
    if (holes > MIN_HOLES && holes > this.slotOf.size) this.closeHoles();
    return old;
  }

  clear(): void {
    this.replace({ keys: [], values: [] });
  }

  put_all(other: PineMap<K, V>): void {
    // Read first: the other map may be this one.
    const { keys, values } = other.pairs();
    for (let i = 0; i < keys.length; i += 1) this.put(keys[i] as K, values[i] as V);
  }

  keys(): PineArray<K> {
    return arrayOf(this.journal, this.kinds.numberKeys, this.pairs().keys as K[]);
  }

  values(): PineArray<V> {
    return arrayOf(this.journal, this.kinds.numberValues, this.pairs().values);
  }

  copy(): PineMap<K, V> {
    const made = new PineMap<K, V>(this.journal, this.kinds);
    made.put_all(this);
    return made;
  }

  /** The pairs in order, as fresh lists: what a `for … in` loop walks over. */
  pairs(): { keys: K[]; values: V[] } {
    const keys: K[] = [];
    const values: V[] = [];
    for (let slot = 0; slot < this.keyAt.length; slot += 1) {
      const key = this.keyAt[slot];
      if (key === HOLE) continue;
      keys.push(key as K);
      values.push(this.valueAt[slot] as V);
    }
    return { keys, values };
  }

  undo(operation: number, slot: number, value: unknown): void {
    if (operation === UNDO_VALUE) this.valueAt[slot] = value as V;
    else if (operation === UNDO_ADD) {
      this.slotOf.delete(this.keyAt.pop() as K);
      this.valueAt.pop();
    } else if (operation === UNDO_REMOVE) {
      const { key, old } = value as { key: K; old: V };
      this.keyAt[slot] = key;
      this.valueAt[slot] = old;
      this.slotOf.set(key, slot);
    } else this.install(value as Slots<K, V>);
  }

  private noValue(): V {
    return (this.kinds.numberValues ? Number.NaN : null) as V;
  }

  private closeHoles(): void {
    this.replace(this.pairs());
  }

  /** The old lists are handed to the journal as they are: nothing writes to them any more. */
  private replace(slots: Slots<K, V>): void {
    if (this.born < this.journal.epoch)
      this.journal.record(this, UNDO_REPLACE, 0, { keys: this.keyAt, values: this.valueAt });
    this.install(slots);
  }

  private install(slots: Slots<K, V>): void {
    this.keyAt = slots.keys;
    this.valueAt = slots.values;
    this.slotOf = new Map();
    for (let slot = 0; slot < slots.keys.length; slot += 1) {
      const key = slots.keys[slot];
      if (key !== HOLE) this.slotOf.set(key as K, slot);
    }
  }
}

function arrayOf<T>(journal: Journal, numbers: boolean, values: readonly T[]): PineArray<T> {
  const made = numbers
    ? NumberArray.of(journal, values as readonly number[])
    : ItemArray.of<T>(journal, values as readonly (T | null)[]);
  return made as unknown as PineArray<T>;
}

/** Stands in for na where a method of the map would be called. */
export function mapId<T>(id: T | null | undefined): T {
  if (id === null || id === undefined) throw new PineRuntimeError("Cannot call map methods when ID of map is 'na'.");
  return id;
}

// The drawings of a running script as objects: properties that can be undone, and a place in the list of their kind.

import type { Journal, Undoable } from '../values/rollback.ts';
import type { DrawingKind, Property } from './properties.ts';

/** Properties in slots whose changes are undone with the rest of the bar. */
export class PropertyHolder implements Undoable {
  readonly journal: Journal;
  readonly values: Property[];
  born: number;

  constructor(journal: Journal, values: Property[]) {
    this.journal = journal;
    this.born = journal.epoch;
    this.values = values;
  }

  write(slot: number, value: Property): void {
    if (this.born < this.journal.epoch) this.journal.record(this, 0, slot, this.values[slot]);
    this.values[slot] = value;
  }

  undo(_operation: number, slot: number, value: unknown): void {
    this.values[slot] = value as Property;
  }
}

/**
 * A drawing is removed by a delete, by the limit of its kind or by the undo of its making. Its id stays a value of the
 * script and reads as na from then on; nothing but an undo brings it back. Neighbours in the list of its kind are
 * forgotten on removal, so that an old id never keeps others in memory.
 */
export class Drawing extends PropertyHolder {
  readonly kind: DrawingKind;
  readonly id: number;
  previous: Drawing | null = null;
  next: Drawing | null = null;
  removed = false;

  constructor(journal: Journal, kind: DrawingKind, id: number, values: Property[]) {
    super(journal, values);
    this.kind = kind;
    this.id = id;
  }

  isGone(): boolean {
    return this.removed;
  }
}

export class Line extends Drawing {
  /** By the other line; none for most lines. */
  fills: Map<Line, FillPair> | null = null;

  constructor(journal: Journal, id: number, values: Property[]) {
    super(journal, 'line', id, values);
  }
}

/**
 * Two lines have one fill between them. A new one takes the place of the old, whose id stays a value that can be asked
 * for its lines, until the fill that took its place goes.
 */
export class FillPair {
  readonly line1: Line;
  readonly line2: Line;
  current: Linefill | null = null;

  constructor(line1: Line, line2: Line) {
    this.line1 = line1;
    this.line2 = line2;
  }

  join(fill: Linefill): void {
    this.current = fill;
    this.line1.fills ??= new Map();
    this.line2.fills ??= new Map();
    this.line1.fills.set(this.line2, this);
    this.line2.fills.set(this.line1, this);
  }

  part(): void {
    this.current = null;
    // A later pair of the same lines may stand there by now.
    if (this.line1.fills?.get(this.line2) === this) this.line1.fills.delete(this.line2);
    if (this.line2.fills?.get(this.line1) === this) this.line2.fills.delete(this.line1);
  }
}

export class Linefill extends Drawing {
  readonly pair: FillPair;
  /** In the order of the call, which need not be the pair's. */
  readonly line1: Line;
  readonly line2: Line;

  constructor(journal: Journal, id: number, values: Property[], pair: FillPair, line1: Line, line2: Line) {
    super(journal, 'linefill', id, values);
    this.pair = pair;
    this.line1 = line1;
    this.line2 = line2;
  }

  override isGone(): boolean {
    return this.pair.current === null;
  }
}

export class Polyline extends Drawing {
  /** Time, index and price of each point at the time of the call. */
  readonly points: Float64Array;

  constructor(journal: Journal, id: number, values: Property[], points: Float64Array) {
    super(journal, 'polyline', id, values);
    this.points = points;
  }
}

/** What `na(id)` says of a drawing: true for na itself and for every drawing that is no longer there. */
export function isNaDrawing(id: Drawing | null): boolean {
  return id === null || id.isGone();
}

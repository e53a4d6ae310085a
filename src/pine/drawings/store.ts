// All drawings a running script has on the chart: numbered as they are made, limited by kind, undone with the bar.
//
// How a tick is undone: lists are in the order of making, so whatever was made since the last save stands at their
// ends. The first change after a save therefore notes one number, the next id; the undo cuts the lists there and counts
// on from it, so that the same tick computed again makes the same ids. Only removals of older drawings are noted one by
// one, with the neighbour before them. A tick that makes and deletes thousands of labels leaves one note.

import type { Journal, Undoable } from '../values/rollback.ts';
import { type Drawing, Line, Linefill } from './drawing.ts';
import { DrawingList } from './drawing-list.ts';
import { type DrawingKind, PROPERTIES, TABLE } from './properties.ts';

export interface DrawingLimits {
  readonly lines: number;
  readonly labels: number;
  readonly boxes: number;
  readonly polylines: number;
}

/** The most a declaration may ask for, by the language. */
const MOST_OF_A_KIND = 500;
const MOST_POLYLINES = 100;

/** The language names no limit. This many join each of the most lines there can be to two others. */
const MOST_LINEFILLS = 2 * MOST_OF_A_KIND;

/** Nine are seen, one per position; as many may wait behind them for a place. */
const MOST_TABLES = 18;

/**
 * TradingView does not take the oldest away one by one: it waits until there are this many too many and one more, and
 * then keeps as many as are allowed.
 */
const TOO_MANY = 5;

const UNDO_NEW = 0;
const UNDO_REMOVAL = 1;

interface Limit {
  /** How many are left when the oldest have gone. */
  readonly kept: number;
  /** How many there may be before they go. */
  readonly most: number;
}

interface Removal {
  readonly drawing: Drawing;
  readonly previous: Drawing | null;
}

export const DRAWING_KINDS = Object.keys(PROPERTIES) as readonly DrawingKind[];

const POSITION = TABLE.slotOf('position');

export class DrawingStore implements Undoable {
  readonly journal: Journal;
  private readonly lists: Readonly<Record<DrawingKind, DrawingList>>;
  private readonly limits: Readonly<Record<DrawingKind, Limit>>;
  private nextId = 1;
  /** Drawings from this id on were made after the last save. */
  private firstNewId = 0;
  private notedEpoch: number;

  constructor(journal: Journal, limits: DrawingLimits) {
    this.journal = journal;
    this.notedEpoch = journal.epoch;
    this.limits = {
      line: asked(limits.lines, MOST_OF_A_KIND),
      label: asked(limits.labels, MOST_OF_A_KIND),
      box: asked(limits.boxes, MOST_OF_A_KIND),
      polyline: asked(limits.polylines, MOST_POLYLINES),
      linefill: { kept: MOST_LINEFILLS, most: MOST_LINEFILLS },
      table: { kept: MOST_TABLES, most: MOST_TABLES },
    };
    this.lists = {
      line: new DrawingList(),
      label: new DrawingList(),
      box: new DrawingList(),
      polyline: new DrawingList(),
      linefill: new DrawingList(),
      table: new DrawingList(),
    };
  }

  takeId(): number {
    this.noteEpoch();
    this.nextId += 1;
    return this.nextId - 1;
  }

  /** Puts a new drawing on the chart; the oldest of its kind go when there are too many. */
  add<T extends Drawing>(drawing: T): T {
    const list = this.lists[drawing.kind];
    const { kept, most } = this.limits[drawing.kind];
    list.append(drawing);
    if (list.count > most) while (list.count > kept) this.remove(this.victim(drawing.kind, list));
    return drawing;
  }

  /** Takes a drawing off the chart, with the fills of a line; does nothing when it is gone already. */
  remove(drawing: Drawing): void {
    if (drawing.removed) return;
    if (drawing instanceof Line && drawing.fills !== null)
      for (const pair of [...drawing.fills.values()]) if (pair.current !== null) this.remove(pair.current);
    this.takeOut(drawing);
    if (drawing instanceof Linefill) drawing.pair.part();
  }

  /** Puts a new fill between two lines, in the place of the one they may have. */
  fill(fill: Linefill): Linefill {
    const old = fill.pair.current;
    if (old !== null) this.takeOut(old);
    fill.pair.join(fill);
    return this.add(fill);
  }

  listOf(kind: DrawingKind): Drawing[] {
    return this.lists[kind].toList();
  }

  /** What can be seen, in the order of making: of tables at the same position only the newest. */
  visible(): Drawing[] {
    const hidden = new Set<Drawing>(this.hiddenTables());
    return DRAWING_KINDS.flatMap((kind) => this.listOf(kind))
      .filter((drawing) => !hidden.has(drawing))
      .sort((a, b) => a.id - b.id);
  }

  undo(operation: number, place: number, value: unknown): void {
    if (operation === UNDO_NEW) this.cutAt(place);
    else {
      const { drawing, previous } = value as Removal;
      this.lists[drawing.kind].insertAfter(previous, drawing);
      drawing.removed = false;
      if (drawing instanceof Linefill) drawing.pair.join(drawing);
    }
  }

  private noteEpoch(): void {
    if (this.notedEpoch === this.journal.epoch) return;
    this.notedEpoch = this.journal.epoch;
    this.firstNewId = this.nextId;
    this.journal.record(this, UNDO_NEW, this.nextId, null);
  }

  private takeOut(drawing: Drawing): void {
    this.noteEpoch();
    if (drawing.id < this.firstNewId)
      this.journal.record(this, UNDO_REMOVAL, 0, { drawing, previous: drawing.previous } satisfies Removal);
    this.lists[drawing.kind].remove(drawing);
    drawing.removed = true;
  }

  private cutAt(id: number): void {
    for (const kind of DRAWING_KINDS) {
      const list = this.lists[kind];
      for (let last = list.last; last !== null && last.id >= id; last = list.last) {
        list.remove(last);
        last.removed = true;
        if (last instanceof Linefill && last.pair.current === last) last.pair.part();
      }
    }
    this.nextId = id;
    // The note is used up: what this tick makes when it is computed again needs one of its own.
    this.notedEpoch = -1;
  }

  private victim(kind: DrawingKind, list: DrawingList): Drawing {
    return (kind === 'table' ? this.hiddenTables().at(-1) : undefined) ?? list.first!;
  }

  /** The tables that stand behind a newer one, newest first. */
  private hiddenTables(): Drawing[] {
    const taken = new Set<unknown>();
    const hidden: Drawing[] = [];
    for (let table = this.lists.table.last; table !== null; table = table.previous) {
      if (taken.has(table.values[POSITION])) hidden.push(table);
      else taken.add(table.values[POSITION]);
    }
    return hidden;
  }
}

/** A count that is na or negative is none, and of none there are not too many either. */
function asked(count: number, most: number): Limit {
  const kept = count >= 1 ? Math.trunc(Math.min(count, most)) : 0;
  return { kept, most: kept === 0 ? 0 : kept + TOO_MANY };
}

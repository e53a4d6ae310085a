// The undo journal of a running script: what collections and objects looked like at the last confirmed bar.
//
// A realtime bar is computed again on every tick, each time from the state at the end of the last confirmed bar.
// Collections and objects reach each other freely (an array of objects that hold maps), so one journal per run is
// told of every change and plays them backwards:
//
//   save()     the bar is confirmed: forget the old changes, start a new epoch
//   record()   something older than the epoch is about to change: remember how to undo it
//   restore()  undo everything since the save, newest first
//
// Both cost as much as the changes did, never the size of what is kept. In a batch run nobody calls save: the epoch
// stays 0, everything is born in epoch 0, and the test `born < epoch` before a change is all there is to pay.
// What was made after the save is never recorded: restore makes it unreachable. What a `varip` declaration holds is
// born in the infinite future and therefore never rolled back.

/** Something whose changes can be undone; the meaning of `operation` and `place` is its own. */
export interface Undoable {
  undo(operation: number, place: number, value: unknown): void;
}

/** Something that knows the epoch it was made in. */
export interface Born {
  born: number;
}

/** Room for this many changes is kept from bar to bar; a bar that made more gives the rest back. */
const KEPT_ROOM = 1024;

export class Journal {
  epoch = 0;
  private count = 0;
  private readonly targets: (Undoable | null)[] = [];
  private readonly operations: number[] = [];
  private readonly places: number[] = [];
  private readonly values: unknown[] = [];

  /** Remembers one change. Called only when the target was born before the epoch. */
  record(target: Undoable, operation: number, place: number, value: unknown): void {
    this.targets[this.count] = target;
    this.operations[this.count] = operation;
    this.places[this.count] = place;
    this.values[this.count] = value;
    this.count += 1;
  }

  /** The state now is what `restore` goes back to. */
  save(): void {
    this.forget();
    this.epoch += 1;
  }

  /** Back to the state at the last save; may be called any number of times. */
  restore(): void {
    for (let i = this.count - 1; i >= 0; i -= 1)
      this.targets[i]?.undo(this.operations[i] as number, this.places[i] as number, this.values[i]);
    this.forget();
  }

  /** How many changes are remembered: a figure for tests and metrics. */
  get pending(): number {
    return this.count;
  }

  /** Lets go of what was remembered; the lists keep their room, since the next bar will need it. */
  private forget(): void {
    for (let i = 0; i < this.count; i += 1) {
      this.targets[i] = null;
      this.values[i] = null;
    }
    this.count = 0;
    if (this.targets.length <= KEPT_ROOM) return;
    this.targets.length = KEPT_ROOM;
    this.operations.length = KEPT_ROOM;
    this.places.length = KEPT_ROOM;
    this.values.length = KEPT_ROOM;
  }
}

/** Takes a value that a `varip` declaration holds out of rollback, and returns it. */
export function keepThroughTicks<T extends Born>(value: T): T {
  value.born = Number.POSITIVE_INFINITY;
  return value;
}

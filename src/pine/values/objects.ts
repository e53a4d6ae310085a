// Instances of user-defined types and members of enums, as a running script holds them.
//
// The emitter writes one class per user type, so that every instance has the same shape and reads are plain:
//
//   class T0 extends PineObject {
//     constructor(journal, f0, f1) { super(journal); this.f0 = f0; this.f1 = f1; }
//     copy() { return new T0(this.journal, this.f0, this.f1); }
//   }
//
// A write is `object.remember('f0'); object.f0 = value`. Fields are named by their number: no text of a user's script
// becomes a property. A `varip` field is written without `remember` and so keeps what a tick put into it. `copy` is
// shallow, as in the language. History (`object[1]`) refers to the same object, not to what it once was.

import type { Journal, Undoable } from './rollback.ts';
import { PineRuntimeError } from './runtime-error.ts';

export abstract class PineObject implements Undoable {
  readonly journal: Journal;
  born: number;

  constructor(journal: Journal) {
    this.journal = journal;
    this.born = journal.epoch;
  }

  abstract copy(): PineObject;

  /** Keeps the field as it is now for the undo; call it before each write. */
  remember(field: `f${number}`): void {
    if (this.born < this.journal.epoch)
      this.journal.record(this, 0, Number(field.slice(1)), (this as Record<string, unknown>)[field]);
  }

  undo(_operation: number, field: number, value: unknown): void {
    (this as Record<string, unknown>)[`f${field}`] = value;
  }
}

/** What reading or writing a field of na ends with. */
export function fieldOfNa(type: string, field: string): PineRuntimeError {
  return new PineRuntimeError(`Cannot access the '${type}.${field}' field of an undefined object. The object is 'na'.`);
}

/** One member of an enum; members are compared by identity, and na is null. */
export class EnumMember {
  readonly enumName: string;
  readonly name: string;
  /** What `str.tostring` and an input's list show. */
  readonly title: string;
  readonly ordinal: number;

  constructor(enumName: string, name: string, title: string, ordinal: number) {
    this.enumName = enumName;
    this.name = name;
    this.title = title;
    this.ordinal = ordinal;
  }
}

/** The members of an enum in the order of their declaration; a member without a title is shown by its name. */
export function defineEnum(
  enumName: string,
  members: readonly { readonly name: string; readonly title?: string }[],
): readonly EnumMember[] {
  return Object.freeze(
    members.map(({ name, title }, ordinal) => Object.freeze(new EnumMember(enumName, name, title ?? name, ordinal))),
  );
}

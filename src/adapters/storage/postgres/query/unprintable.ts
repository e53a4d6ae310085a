// Thrown where a statement that SQLite would take cannot be said to PostgreSQL, or is at fault; the words go to the caller.

export class Unprintable extends Error {
  readonly kind: 'refused' | 'invalid';

  constructor(kind: 'refused' | 'invalid', reason: string) {
    super(reason);
    this.name = 'Unprintable';
    this.kind = kind;
  }
}

export const invalid = (reason: string): Unprintable => new Unprintable('invalid', reason);
export const notHere = (what: string, remedy: string): Unprintable =>
  new Unprintable('refused', `${what} is not on PostgreSQL; ${remedy}`);

// An object of a user type as the oracle holds it: a list of fields behind the names the value functions expect.

import { type Journal, PineObject } from '../../../src/pine/values/index.ts';

export class Instance extends PineObject {
  private readonly count: number;

  constructor(journal: Journal, fields: readonly unknown[]) {
    super(journal);
    this.count = fields.length;
    for (const [place, value] of fields.entries()) this.write(place, value);
  }

  read(field: number): unknown {
    return (this as Record<string, unknown>)[`f${field}`];
  }

  write(field: number, value: unknown): void {
    (this as Record<string, unknown>)[`f${field}`] = value;
  }

  override copy(): Instance {
    return new Instance(
      this.journal,
      Array.from({ length: this.count }, (_, field) => this.read(field)),
    );
  }
}

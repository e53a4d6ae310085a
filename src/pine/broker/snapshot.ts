// The state of changeable objects at a closed bar, to go back to; the objects themselves stay the same ones.

export class Snapshot<T extends object> {
  private members: readonly T[] = [];
  private copies: readonly T[] = [];

  keep(members: readonly T[]): void {
    this.members = [...members];
    this.copies = members.map((member) => ({ ...member }));
  }

  /** The members as they were; may be asked for any number of times. */
  restored(): T[] {
    for (const [index, member] of this.members.entries()) Object.assign(member, this.copies[index]);
    return [...this.members];
  }
}

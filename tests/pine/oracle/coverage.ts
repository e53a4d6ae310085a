// How many random scripts were really compared: one that the judge has no rules for passes, and must stay the exception.

export class Coverage {
  private compared = 0;
  /** How often a reason kept a script from being compared. */
  private readonly passed = new Map<string, number>();

  compare(): void {
    this.compared += 1;
  }

  pass(reason: string): void {
    this.passed.set(reason, (this.passed.get(reason) ?? 0) + 1);
  }

  /** Of all scripts, from 0 to 1. */
  get share(): number {
    const all = [...this.passed.values()].reduce((sum, count) => sum + count, this.compared);
    return all === 0 ? 0 : this.compared / all;
  }

  get words(): string {
    const reasons = [...this.passed].toSorted(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
    return [`${(this.share * 100).toFixed(1)} % compared`, ...reasons].join('; ');
  }
}

// What one point of a contract's price is worth in the account's currency: the symbol's point value at the day's rate.

/** What a unit of the symbol's currency is worth in the account's, on a bar that opens then. */
export type RateAt = (timeMs: number) => number;

export class PointValue {
  /** In the account's currency, on the present bar; never anything else than the symbol's own while nothing is converted. */
  now: number;
  rate = 1;
  /** Null: the account counts in the symbol's currency. */
  private rateAt: RateAt | null = null;
  private readonly ofSymbol: number;

  constructor(ofSymbol: number) {
    this.ofSymbol = ofSymbol;
    this.now = ofSymbol;
  }

  get isConverted(): boolean {
    return this.rateAt !== null;
  }

  /** From the next bar on. */
  convertBy(rateAt: RateAt): void {
    this.rateAt = rateAt;
  }

  rateOn(timeMs: number): number {
    return this.rateAt === null ? 1 : this.rateAt(timeMs);
  }

  setRate(rate: number): void {
    this.rate = rate;
    this.now = this.ofSymbol * rate;
  }
}

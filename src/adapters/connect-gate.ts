// Leave to connect: a number at once, then one every so often, over all streams of a venue.

export interface ConnectPace {
  /** Connections at once, then one each so often: venues ban addresses past 300 in five minutes. */
  readonly connectBurst: number;
  readonly connectEveryMs: number;
}

export class ConnectGate {
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #monotonicMs: () => number;
  /** When the connections given leave so far would all have had their time. */
  #paidUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ connectBurst, connectEveryMs }: ConnectPace, monotonicMs: () => number) {
    this.#burst = connectBurst;
    this.#everyMs = connectEveryMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes the next place and says how long to wait for it. */
  admitMs(): number {
    const nowMs = this.#monotonicMs();
    const paidUntilMs = Math.max(this.#paidUntilMs, nowMs);
    this.#paidUntilMs = paidUntilMs + this.#everyMs;
    return Math.max(0, paidUntilMs - (this.#burst - 1) * this.#everyMs - nowMs);
  }
}

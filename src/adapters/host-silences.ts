// How long hosts want silence from this machine. Venues ban addresses, not accounts, and a ban grows with every request that is sent
// into it: so where trading is told to keep quiet, prices of the same host are not asked for either. Not the other way: a wall in
// front of public prices says nothing of signed requests, and must not hold up a close; trading hears of a real ban itself.

/** The longest ban that a venue announces, Binance's. What says more is a mistake, and must not shut an account for good. */
export const MAX_SILENCE_MS = 3 * 24 * 3_600_000;

export interface Silence {
  /** Nothing is sent before this, on the clock that never jumps. */
  untilMs(): number;
  /** The host wants silence for so long from now on; a shorter one does not end a longer one. */
  keep(forMs: number): void;
}

export class HostSilences {
  readonly #monotonicMs: () => number;
  readonly #untilMs = new Map<string, number>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Of the host of this address. */
  of(address: string): Silence {
    const { host } = new URL(address);
    const untilMs = (): number => this.#untilMs.get(host) ?? Number.NEGATIVE_INFINITY;
    return {
      untilMs,
      keep: (forMs) => {
        if (forMs > 0)
          this.#untilMs.set(host, Math.max(untilMs(), this.#monotonicMs() + Math.min(forMs, MAX_SILENCE_MS)));
      },
    };
  }
}

// When each order and stop was sent, which tells how long one that the venue does not show may still appear.

/** Orders have stayed invisible for many seconds after they were taken, when the venue was busy. */
const INVISIBLE_FOR_MS = 60_000;

/** How long after it was sent an order can still appear: a venue refuses what arrives later than its receive window. */
export const mayAppearForMs = (receiveWindowMs: number): number => receiveWindowMs + INVISIBLE_FOR_MS;

export interface SentTimesOptions {
  readonly mayAppearForMs: number;
  readonly monotonicMs: () => number;
}

export class SentTimes {
  readonly #options: SentTimesOptions;
  /** One that is not in it was sent before this process began to trade. */
  readonly #sentAtMs = new Map<string, number>();
  #beganAtMs: number;

  constructor(options: SentTimesOptions) {
    this.#options = options;
    this.#beganAtMs = options.monotonicMs();
  }

  /** This process trades from now on: until this moment another one may have sent anything, also what was sent here before. */
  takeOver(): void {
    this.#sentAtMs.clear();
    this.#beganAtMs = this.#options.monotonicMs();
  }

  /** It is being sent now. */
  note(clientId: string): void {
    const { mayAppearForMs, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    // In the order they were sent; what cannot appear any more need not be known.
    for (const [id, sentAtMs] of this.#sentAtMs) {
      if (nowMs - sentAtMs <= mayAppearForMs) break;
      this.#sentAtMs.delete(id);
    }
    this.#sentAtMs.delete(clientId);
    this.#sentAtMs.set(clientId, nowMs);
  }

  /** Whether it cannot appear any more. To be asked before the venue is: what the venue answers later can only be newer. */
  isOver(clientId: string): boolean {
    const { mayAppearForMs, monotonicMs } = this.#options;
    return monotonicMs() - (this.#sentAtMs.get(clientId) ?? this.#beganAtMs) > mayAppearForMs;
  }
}

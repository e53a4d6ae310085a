// The clocks of a replay: they stand still until they are moved, and one venue may be held at a moment of its own.

import type { Timers } from '../../timing/timers.ts';

export class ReplayClock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  readonly nowMs = (): number => this.#nowMs;

  /** Never back: what is late happens now. */
  moveTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }
}

/** Nothing happens by itself in a replay: whoever replays looks when it is time. */
export const stoppedTimers: Timers = { after: () => () => {} };

/** A venue's own clock: that of the replay, but for the moment in which the venue takes an order. */
export class VenueClock {
  readonly #clock: ReplayClock;
  #heldAtMs: number | undefined;

  constructor(clock: ReplayClock) {
    this.#clock = clock;
  }

  readonly nowMs = (): number => this.#heldAtMs ?? this.#clock.nowMs();

  /** For as long as the work takes. One at a time. */
  async at<T>(ms: number, work: () => Promise<T>): Promise<T> {
    this.#heldAtMs = ms;
    try {
      return await work();
    } finally {
      this.#heldAtMs = undefined;
    }
  }
}

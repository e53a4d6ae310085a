// Lets only so many do something at once. The others wait in the order they came, a bounded number for a bounded time.

import { foregroundTimers, type Timers } from './timers.ts';

export interface SemaphoreOptions {
  readonly atOnce: number;
  /** More than this are turned away at once: waiting would not help them. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  readonly timers?: Timers;
}

/** Called once by whoever was let in, when it is done. Further calls do nothing. */
export type Leave = () => void;

/** `full`: too many wait already. `late`: its turn did not come in time. */
export type TurnedAway = 'full' | 'late';

export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** How many are inside. */
  #inside = 0;
  /** Each of these lets one in. */
  readonly #waiting = new Set<() => void>();

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  async enter(): Promise<Leave | TurnedAway> {
    const { atOnce, maxWaiting } = this.#options;
    if (this.#inside < atOnce) {
      this.#inside += 1;
      return this.#leave();
    }
    return this.#waiting.size >= maxWaiting ? 'full' : this.#wait();
  }

  #wait(): Promise<Leave | TurnedAway> {
    const { maxWaitMs, timers = foregroundTimers } = this.#options;
    return new Promise((resolve) => {
      const letIn = (): void => {
        this.#waiting.delete(letIn);
        cancel();
        resolve(this.#leave());
      };
      const cancel = timers.after(maxWaitMs, () => {
        this.#waiting.delete(letIn);
        resolve('late');
      });
      this.#waiting.add(letIn);
    });
  }

  /** The place of one that leaves goes to the one that waits longest. */
  #leave(): Leave {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#inside -= 1;
      else next();
    };
  }
}

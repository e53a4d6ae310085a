// Work that was begun and not awaited: remembered until it ends, so that whoever stops can wait for it.

import type { Timers } from './timers.ts';
import { withTimeout } from './with-timeout.ts';

export class WorkUnderWay {
  readonly #work = new Set<Promise<unknown>>();

  /** The same promise, for whoever wants to await it after all. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const forget = (): void => void this.#work.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when nothing is under way any more, also of what was begun in the meantime. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }

  /** Resolves when everything that is under way now has ended, however it ends, or when the time is up. */
  async settled(timeoutMs: number, timers: Timers): Promise<void> {
    await withTimeout(Promise.allSettled([...this.#work]), timeoutMs, () => undefined, timers);
  }
}

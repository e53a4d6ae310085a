// The memory that the bodies of requests may take together, from their first byte to their answer: shared out by class of
// caller, so that no number of uploads can take a machine's memory, and no class another's part.

import type { Caller, CallerClass } from '../../library/request-runner.ts';

/** The contract's: 50,000 bars with all their digits and a script fit in. */
export const LARGE_BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Shares in eighths of the whole. `own` gets none, because deployments send no HTTP body; nor `search`, whose body was a key's. */
const EIGHTHS: Readonly<Record<CallerClass, number>> = { anonymous: 4, keyed: 3, editor: 1, own: 0, search: 0 };

export interface Hold {
  /** So many bytes in place of those before; false, and nothing changed, when there is no room for them. */
  resize(bytes: number): boolean;
  release(): void;
}

export class BodyMemory {
  readonly #total: number;
  /** By class, and by caller of a class. */
  readonly #held = new Map<string, number>();

  constructor(total: number) {
    this.#total = total;
  }

  /** Of no bytes yet. A caller has at most half of what its class has. */
  hold(caller: Caller): Hold {
    const ofClass = (this.#total * EIGHTHS[caller.class]) / 8;
    // One request of the largest size always fits.
    const ofCaller = Math.min(ofClass, Math.max(ofClass / 2, LARGE_BODY_LIMIT_BYTES));
    const [className, callerName] = [caller.class, `${caller.class} ${caller.id}`];
    let held = 0;
    const resize = (bytes: number): boolean => {
      const more = bytes - held;
      const fits = this.#heldBy(className) + more <= ofClass && this.#heldBy(callerName) + more <= ofCaller;
      if (more > 0 && !fits) return false;
      this.#add(className, more);
      this.#add(callerName, more);
      held = bytes;
      return true;
    };
    return { resize, release: () => void resize(0) };
  }

  #heldBy(name: string): number {
    return this.#held.get(name) ?? 0;
  }

  #add(name: string, bytes: number): void {
    const held = this.#heldBy(name) + bytes;
    if (held > 0) this.#held.set(name, held);
    else this.#held.delete(name);
  }
}

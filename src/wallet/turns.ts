// Turns: work under one name runs strictly in order, one piece at a time; other names run side by side.

import { WalletRefusal } from './refusal.ts';

/** More waiting under one name than this is a runaway caller, and each piece holds memory and a connection. */
const MAX_WAITING = 256;

const BUSY = `${MAX_WAITING} requests wait for their turn already; try again soon`;

export interface Turns {
  /** Refused at once when too many wait under this name. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createTurns(): Turns {
  const lasts = new Map<string, { readonly done: Promise<void>; waiting: number }>();

  return {
    take(name, work) {
      const before = lasts.get(name);
      const waiting = (before?.waiting ?? 0) + 1;
      if (waiting > MAX_WAITING) return Promise.reject(new WalletRefusal('busy', BUSY));
      const result = (before?.done ?? Promise.resolve()).then(work);
      const turn = {
        waiting,
        done: result.then(
          () => end(),
          () => end(),
        ),
      };
      const end = (): void => {
        const last = lasts.get(name);
        if (last === turn) lasts.delete(name);
        else if (last !== undefined) last.waiting -= 1;
      };
      lasts.set(name, turn);
      return result;
    },
    async idle() {
      while (lasts.size > 0) await Promise.all([...lasts.values()].map(({ done }) => done));
    },
  };
}

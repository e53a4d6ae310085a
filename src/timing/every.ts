// Doing something again and again, with the same time between one beginning and the next.

import type { Timers } from './timers.ts';

/** The first time after one period. Ends when the function that is returned is called. */
export function every(periodMs: number, work: () => void, timers: Timers): () => void {
  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = timers.after(periodMs, () => {
      schedule();
      work();
    });
  };
  schedule();
  return () => cancel();
}

// Waiting for a while, which a signal can cut short.

import type { Timers } from './timers.ts';

export interface WaitOptions {
  /** Ends the wait at once. The wait resolves all the same: whoever must know why looks at the signal. */
  readonly stop?: AbortSignal | undefined;
  readonly timers: Timers;
}

export function wait(delayMs: number, { stop, timers }: WaitOptions): Promise<void> {
  return new Promise((resolve) => {
    if (stop?.aborted) return resolve();
    const end = (): void => {
      cancel();
      stop?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(delayMs, end);
    stop?.addEventListener('abort', end);
  });
}

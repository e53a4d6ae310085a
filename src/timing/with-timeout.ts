// Waits for somebody else's work, but not for ever: until a time limit, or until a signal ends the waiting.

import type { Timers } from './timers.ts';

const LATE = Symbol('late');

/**
 * The outcome of the work, or what `late` returns or throws when the limit comes first. Work that is late is not
 * stopped by this, and how it ends is told to nobody.
 */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  limitMs: number,
  late: () => Late,
  timers: Timers,
): Promise<T | Late> {
  const limit = Promise.withResolvers<typeof LATE>();
  const cancel = timers.after(limitMs, () => limit.resolve(LATE));
  try {
    const outcome = await Promise.race([work, limit.promise]);
    return outcome === LATE ? late() : outcome;
  } finally {
    cancel();
  }
}

/** The outcome of the work, or a rejection with the signal's reason when that comes first, even if the work ignores it. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal.reason);
  const leave = (): void => signal.removeEventListener('abort', abort);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject).finally(leave);
  return promise;
}

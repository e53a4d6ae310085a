// The time a piece of work takes when nothing disturbs it: of several tries the quickest, for the others measure the machine.

const TRIES = 9;

/** Ends early once a try is quick enough, so that the extra tries cost nothing on a quiet machine. */
export function quickestMs(work: () => unknown, enoughMs = 0): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && bestMs >= enoughMs; tries += 1) {
    const startedMs = performance.now();
    work();
    bestMs = Math.min(bestMs, performance.now() - startedMs);
  }
  return bestMs;
}

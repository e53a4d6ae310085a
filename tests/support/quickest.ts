// The time a piece of work takes when nothing disturbs it: by the clock of its own thread, and of several tries the quickest.
//
// The clock of a thread stands still while another program has the core, so a busy machine hardly shows.

const TRIES = 9;

/** Ends early once a try is quick enough, so that the extra tries cost nothing on a quiet machine. */
export function quickestMs(work: () => unknown, enoughMs = 0): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && bestMs >= enoughMs; tries += 1) {
    const begun = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(begun);
    bestMs = Math.min(bestMs, (user + system) / 1000);
  }
  return bestMs;
}

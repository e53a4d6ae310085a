// The time a piece of work takes when nothing disturbs it: by the clock of its own thread, and of several tries the quickest.
//
// The clock of a thread stands still while another program has the core, so a busy machine hardly shows.

const TRIES = 9;
/** On some machines that clock moves by 4 ms at a time, so a short work is done again until a try is long beside that. */
const LEAST_TRY_MS = 20;

/** Ends early once a try is quick enough, so that the extra tries cost nothing on a quiet machine. */
export function quickestMs(work: () => unknown, enoughMs = 0, most = TRIES): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < most && bestMs >= enoughMs; tries += 1) {
    const begun = process.threadCpuUsage();
    let takenMs = 0;
    let times = 0;
    for (; takenMs < LEAST_TRY_MS; times += 1) {
      work();
      const { user, system } = process.threadCpuUsage(begun);
      takenMs = (user + system) / 1000;
    }
    bestMs = Math.min(bestMs, takenMs / times);
  }
  return bestMs;
}

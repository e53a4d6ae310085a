// Waiting, as a port: everything here that waits does so by these, so that tests hold the clock in their hand.

export interface Timers {
  /** Does the work once after so many ms, unless it is called off before. */
  after(delayMs: number, work: () => void): () => void;
}

/** Node's own; they do not keep a process alive that wants to end. */
export const realTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

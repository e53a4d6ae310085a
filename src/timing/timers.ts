// Doing something later, as a port: whoever waits is handed timers, so that a test can hold the clock in its hand.

export interface Timers {
  /** Does the work once after so many ms, unless the function that is returned is called before. */
  after(delayMs: number, work: () => void): () => void;
}

/** Node does the work of a longer timer at once; this one goes off after 24 days, which nobody here waits for. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Node's own timers. The process stays alive until they have gone off or were taken back. */
export const foregroundTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(delayMs, LONGEST_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

/** Node's own timers, for what need not be done any more once the process has nothing else to do: it may end. */
export const backgroundTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(delayMs, LONGEST_DELAY_MS)).unref();
    return () => clearTimeout(timer);
  },
};

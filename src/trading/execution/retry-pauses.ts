// How long is waited before a venue is asked again to cancel or close what it did not.

const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000] as const;
/** However often it was tried, it is not longer than this. */
export const LONGEST_RETRY_PAUSE_MS = 60_000;

/** After so many tries, at least one: soon at first, then ever less often. */
export const retryPauseMs = (tries: number): number => PAUSES_MS[tries - 1] ?? LONGEST_RETRY_PAUSE_MS;

// How long is waited before something is tried again at a venue.

/** A trade waits in its lane, and others behind it. */
const TRADE_PAUSES_MS = [250, 500, 1000, 2000] as const;
const LONGEST_TRADE_PAUSE_MS = 5000;

/** Before a trade of which nothing was sent yet is tried again, after so many tries, at least one. */
export const tradePauseMs = (tries: number): number => TRADE_PAUSES_MS[tries - 1] ?? LONGEST_TRADE_PAUSE_MS;

/** Before a venue is asked again to cancel or close what it did not. */
const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000] as const;
/** However often it was tried, it is not longer than this. */
export const LONGEST_RETRY_PAUSE_MS = 60_000;

/** After so many tries, at least one: soon at first, then ever less often. */
export const retryPauseMs = (tries: number): number => PAUSES_MS[tries - 1] ?? LONGEST_RETRY_PAUSE_MS;

// What every kernel can do besides computing its next value, and the two numbers all of them share.

/**
 * The state of one call of a `ta.*` function. `next(...)` advances it by one call and returns the value.
 *
 * Two ways with na, as TradingView has them: kernels that "ignore" na look at the last `length` values that are not na
 * (a value that is infinite counts as na, since it would never leave a sum); window kernels then answer an na with the
 * value they last had, recursive ones (ema, rma and all that is built on them) with na. The others "include" na: one na
 * in the window makes the result na until it has left. What has a way of its own says so, and where its manual says
 * otherwise, values seen on its charts decide: wma, highest and lowest, rising and falling, percentrank, the pivots.
 */
export interface Kernel {
  /** Keeps the present state as that of the last finished bar. Costs nothing in a run that never calls it. */
  save(): void;
  /**
   * Back to the last save, so that the bar can be computed again: the realtime bar on a new price, and a call site in a
   * loop on each further call in the same bar, where TradingView lets only the last one count.
   */
  restore(): void;
}

/** rising, falling, percentrank, rci, cmo and mfi take two floats this close for equal, as Pine's own operators do. */
export const TOLERANCE = 1e-10;

/** What a call site with a length that changes from bar to bar can look back: Pine's longest history buffer. */
export const LONGEST_SERIES_LENGTH = 10_000;

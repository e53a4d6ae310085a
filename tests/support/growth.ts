// How the cost of a piece of work grows with its size: a ratio of two times of one machine, so that no machine is too slow for it.

import { quickestMs } from './quickest.ts';

/** Below this a clock measures itself, even over many turns. */
const LEAST_MS = 0.01;
/** How many times as large the second piece of work is. */
const TIMES = 8;

/** Work in proportion to its size grows by eight, work with the square of it by 64: between the two there is room for chance. */
export const MOST_GROWTH = 24;
/** Each is many turns of the small work: after the first one it is as quick as it gets. */
const SMALL_TRIES = 3;
/** A machine whose host takes its cores away now and then is asked again. */
const ATTEMPTS = 3;

/** The time for work of the full size over the time for an eighth of it; what `prepare` does is not measured. */
export function growthOf(prepare: (size: number) => () => unknown, fullSize: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= MOST_GROWTH; attempt += 1) {
    const smallMs = Math.max(quickestMs(prepare(Math.floor(fullSize / TIMES)), 0, SMALL_TRIES), LEAST_MS);
    // One try below the bound is proof enough: disturbances only ever make a try longer.
    least = Math.min(least, quickestMs(prepare(fullSize), smallMs * MOST_GROWTH) / smallMs);
  }
  return least;
}

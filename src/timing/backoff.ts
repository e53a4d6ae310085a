// How long to leave something alone that has failed: twice as long after each failure in a row, up to a limit.

export interface Backoff {
  /** After the first failure. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * `failures` is how many there were in a row, the one just now included. With `random`, a number from 0 up to 1, the
 * pause is drawn from the upper half of its length, so that many who failed together do not come back together.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: () => number): number {
  const pauseMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return random === undefined ? pauseMs : pauseMs * (0.5 + random() / 2);
}

// Time as this process lived it: while a busy machine does not let its loop turn, this clock nearly stands still.
//
// For tests that say "it does not wait longer than that": a wait of the product counts in full, a stall of the machine does not.

const TICK_MS = 5;
/** What one turn of the loop counts at most; an ordinary one takes far less. */
const MAX_TURN_MS = 25;

export interface Timed<T> {
  readonly result: T;
  /** By the clock on the wall. */
  readonly elapsedMs: number;
  /** Never more than `elapsedMs`. */
  readonly livedMs: number;
}

export async function timed<T>(work: () => T | Promise<T>): Promise<Timed<T>> {
  const startedMs = performance.now();
  let livedMs = 0;
  let turnMs = startedMs;
  const tick = (): void => {
    const nowMs = performance.now();
    livedMs += Math.min(nowMs - turnMs, MAX_TURN_MS);
    turnMs = nowMs;
  };
  const timer = setInterval(tick, TICK_MS);
  try {
    const result = await work();
    tick();
    return { result, elapsedMs: performance.now() - startedMs, livedMs };
  } finally {
    clearInterval(timer);
  }
}

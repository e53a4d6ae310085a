// Decides when the writer's open transaction is committed: in a moment of quiet, and now and then in any case.

/**
 * Everybody waits for a commit, so under load it comes seldom: then it holds up less than one signal in a hundred, and
 * the more writes share one, the fewer pages each of them costs.
 */
const QUIET_MS = 10;
const LONGEST_MS = 1000;
/** To try again runs everything in the log again; a disk that is full stays full for a while. */
const AFTER_FAILURE_MS = 1000;

export interface CommitClock {
  /** After every batch. */
  written(): void;
  stop(): void;
}

export function createCommitClock(options: {
  /** True while there is something to commit. */
  isOpen: () => boolean;
  /** False when it is not possible now. */
  commit: () => boolean;
  nowMs: () => number;
  /** Returns how to take it back. */
  setTimer: (run: () => void, delayMs: number) => () => void;
}): CommitClock {
  const { isOpen, commit, nowMs, setTimer } = options;
  let cancel: (() => void) | undefined;
  let openSinceMs = 0;
  let writtenAtMs = 0;

  const tick = (): void => {
    const now = nowMs();
    const isDue = now - writtenAtMs >= QUIET_MS || now - openSinceMs >= LONGEST_MS;
    const failed = isDue && !commit();
    if (isDue) openSinceMs = now;
    cancel = isOpen() ? setTimer(tick, failed ? AFTER_FAILURE_MS : QUIET_MS) : undefined;
  };

  return {
    written() {
      writtenAtMs = nowMs();
      if (cancel || !isOpen()) return;
      openSinceMs = writtenAtMs;
      cancel = setTimer(tick, QUIET_MS);
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}

// Tries a durable step again and again until it is on disk: what a venue has said must never be forgotten.

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

interface Patience {
  readonly stop: AbortSignal;
  readonly onFailure: (error: unknown, attempt: number) => void;
}

/** Ends only with success or with the stop signal, after which recovery at the next start asks the venue again. */
export function untilDurable<T>(step: () => Promise<T>, patience: Patience): Promise<T> {
  try {
    // The usual case on the road of every trade: it works at once.
    return step().catch((error) => tryAgain(step, patience, error));
  } catch (error) {
    return tryAgain(step, patience, error);
  }
}

async function tryAgain<T>(step: () => Promise<T>, { stop, onFailure }: Patience, first: unknown): Promise<T> {
  let failure = first;
  for (let attempt = 1; ; attempt++) {
    onFailure(failure, attempt);
    if (stop.aborted) throw failure;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), stop);
    try {
      return await step();
    } catch (error) {
      failure = error;
    }
  }
}

/** Sleeps, but not past a stop. */
export function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stop.addEventListener('abort', done);
  });
}

// Tries a durable step again and again until it is on disk: what a venue has said must never be forgotten.

import { FencedError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { type Backoff, backoffMs } from '../../timing/backoff.ts';
import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';

const BACKOFF: Backoff = { firstMs: 100, longestMs: 5000 };

/** `mayHold`: an earlier try ended without an answer, and what it wrote may be there. Whoever writes it again looks for it first. */
export type DurableStep<T> = (mayHold: boolean) => Promise<T>;

interface Patience {
  readonly stop: AbortSignal;
  readonly timers: Timers;
  readonly onFailure: (error: unknown, attempt: number) => void;
}

/**
 * Ends only with success or with the stop signal, after which recovery at the next start asks the venue again. Or where another
 * process has taken over, whose recovery has asked it already: what is said here is nobody's any more.
 */
export function untilDurable<T>(step: DurableStep<T>, patience: Patience): Promise<T> {
  try {
    // The usual case on the road of every trade: it works at once.
    return step(false).catch((error) => tryAgain(step, patience, error));
  } catch (error) {
    return tryAgain(step, patience, error);
  }
}

async function tryAgain<T>(step: DurableStep<T>, { stop, timers, onFailure }: Patience, first: unknown): Promise<T> {
  let failure = first;
  let mayHold = false;
  for (let attempt = 1; ; attempt++) {
    if (failure instanceof FencedError) throw failure;
    mayHold ||= failure instanceof UnknownOutcomeError;
    onFailure(failure, attempt);
    if (stop.aborted) throw failure;
    await wait(backoffMs(BACKOFF, attempt), { stop, timers });
    try {
      return await step(mayHold);
    } catch (error) {
      failure = error;
    }
  }
}

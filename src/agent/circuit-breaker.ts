// The circuit breaker of one provider: after failures in a row it is left alone for a while, then tried with one call.
//
//   closed ──3rd failure in a row──▶ open ──time is up──▶ half-open ──success──▶ closed
//                                     ▲                       │
//                                     └── failure: twice as long, 5 minutes at most
//
// A provider that says itself when to come back (Retry-After) opens its circuit until then, whatever the count. Only one
// call passes while half-open: a crowd must not fall upon a provider that is just getting up. A call that was canceled
// says nothing.

import { backoffMs } from '../timing/backoff.ts';

export const FAILURES_TO_OPEN = 3;
export const FIRST_PAUSE_MS = 30_000;
export const LONGEST_PAUSE_MS = 300_000;
const PAUSE = { firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS };

export type CircuitState = 'closed' | 'open' | 'half-open';

/** A place taken in the circuit; exactly one of the three is called when the call is over. */
export interface Passage {
  succeeded(): void;
  /** With the time the provider asked to be left alone, where it did. */
  failed(stayAwayMs?: number): void;
  /** The call ended without telling whether the provider works, because the caller hung up for instance. */
  released(): void;
}

export interface CircuitBreaker {
  state(): CircuitState;
  /** A passage, or the time until the next try. */
  enter(): { readonly passage: Passage } | { readonly waitMs: number };
}

export function createCircuitBreaker(nowMs: () => number): CircuitBreaker {
  let failures = 0;
  let failedProbes = 0;
  let openUntilMs: number | undefined;
  let probing = false;

  const state = (): CircuitState => {
    if (openUntilMs === undefined) return 'closed';
    return nowMs() < openUntilMs ? 'open' : 'half-open';
  };

  const passage = (isProbe: boolean): Passage => {
    const over = (): void => {
      if (isProbe) probing = false;
    };
    return {
      succeeded() {
        over();
        failures = 0;
        failedProbes = 0;
        openUntilMs = undefined;
      },
      failed(stayAwayMs = 0) {
        over();
        failures += 1;
        if (isProbe && failures > FAILURES_TO_OPEN) failedProbes += 1;
        const pauseMs = backoffMs(PAUSE, failedProbes + 1);
        // A provider that always says "at once" must not keep its own circuit closed.
        const waitMs = Math.max(stayAwayMs, failures >= FAILURES_TO_OPEN ? pauseMs : 0);
        openUntilMs = waitMs > 0 ? nowMs() + Math.min(waitMs, LONGEST_PAUSE_MS) : undefined;
      },
      released: over,
    };
  };

  return {
    state,
    enter() {
      const now = state();
      if (now === 'closed') return { passage: passage(false) };
      if (now === 'open') return { waitMs: (openUntilMs as number) - nowMs() };
      if (probing) return { waitMs: 0 };
      probing = true;
      return { passage: passage(true) };
    },
  };
}

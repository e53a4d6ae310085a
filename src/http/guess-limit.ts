// Slows down whoever guesses a token: after so many wrong ones a minute every token from that address waits first.

import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { createTokenBuckets } from './token-bucket.ts';

export interface GuessLimit {
  /** Says whether a token from this address is the right one, at once or after the wait of an address that guesses. */
  isRight(address: string, compare: () => boolean): Promise<boolean>;
}

export interface GuessLimitParts {
  readonly monotonicMs: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const WRONG_TOKENS_PER_MINUTE = 30;
/** Long enough to make guessing hopeless, short enough for the owner who shares an address with a guesser. */
const WAIT_MS = 1000;
/** More addresses than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;

/**
 * The right token of a slowed address waits too: if it passed at once, a guesser would need no answer to the wrong
 * ones. They wait side by side, never behind each other, so that nobody can keep the owner out; one connection serves
 * one request at a time and the server's connections are bounded, and with them what a guesser can try in a second.
 */
export function createGuessLimit({
  monotonicMs,
  sleep = (ms) => wait(ms, { timers: foregroundTimers }),
}: GuessLimitParts): GuessLimit {
  const wrongOnes = createTokenBuckets({
    capacity: WRONG_TOKENS_PER_MINUTE,
    refillPerMinute: WRONG_TOKENS_PER_MINUTE,
    nowMs: monotonicMs,
    maxKeys: MAX_ADDRESSES,
  });
  return {
    // Nothing is awaited between the look and the count of a quick guess: a thousand at once do not slip through.
    async isRight(address, compare) {
      if (!wrongOnes.peek(address).allowed) await sleep(WAIT_MS);
      if (compare()) return true;
      wrongOnes.take(address);
      return false;
    },
  };
}

/** Compares at once, however many were wrong. */
export const NO_GUESS_LIMIT: GuessLimit = { isRight: async (_, compare) => compare() };

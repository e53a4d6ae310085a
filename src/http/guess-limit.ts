// Slows down whoever guesses a token: so many wrong ones a minute per address, and then 429 instead of an answer.
import { createTokenBuckets } from './token-bucket.ts';

export interface GuessLimit {
  /** Counts a wrong token; returns how many seconds to wait when the address has sent too many, else nothing. */
  wrong(address: string): number | undefined;
}

const WRONG_TOKENS_PER_MINUTE = 30;
/** More addresses than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;

/** A right token is never refused: somebody else behind the same address must not shut the owner out. */
export function createGuessLimit(monotonicMs: () => number): GuessLimit {
  const buckets = createTokenBuckets({
    capacity: WRONG_TOKENS_PER_MINUTE,
    refillPerMinute: WRONG_TOKENS_PER_MINUTE,
    nowMs: monotonicMs,
    maxKeys: MAX_ADDRESSES,
  });
  return {
    wrong: (address) => {
      const { allowed, retryAfterSeconds } = buckets.take(address);
      return allowed ? undefined : retryAfterSeconds;
    },
  };
}

export const tooManyGuesses = (setting: string, waitS: number): string =>
  `Too many wrong tokens from this address. Wait ${waitS} seconds, and send the value of ${setting}.`;

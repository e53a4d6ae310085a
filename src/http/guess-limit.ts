// Slows down whoever guesses a token: after so many wrong ones a minute an address waits its turn for each further one.
import { createSlowLanes, FULL_LANE_S, type Sleep } from './slow-lanes.ts';
import { createTokenBuckets } from './token-bucket.ts';

/** With `retryAfterS` the token was not even looked at. */
export type GuessVerdict = 'right' | 'wrong' | { readonly retryAfterS: number };

export interface GuessLimit {
  /** Compares a token from this address, at once or when its turn has come. */
  judge(address: string, isRight: () => boolean): Promise<GuessVerdict>;
}

export interface GuessLimitParts {
  readonly monotonicMs: () => number;
  readonly sleep?: Sleep;
}

const WRONG_TOKENS_PER_MINUTE = 30;
/** More addresses than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;

/**
 * A token that is compared before it waits would tell a guesser at once whether it was right, so a slowed address waits
 * with every token. The price: somebody else behind the same address, who guesses, makes the owner wait, and keeps the
 * owner out for as long as he fills every place of the queue.
 */
export function createGuessLimit({ monotonicMs, sleep }: GuessLimitParts): GuessLimit {
  const lanes = createSlowLanes(sleep);
  const wrongOnes = createTokenBuckets({
    capacity: WRONG_TOKENS_PER_MINUTE,
    refillPerMinute: WRONG_TOKENS_PER_MINUTE,
    nowMs: monotonicMs,
    maxKeys: MAX_ADDRESSES,
  });
  return {
    // Nothing is awaited between the look and the count of a quick guess: a thousand at once do not slip through.
    async judge(address, isRight) {
      if (!wrongOnes.peek(address).allowed) {
        const turn = lanes.turn(address);
        if (turn === undefined) return { retryAfterS: FULL_LANE_S };
        await turn;
      }
      if (isRight()) return 'right';
      wrongOnes.take(address);
      return 'wrong';
    },
  };
}

/** Compares at once, however many were wrong. */
export const NO_GUESS_LIMIT: GuessLimit = {
  judge: async (_, isRight) => (isRight() ? 'right' : 'wrong'),
};

export const tooManyGuesses = (setting: string, waitS: number): string =>
  `Too many wrong tokens from this address, and too many requests wait for their turn. Wait ${waitS} seconds, and send the value of ${setting}.`;

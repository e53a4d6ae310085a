// How well one endpoint does: moving averages of its latency and failures, and the rest it gets after a failure.

import { backoffMs } from '../../../timing/backoff.ts';

export interface Health {
  answered(latencyMs: number): void;
  /** After waiting this long for it; `restMs` is how long the endpoint itself asked for silence. */
  failed(waitedMs: number, restMs?: number): void;
  /** Smaller is better. An endpoint that rests comes behind all that do not. */
  score(): number;
  /** Its last answer was a failure. */
  isFailing(): boolean;
  isResting(): boolean;
  /** Whether it was not asked for a while, or its rest is over. A yes counts as asking it, so that the next answer is no. */
  isDueForALook(): boolean;
  latencyMs(): number | undefined;
}

export interface HealthOptions {
  readonly monotonicMs: () => number;
  /** Where it stands in the settings: who has not been asked yet is taken in that order. */
  readonly position: number;
}

/** Each new value counts this much: about the last ten matter. */
const WEIGHT = 0.2;
const REST = { firstMs: 1_000, longestMs: 60_000 };
/** One small question a minute keeps the picture of an endpoint fresh that is not needed now. */
const LOOK_EVERY_MS = 60_000;
/** An endpoint that fails every second time counts as three times as slow. */
const FAILURE_FACTOR = 4;
/** Before the first answer; later places wait a little behind earlier ones. */
const GUESSED_LATENCY_MS = 100;
/** Added to the score of one that fails: far above every latency, so that it always comes last. */
const RESTING_PENALTY = 1e9;

export function createHealth({ monotonicMs, position }: HealthOptions): Health {
  let latencyMs: number | undefined;
  let failureRate = 0;
  let failuresInARow = 0;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  let lookedAtMs = monotonicMs();
  const isResting = (): boolean => monotonicMs() < restsUntilMs;
  const learn = (tookMs: number): void => {
    latencyMs = latencyMs === undefined ? tookMs : latencyMs + WEIGHT * (tookMs - latencyMs);
  };
  return {
    answered(tookMs) {
      learn(tookMs);
      failureRate *= 1 - WEIGHT;
      failuresInARow = 0;
      restsUntilMs = Number.NEGATIVE_INFINITY;
      lookedAtMs = monotonicMs();
    },
    failed(waitedMs, restMs = 0) {
      // One that makes us wait and then fails counts as slow. One that refuses at once does not count as fast.
      if (waitedMs > (latencyMs ?? 0)) learn(waitedMs);
      failureRate += WEIGHT * (1 - failureRate);
      failuresInARow += 1;
      restsUntilMs = monotonicMs() + Math.max(backoffMs(REST, failuresInARow), restMs);
      lookedAtMs = monotonicMs();
    },
    score() {
      const speed = (latencyMs ?? GUESSED_LATENCY_MS + position) + 1;
      const health = speed * (1 + FAILURE_FACTOR * failureRate);
      // Until it has answered again it stays behind the others, also after its rest.
      return failuresInARow === 0 ? health : RESTING_PENALTY + failuresInARow * REST.longestMs + health;
    },
    isFailing: () => failuresInARow > 0,
    isResting,
    isDueForALook() {
      const isDue = failuresInARow > 0 ? !isResting() : monotonicMs() - lookedAtMs >= LOOK_EVERY_MS;
      // Marked at once, so that a hundred questions in one moment cause one look.
      if (isDue) {
        lookedAtMs = monotonicMs();
        if (failuresInARow > 0) restsUntilMs = monotonicMs() + REST.firstMs;
      }
      return isDue;
    },
    latencyMs: () => latencyMs,
  };
}

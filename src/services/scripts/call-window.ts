// So many calls a minute for each caller: the headers for the answer, or the refusal of the call that was one too many.

import { rateLimitHeaders } from '../../http/token-bucket.ts';
import { createRunWindows, WINDOW_MS } from '../../library/run-window.ts';
import { refusal } from './refusal.ts';

export interface CallWindowOptions {
  /** The policy's name in the RateLimit headers. */
  readonly policy: string;
  readonly callsPerMinute: number;
  /** Monotonic: a clock that jumps would open or shut windows. */
  readonly monotonicMs: () => number;
}

/** Throws the refusal when the subject has to wait. */
export type TakeCall = (subject: string) => Readonly<Record<string, string>>;

const WINDOW_S = WINDOW_MS / 1000;

export function createCallWindow({ policy, callsPerMinute, monotonicMs }: CallWindowOptions): TakeCall {
  const windows = createRunWindows({ nowMs: monotonicMs, runsPerWindow: callsPerMinute });
  return (subject) => {
    const { admitted, remaining, resetSeconds } = windows.take(subject);
    const result = { allowed: admitted, remaining, limit: callsPerMinute, resetSeconds };
    const headers = rateLimitHeaders({ ...result, retryAfterSeconds: resetSeconds }, policy, WINDOW_S);
    if (admitted) return headers;
    const words = `${callsPerMinute} calls a minute are allowed here; wait ${resetSeconds} s`;
    throw refusal('RATE_LIMIT', words, { headers });
  };
}

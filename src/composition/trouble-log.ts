// Trouble for the log. A venue that is away is met by everything that asks it, every few seconds and for each order: it is
// said once, without a stack, and then at growing intervals with how often it was met meanwhile. Whatever else goes wrong is
// said each time, as it was thrown.

import { errorText } from '../errors/error-text.ts';
import type { Log } from '../http/log.ts';
import { backoffMs } from '../timing/backoff.ts';
import { CLIENT_ORDER_PREFIX, VenueError } from '../trading/venue.ts';

export type LogTrouble = (level: 'warn' | 'error', what: string, error: unknown, requestId?: string) => void;

const PAUSES = { firstMs: 60_000, longestMs: 3_600_000 };
/** Not met for as long as the longest pause: the next time is news. */
const FORGOTTEN_AFTER_MS = PAUSES.longestMs;
/** Kinds are made of our own words and of those of venues; still, nothing may grow without end. */
const MAX_KINDS = 200;
const ORDER_IDS = new RegExp(`\\b${CLIENT_ORDER_PREFIX}\\w+`, 'g');

interface Met {
  readonly said: number;
  readonly saidAtMs: number;
  readonly lastAtMs: number;
  /** How often since it was said. */
  readonly unsaid: number;
}

export function createTroubleLog(log: Pick<Log, 'warn' | 'error'>, monotonicMs: () => number): LogTrouble {
  const kinds = new Map<string, Met>();
  return (level, what, error, requestId) => {
    // What a venue refuses is about one order, not about the venue.
    if (!(error instanceof VenueError) || error.failure === 'rejected') {
      log[level]({ err: error, ...(requestId !== undefined && { requestId }) }, what);
      return;
    }
    const reason = errorText(error);
    const kind = `${what}: ${reason}`.replace(ORDER_IDS, '').replace(/\d+/g, '#');
    const nowMs = monotonicMs();
    const known = kinds.get(kind);
    const before = known && nowMs - known.lastAtMs < FORGOTTEN_AFTER_MS ? known : undefined;
    if (before && nowMs - before.saidAtMs < backoffMs(PAUSES, before.said)) {
      kinds.set(kind, { ...before, lastAtMs: nowMs, unsaid: before.unsaid + 1 });
      return;
    }
    if (kinds.size >= MAX_KINDS) kinds.clear();
    kinds.set(kind, { said: (before?.said ?? 0) + 1, saidAtMs: nowMs, lastAtMs: nowMs, unsaid: 0 });
    const more = before && before.unsaid > 0 ? { timesSinceLastLine: before.unsaid } : {};
    log[level]({ reason, ...more, ...(requestId !== undefined && { requestId }) }, what);
  };
}

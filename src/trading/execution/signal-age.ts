// How long an accepted signal may wait before it is executed. What opens something late trades at a price that nobody asked
// for, so it expires after SIGNAL_MAX_AGE_S. An exit of real money that expires leaves a position that its owner believes
// closed, and it only ever gives up what is held, so it waits for its venue as long as a day.

import { isDirectClose } from '../signal.ts';
import { isKeptExit } from './kept-exit.ts';
import type { TradeRun } from './trade-run.ts';

export interface SignalAge {
  /** Older than SIGNAL_MAX_AGE_S: whatever it does now, it opens nothing. */
  isLate(run: TradeRun): boolean;
  /** In words, where it is too old to be executed at all. */
  expiryOf(run: TradeRun): string | undefined;
}

export interface SignalAgeParts {
  readonly signalMaxAgeMs: number;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** The newest trade of a backup that the journal was restored from; absent where it never was. */
  readonly restoredThroughSeq?: number | undefined;
}

const EXIT_MAX_AGE_MS = 86_400_000;
/** A wall clock that was set back puts a signal of the last process into the future: nobody knows how old it is. */
const CLOCK_TOLERANCE_MS = 1000;

export function createSignalAge(parts: SignalAgeParts): SignalAge {
  const { signalMaxAgeMs, nowMs, monotonicMs, restoredThroughSeq = 0 } = parts;
  const wallAgeMs = ({ trade }: TradeRun): number => nowMs() - trade.receivedAtMs;
  // Two clocks: the wall clock survives a restart, the other one survives somebody setting the wall clock.
  const isOlder = (run: TradeRun, maxAgeMs: number): boolean =>
    wallAgeMs(run) > maxAgeMs || (run.startedAtMs !== undefined && monotonicMs() - run.startedAtMs > maxAgeMs);
  const isLate = (run: TradeRun): boolean =>
    isOlder(run, signalMaxAgeMs) || (run.startedAtMs === undefined && wallAgeMs(run) < -CLOCK_TOLERANCE_MS);
  return {
    isLate,
    expiryOf(run) {
      // Before all others: it may have been executed after the backup was made, and nobody here knows.
      if (run.trade.seq <= restoredThroughSeq) return RESTORED;
      if (isDirectClose(run.trade)) return undefined;
      if (isKeptExit(run.trade)) return isOlder(run, EXIT_MAX_AGE_MS) ? EXIT_EXPIRED : undefined;
      return isLate(run) ? EXPIRED : undefined;
    },
  };
}

const RESTORED =
  'it was unfinished in the backup that this data folder was restored from, so it may have been executed since';
const EXPIRED = 'the signal waited longer than SIGNAL_MAX_AGE_S and was not executed late';
const EXIT_EXPIRED = 'the signal waited for more than a day and was not executed';

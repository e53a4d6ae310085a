// Shares whose stop could not be placed at the venue: since when, why, when it is tried again, and what the owner is told.
//
// Stops are placed in the lane of their market, which may be held up. So a stop that is missing is told here too, whatever keeps it away,
// and what nobody gets to try again is told on and on. A share whose older stop still stands is not without one: that its stop could not
// be moved is told as that, and it is never closed for it.

import { type ShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, toText } from '../decimal.ts';
import { LONGEST_RETRY_PAUSE_MS, retryPauseMs } from '../execution/retry-pauses.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { StopKind } from '../venue.ts';
import { describeShare } from './closings.ts';

/** An older stop for all of a share: it stands at the venue, or it stood when the venue was last heard. */
export interface OlderStop {
  readonly triggerPrice: Decimal;
  readonly isKnown: boolean;
}

export interface UnprotectedParts {
  readonly olderStop: (share: ShareName, kind: StopKind) => OlderStop | undefined;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

interface Unprotected {
  readonly share: ShareName;
  readonly kind: StopKind;
  /** Since when it is as it is: with an older stop, or without. */
  since: Date;
  sinceMs: number;
  older: OlderStop | undefined;
  tries: number;
  untilMs: number;
  reason: string;
  toldMs: number;
}

/** What is done with a share whose stop cannot be placed: it is kept, or closed when it was without one for so long. */
export type UnprotectedPositions = 'keep' | 'close';
export const CLOSE_UNPROTECTED_AFTER_MS = 60_000;
/** Longer than it takes to place or to move one where nothing is wrong, also right after a start. */
export const MISSING_AFTER_MS = 10_000;

export class UnprotectedShares {
  readonly #parts: UnprotectedParts;
  readonly #shares = new Map<string, Unprotected>();
  /** Since when shares are without a stop that is known to stand. */
  readonly #missing = new Map<string, number>();

  constructor(parts: UnprotectedParts) {
    this.#parts = parts;
  }

  /** Its stop is not at the venue, or nobody knows whether it is. */
  note(share: ShareName, kind: StopKind, reason: string): void {
    const { nowMs, monotonicMs, olderStop } = this.#parts;
    const key = keyOf(share, kind);
    const started = { share, kind, since: new Date(nowMs()), sinceMs: monotonicMs(), tries: 0, untilMs: 0 };
    const state = this.#shares.get(key) ?? { ...started, older: olderStop(share, kind), reason, toldMs: 0 };
    this.#shares.set(key, state);
    state.tries++;
    state.untilMs = monotonicMs() + retryPauseMs(state.tries);
    state.reason = reason;
    this.#hasTurned(state);
    this.#tell(state);
  }

  /** Once a second: all shares that should have a stop at the venue, and of which all or a part has none that is known to stand. */
  look(missing: readonly ShareName[]): void {
    const nowMs = this.#parts.monotonicMs();
    const shares = new Map(missing.map((share) => [keyOf(share, 'stop'), share]));
    for (const key of this.#missing.keys()) if (!shares.has(key)) this.#missing.delete(key);
    for (const [key, share] of shares) {
      const sinceMs = this.#missing.get(key) ?? nowMs;
      this.#missing.set(key, sinceMs);
      if (nowMs - sinceMs >= MISSING_AFTER_MS && !this.#shares.has(key)) this.note(share, 'stop', HELD_UP);
    }
    for (const state of this.#shares.values())
      if (this.#hasTurned(state) || nowMs - state.toldMs > LONGEST_RETRY_PAUSE_MS) this.#tell(state);
  }

  /** Whether its older stop has gone, or shows that it stands after all: from now on another thing is told, and its time begins. */
  #hasTurned(state: Unprotected): boolean {
    const { nowMs, monotonicMs, olderStop, onAlarmOver } = this.#parts;
    const older = olderStop(state.share, state.kind);
    const before = alarmOf(state);
    const hasTurned = older?.isKnown !== state.older?.isKnown;
    state.older = older;
    if (!hasTurned) return false;
    state.since = new Date(nowMs());
    state.sinceMs = monotonicMs();
    if (alarmOf(state) !== before) onAlarmOver?.(before);
    return true;
  }

  #tell(state: Unprotected): void {
    const { share, kind, older } = state;
    const words = KIND_WORDS[kind];
    const why = `since ${state.since.toISOString().slice(11, 19)} UTC: ${state.reason}`;
    const what = older?.isKnown
      ? `still has its ${words} at ${toText(older.triggerPrice)} at the venue: it could not be moved ${why}. Signalbox guards the newer level`
      : `has no ${words} at the venue ${why}. Signalbox guards it`;
    state.toldMs = this.#parts.monotonicMs();
    this.#parts.onAlarm?.(
      alarmOf(state),
      `${describeShare(share)} ${what} while it runs and the venue can be reached, and tries again`,
    );
  }

  /** Its stop is at the venue, or it needs none any more. */
  over(share: ShareName, kind: StopKind): void {
    const state = this.#shares.get(keyOf(share, kind));
    if (state === undefined) return;
    this.#shares.delete(keyOf(share, kind));
    this.#parts.onAlarmOver?.(alarmOf(state));
  }

  all(): readonly Pick<Unprotected, 'share' | 'kind'>[] {
    return [...this.#shares.values()];
  }

  /** Whether it may be tried now. */
  mayTry(share: ShareName, kind: StopKind): boolean {
    return (this.#shares.get(keyOf(share, kind))?.untilMs ?? 0) <= this.#parts.monotonicMs();
  }

  /** Whether it has been without for so long that it is closed where the owner wants that. */
  isTooLong(share: ShareName, kind: StopKind): boolean {
    const state = this.#shares.get(keyOf(share, kind));
    if (state === undefined || state.older !== undefined) return false;
    return this.#parts.monotonicMs() - state.sinceMs >= CLOSE_UNPROTECTED_AFTER_MS;
  }
}

export const KIND_WORDS: Readonly<Record<StopKind, string>> = { stop: 'stop', 'take-profit': 'take profit' };
const HELD_UP = 'none for all of it is known to stand there';
const keyOf = (share: ShareName, kind: StopKind): string => `${kind} ${shareInWords(share)}`;
const alarmOf = ({ share, kind, older }: Unprotected): string =>
  `${older?.isKnown ? 'unmoved' : 'unprotected'} ${keyOf(share, kind)}`;

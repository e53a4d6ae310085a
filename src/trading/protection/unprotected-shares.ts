// Shares whose stop could not be placed at the venue: since when, why, when it is tried again, and what the owner is told.

import { type ShareName, shareInWords } from '../books/strategy-book.ts';
import { retryPauseMs } from '../execution/retry-pauses.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { StopKind } from '../venue.ts';
import { describeShare } from './closings.ts';

export interface UnprotectedParts {
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

interface Unprotected {
  readonly share: ShareName;
  readonly kind: StopKind;
  readonly since: Date;
  readonly sinceMs: number;
  tries: number;
  untilMs: number;
}

/** What is done with a share whose stop cannot be placed: it is kept, or closed when it was without one for so long. */
export type UnprotectedPositions = 'keep' | 'close';
export const CLOSE_UNPROTECTED_AFTER_MS = 60_000;

export class UnprotectedShares {
  readonly #parts: UnprotectedParts;
  readonly #shares = new Map<string, Unprotected>();

  constructor(parts: UnprotectedParts) {
    this.#parts = parts;
  }

  /** Its stop is not at the venue, or nobody knows whether it is. */
  note(share: ShareName, kind: StopKind, reason: string): void {
    const { nowMs, monotonicMs, onAlarm } = this.#parts;
    const key = keyOf(share, kind);
    const started = { share, kind, since: new Date(nowMs()), sinceMs: monotonicMs(), tries: 0, untilMs: 0 };
    const state = this.#shares.get(key) ?? started;
    this.#shares.set(key, state);
    state.tries++;
    state.untilMs = monotonicMs() + retryPauseMs(state.tries);
    onAlarm?.(
      alarmOf(share, kind),
      `${describeShare(share)} has no ${KIND_WORDS[kind]} at the venue since ${state.since.toISOString().slice(11, 19)} UTC: ${reason}. Signalbox guards it while it runs and the venue can be reached, and tries again`,
    );
  }

  /** Its stop is at the venue, or it needs none any more. */
  over(share: ShareName, kind: StopKind): void {
    if (this.#shares.delete(keyOf(share, kind))) this.#parts.onAlarmOver?.(alarmOf(share, kind));
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
    return state !== undefined && this.#parts.monotonicMs() - state.sinceMs >= CLOSE_UNPROTECTED_AFTER_MS;
  }
}

export const KIND_WORDS: Readonly<Record<StopKind, string>> = { stop: 'stop', 'take-profit': 'take profit' };
const keyOf = (share: ShareName, kind: StopKind): string => `${kind} ${shareInWords(share)}`;
const alarmOf = (share: ShareName, kind: StopKind): string => `unprotected ${keyOf(share, kind)}`;

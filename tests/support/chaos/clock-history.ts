// By how much the clocks of the processes under load were moved, and when: whether a time that one of them wrote down can have been
// read then, and how far its clock was off.

import type { MovedClock } from '../moved-clock/index.ts';
import type { Random } from '../random.ts';

interface Span {
  readonly offMs: number;
  readonly fromMs: number;
  toMs: number;
}

/** A time as it was, and how far the clock was off that wrote it down. */
export interface ReadTime {
  readonly realMs: number;
  readonly offMs: number;
}

/** Beyond SIGNAL_MAX_AGE_S, so that signals can run out; far below the 24 h for which a key is remembered. */
const FARTHEST_JUMP_MS = 15 * 60_000;
/** Between a change of a clock and our note of it. */
const TOLERANCE_MS = 1000;

export class ClockHistory {
  /** Of each clock, from the beginning on. */
  readonly #spans = new Map<MovedClock, Span[]>();
  readonly #nowMs: () => number;

  constructor(clocks: readonly MovedClock[], nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
    for (const clock of clocks) this.#spans.set(clock, [this.#begin(0)]);
  }

  move(clock: MovedClock, offMs: number): void {
    const spans = this.#spans.get(clock) ?? [];
    const last = spans.at(-1);
    if (last?.offMs === offMs) return;
    clock.move(offMs);
    if (last !== undefined) last.toMs = this.#nowMs();
    spans.push(this.#begin(offMs));
  }

  /** Every way in which the clock of any process can have shown this time; none where none ever did. */
  readAt(shownMs: number): ReadTime[] {
    return [...this.#spans.values()].flat().flatMap(({ offMs, fromMs, toMs }) => {
      const realMs = shownMs - offMs;
      return realMs >= fromMs - TOLERANCE_MS && realMs <= toMs + TOLERANCE_MS ? [{ realMs, offMs }] : [];
    });
  }

  #begin(offMs: number): Span {
    return { offMs, fromMs: this.#nowMs(), toMs: Number.POSITIVE_INFINITY };
  }
}

/** Says what it did. */
export function jump(clocks: ClockHistory, clock: MovedClock, random: Random): string {
  const ms = random.between(-FARTHEST_JUMP_MS, FARTHEST_JUMP_MS);
  clocks.move(clock, ms);
  return `a clock is ${ms} ms off`;
}

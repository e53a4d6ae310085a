// A clock that a test moves by hand, with timers that go off by it.

import { setImmediate as turn } from 'node:timers/promises';
import type { Timers } from '../timers.ts';

/** Promises that follow from each other, and stores that take turns, are done after so many. */
const QUIET_TURNS = 6;

export interface HandClock {
  readonly nowMs: () => number;
  readonly timers: Timers;
  /** Lets everything that is under way come to rest without time passing. */
  settle(): Promise<void>;
  /** Moves on, timer by timer, each at its own moment. */
  advance(ms: number): Promise<void>;
  /** Moves at once, as a clock does that is set: timers do not notice. */
  jump(ms: number): void;
  readonly waiting: number;
}

export function createHandClock(startMs: number): HandClock {
  let elapsedMs = 0;
  let offsetMs = startMs;
  const waiting = new Set<{ readonly atMs: number; readonly work: () => void }>();
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < QUIET_TURNS; turns += 1) await turn();
  };
  const firstDue = (endMs: number) =>
    [...waiting].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];

  return {
    nowMs: () => offsetMs + elapsedMs,
    timers: {
      after(delayMs, work) {
        const timer = { atMs: elapsedMs + Math.max(0, delayMs), work };
        waiting.add(timer);
        return () => void waiting.delete(timer);
      },
    },
    settle,
    async advance(ms) {
      const endMs = elapsedMs + ms;
      await settle();
      for (let next = firstDue(endMs); next !== undefined; next = firstDue(endMs)) {
        waiting.delete(next);
        elapsedMs = Math.max(elapsedMs, next.atMs);
        next.work();
        await settle();
      }
      elapsedMs = endMs;
    },
    jump(ms) {
      offsetMs += ms;
    },
    get waiting() {
      return waiting.size;
    },
  };
}

// When protections are looked at: right after every full second, with a sweep every minute; and an alarm where prices are missing.

import type { Timers } from '../../timing/timers.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import { SECOND_MS } from './protection.ts';

export interface Watch {
  start(): void;
  /** Resolves when nothing is under way any more, or the time is up. */
  stop(timeoutMs: number): Promise<void>;
  /** What came of reading a market; undefined when it could be read. */
  noteFault(where: string, fault: unknown): void;
}

/** Looks this long after each full second, so that the last trade of that second has arrived. */
const AFTER_SECOND_MS = 10;
const SWEEP_EVERY_MS = 60_000;
/** A stream that connects again takes a while; longer than this the owner should know that stops see nothing. */
const BLIND_MS = 30_000;
const REMIND_EVERY_MS = 60_000;

export function createWatch(options: {
  /** May be called while an earlier look still waits for a slow market. */
  look: () => Promise<void>;
  sweep: () => Promise<void>;
  nowMs: () => number;
  monotonicMs: () => number;
  timers: Timers;
  onTrouble: (what: string, error: unknown) => void;
}): Watch {
  const { nowMs, monotonicMs, timers, onTrouble } = options;
  const blind = new Map<string, { readonly sinceMs: number; toldMs: number }>();
  const underWay = new WorkUnderWay();
  let cancelRound = (): void => {};
  let sweptMs = monotonicMs();
  let sweeping = false;
  let running = false;

  const track = (what: string, work: Promise<void>): void => {
    void underWay.track(work.catch((error) => onTrouble(what, error)));
  };

  const sweep = async (): Promise<void> => {
    sweptMs = monotonicMs();
    sweeping = true;
    await options.sweep().finally(() => {
      sweeping = false;
    });
  };

  /** The next round does not wait for this one: a market that hangs must not blind the others. */
  const round = (): void => {
    track('the stops could not be looked at', options.look());
    if (!sweeping && monotonicMs() - sweptMs >= SWEEP_EVERY_MS)
      track('the stops of entries could not be looked up', sweep());
    schedule();
  };

  const schedule = (): void => {
    if (running) cancelRound = timers.after(SECOND_MS - (nowMs() % SECOND_MS) + AFTER_SECOND_MS, round);
  };

  return {
    start() {
      running = true;
      schedule();
    },
    async stop(timeoutMs) {
      running = false;
      cancelRound();
      await underWay.settled(timeoutMs, timers);
    },
    noteFault(where, fault) {
      if (fault === undefined) return void blind.delete(where);
      const now = monotonicMs();
      const state = blind.get(where) ?? { sinceMs: now, toldMs: Number.NEGATIVE_INFINITY };
      blind.set(where, state);
      if (now - state.sinceMs < BLIND_MS || now - state.toldMs < REMIND_EVERY_MS) return;
      state.toldMs = now;
      onTrouble(`the stops of ${where} cannot see its prices`, fault);
    },
  };
}

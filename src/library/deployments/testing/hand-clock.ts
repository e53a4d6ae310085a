// A clock that a test turns by hand, with timers that go off on the way, in order.

import type { Timers } from '../ports.ts';

export interface HandClock extends Timers {
  /** Turns the clock on and lets everything happen that happens meanwhile. */
  advance(ms: number): Promise<void>;
  /** Sets it, as somebody who corrects the time would: timers go on as if nothing had been. */
  set(nowMs: number): void;
  /** As the end of the process: no timer goes off any more. */
  forgetTimers(): void;
}

/** Long enough for whatever waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function createHandClock(startMs: number): HandClock {
  let runningMs = 0;
  let offsetMs = startMs;
  const timers = new Map<object, { readonly dueMs: number; readonly call: () => void }>();
  return {
    nowMs: () => runningMs + offsetMs,
    after(delayMs, call) {
      const handle = {};
      timers.set(handle, { dueMs: runningMs + delayMs, call });
      return () => void timers.delete(handle);
    },
    async advance(ms) {
      const endMs = runningMs + ms;
      await settled();
      for (;;) {
        const [next] = [...timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
        if (next === undefined || next[1].dueMs > endMs) break;
        timers.delete(next[0]);
        runningMs = Math.max(runningMs, next[1].dueMs);
        next[1].call();
        await settled();
      }
      runningMs = endMs;
      await settled();
    },
    set(nowMs) {
      offsetMs = nowMs - runningMs;
    },
    forgetTimers: () => timers.clear(),
  };
}

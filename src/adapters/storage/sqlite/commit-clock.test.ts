// The commit clock: quiet, load, and a database that cannot be committed for a while.

import { beforeEach, describe, expect, test } from 'vitest';
import { createCommitClock } from './commit-clock.ts';

let now: number;
let timers: { run: () => void; atMs: number }[];
let commitsAtMs: number[];
let isOpen: boolean;
let works: boolean;
let written: () => void;
let stop: () => void;
const setTimer = (run: () => void, delayMs: number) => {
  const timer = { run, atMs: now + delayMs };
  timers.push(timer);
  return () => void timers.splice(timers.indexOf(timer), 1);
};
beforeEach(() => {
  [now, timers, commitsAtMs, isOpen, works] = [0, [], [], false, true];
  const clock = createCommitClock({
    isOpen: () => isOpen,
    commit: () => {
      commitsAtMs.push(now);
      if (works) isOpen = false;
      return works;
    },
    nowMs: () => now,
    setTimer,
  });
  stop = clock.stop;
  written = () => {
    isOpen = true;
    clock.written();
  };
});

/** Lets time pass, with a write every so often. */
function pass(ms: number, writeEveryMs = Number.POSITIVE_INFINITY): void {
  for (const end = now + ms; now < end; ) {
    now++;
    for (const timer of timers.splice(0)) timer.atMs <= now ? timer.run() : timers.push(timer);
    if (now % writeEveryMs === 0) written();
  }
}

describe('a transaction', () => {
  test('is committed ten milliseconds after the last write, and then nothing ticks any more', () => {
    written();
    pass(9);
    expect(commitsAtMs).toEqual([]);
    pass(1);
    expect(commitsAtMs).toEqual([10]);
    pass(5000);
    expect(commitsAtMs).toEqual([10]);
    expect(timers).toEqual([]);
  });

  test('under load is committed about once a second', () => {
    written();
    pass(10_000, 1);
    expect(commitsAtMs.length).toBeGreaterThanOrEqual(9);
    expect(commitsAtMs.length).toBeLessThanOrEqual(10);
  });

  test('that somebody else committed meanwhile is left alone', () => {
    written();
    isOpen = false;
    pass(100);
    expect(timers).toEqual([]);
  });

  test('that was committed with its batch needs no clock', () => {
    const clock = createCommitClock({
      isOpen: () => false,
      commit: () => true,
      nowMs: () => now,
      setTimer,
    });
    clock.written();
    expect(timers).toEqual([]);
  });

  test('is left alone after a stop', () => {
    written();
    stop();
    pass(2000);
    expect([commitsAtMs, timers]).toEqual([[], []]);
    stop();
  });

  test('that cannot be committed is tried again every second, not all the time, until it works', () => {
    works = false;
    written();
    pass(5000, 50);
    expect(commitsAtMs.length).toBeLessThanOrEqual(6);
    expect(commitsAtMs.length).toBeGreaterThanOrEqual(4);
    works = true;
    pass(1100);
    expect(isOpen).toBe(false);
  });
});

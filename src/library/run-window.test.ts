// 30 runs a minute: at the last millisecond, at the turn of the window, with a wrong clock and with a crowd.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRunWindows, RUNS_PER_WINDOW, type RunWindow, takeTurn, WINDOW_MS } from './run-window.ts';

const FULL: RunWindow = { startMs: 1_000_000, runs: RUNS_PER_WINDOW };

describe('one window', () => {
  test('opens with the first run and counts down', () => {
    expect(takeTurn(undefined, 5)).toEqual({
      admitted: true,
      window: { startMs: 5, runs: 1 },
      remaining: 29,
      resetSeconds: 60,
    });
  });

  test('lets 30 runs in and refuses the 31st, which does not count', () => {
    let window: RunWindow | undefined;
    for (let run = 1; run <= 30; run++) {
      const turn = takeTurn(window, run);
      expect(turn).toMatchObject({ admitted: true, remaining: 30 - run });
      window = turn.window;
    }
    expect(takeTurn(window, 31)).toEqual({
      admitted: false,
      window: { startMs: 1, runs: 30 },
      remaining: 0,
      resetSeconds: 60,
    });
  });

  test.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1000, 59],
    [1001, 59],
    [58_999, 2],
    [59_000, 1],
    [59_999, 1],
  ])('%i ms after it opened, a full one says to come back in %i s', (ageMs, resetSeconds) => {
    expect(takeTurn(FULL, FULL.startMs + ageMs)).toEqual({ admitted: false, window: FULL, remaining: 0, resetSeconds });
  });

  test('whoever waits as long as told is let in', () => {
    fc.assert(
      fc.property(fc.nat({ max: WINDOW_MS - 1 }), (ageMs) => {
        const nowMs = FULL.startMs + ageMs;
        expect(takeTurn(FULL, nowMs + takeTurn(FULL, nowMs).resetSeconds * 1000).admitted).toBe(true);
      }),
    );
  });

  test('ends after 60 s to the millisecond, and the next one opens with the next run', () => {
    expect(takeTurn(FULL, FULL.startMs + 59_999).admitted).toBe(false);
    expect(takeTurn(FULL, FULL.startMs + 60_000).window).toEqual({ startMs: FULL.startMs + 60_000, runs: 1 });
    expect(takeTurn(FULL, FULL.startMs + 99_999_999).window).toEqual({ startMs: FULL.startMs + 99_999_999, runs: 1 });
  });

  test('a clock set back gives no new runs, and shuts nobody out for more than a minute', () => {
    const turn = takeTurn(FULL, 500);
    expect(turn).toEqual({ admitted: false, window: { startMs: 500, runs: 30 }, remaining: 0, resetSeconds: 60 });
    expect(takeTurn(turn.window, 60_499).admitted).toBe(false);
    expect(takeTurn(turn.window, 60_500).admitted).toBe(true);
  });

  test('never lets more than 30 in between its first run and a minute later', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 4000 }), { maxLength: 200 }), (gapsMs) => {
        let window: RunWindow | undefined;
        let nowMs = 0;
        const admitted = new Map<number, number>();
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          const turn = takeTurn(window, nowMs);
          window = turn.window;
          expect(nowMs - window.startMs).toBeLessThan(WINDOW_MS);
          expect(turn.resetSeconds).toBeGreaterThanOrEqual(1);
          expect(turn.resetSeconds).toBeLessThanOrEqual(60);
          if (turn.admitted) admitted.set(window.startMs, (admitted.get(window.startMs) ?? 0) + 1);
        }
        for (const runs of admitted.values()) expect(runs).toBeLessThanOrEqual(30);
      }),
    );
  });
});

describe('the windows of many', () => {
  test('each subject has its own', () => {
    const windows = createRunWindows({ nowMs: () => 0 });
    for (let run = 0; run < 30; run++) expect(windows.take('a').admitted).toBe(true);
    expect(windows.take('a')).toEqual({ admitted: false, remaining: 0, resetSeconds: 60 });
    expect(windows.take('b')).toEqual({ admitted: true, remaining: 29, resetSeconds: 60 });
  });

  test('hold another number of calls when told so', () => {
    const windows = createRunWindows({ nowMs: () => 0, runsPerWindow: 2 });
    expect(windows.take('a')).toMatchObject({ admitted: true, remaining: 1 });
    expect(windows.take('a')).toMatchObject({ admitted: true, remaining: 0 });
    expect(windows.take('a')).toEqual({ admitted: false, remaining: 0, resetSeconds: 60 });
  });

  test('are bounded: ended ones go first, else the one nearest its end', () => {
    let nowMs = 0;
    const windows = createRunWindows({ nowMs: () => nowMs, maxWindows: 2 });
    const fill = (subject: string): void => {
      while (windows.take(subject).admitted);
    };
    fill('a');
    nowMs = 1;
    fill('b');
    windows.take('c');
    expect(windows.take('b').admitted).toBe(false);
    expect(windows.take('a')).toMatchObject({ admitted: true, remaining: 29 });
  });

  test('nobody gives way to one who has a window already, even when the clock is set back', () => {
    let nowMs = 100;
    const windows = createRunWindows({ nowMs: () => nowMs, maxWindows: 2 });
    while (windows.take('a').admitted);
    windows.take('b');
    nowMs = 50;
    windows.take('b');
    expect(windows.take('a').admitted).toBe(false);
  });

  test('a subject whose window was renewed is not the first to give way', () => {
    let nowMs = 0;
    const windows = createRunWindows({ nowMs: () => nowMs, maxWindows: 2 });
    windows.take('a');
    nowMs = 30_000;
    windows.take('b');
    nowMs = 60_000;
    while (windows.take('a').admitted);
    windows.take('c');
    expect(windows.take('a').admitted).toBe(false);
  });
});

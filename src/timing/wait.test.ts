// Waiting: as long as was said, or until the signal.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { backgroundTimers, foregroundTimers, LONGEST_DELAY_MS } from './timers.ts';
import { wait } from './wait.ts';

const timers = foregroundTimers;
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('ends after its time and not before', async () => {
  const ended = vi.fn();
  const waiting = wait(50, { timers }).then(ended);
  await vi.advanceTimersByTimeAsync(49);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
});

it('ends at once with the signal, and takes its timer back', async () => {
  const stop = new AbortController();
  const waiting = wait(50, { stop: stop.signal, timers });
  stop.abort();
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

it('does not begin after the signal', async () => {
  await wait(50, { stop: AbortSignal.abort(), timers });
  expect(vi.getTimerCount()).toBe(0);
});

it('does not listen to the signal any more when it is over', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const waiting = wait(50, { stop: signal, timers });
  await vi.advanceTimersByTimeAsync(50);
  await waiting;
  expect(removed).toHaveBeenCalledOnce();
});

it.each([foregroundTimers, backgroundTimers])('does not take a very long time for none', async (each) => {
  const ended = vi.fn();
  each.after(LONGEST_DELAY_MS + 1, ended);
  each.after(Number.POSITIVE_INFINITY, ended);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).not.toHaveBeenCalled();
});

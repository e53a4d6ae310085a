// Waiting for work within a limit: what the caller gets when the work, the time or a signal comes first.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { foregroundTimers } from './timers.ts';
import { untilAborted, withTimeout } from './with-timeout.ts';

const NEVER = new Promise<never>(() => {});
const LIMIT_MS = 100;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('withTimeout', () => {
  it('gives what the work gives, and takes its timer back', async () => {
    await expect(withTimeout(Promise.resolve('done'), LIMIT_MS, () => 'late', foregroundTimers)).resolves.toBe('done');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives undefined when that is what the work gives', async () => {
    await expect(
      withTimeout(Promise.resolve(undefined), LIMIT_MS, () => 'late', foregroundTimers),
    ).resolves.toBeUndefined();
  });

  it('fails as the work fails, and takes its timer back', async () => {
    await expect(
      withTimeout(Promise.reject(new Error('broken')), LIMIT_MS, () => 'late', foregroundTimers),
    ).rejects.toThrow('broken');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives what is meant for lateness at the limit, and not a millisecond before', async () => {
    const settled = vi.fn();
    const waiting = withTimeout(NEVER, LIMIT_MS, () => 'late', foregroundTimers).then(settled);
    await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(settled).toHaveBeenCalledWith('late');
  });

  it('fails with what is thrown for lateness', async () => {
    const noAnswer = (): never => {
      throw new Error('no answer');
    };
    const waiting = withTimeout(NEVER, LIMIT_MS, noAnswer, foregroundTimers);
    const failed = expect(waiting).rejects.toThrow('no answer');
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    await failed;
  });

  it('leaves no unhandled rejection when late work fails after all', async () => {
    const work = Promise.withResolvers<string>();
    const waiting = withTimeout(work.promise, LIMIT_MS, () => 'late', foregroundTimers);
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    work.reject(new Error('too late to matter'));
    await expect(waiting).resolves.toBe('late');
  });
});

describe('untilAborted', () => {
  it('gives what the work gives, or fails as it fails', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  });

  it('fails with the reason of the signal, before the work and after it began', async () => {
    const reason = new Error('enough');
    await expect(untilAborted(NEVER, AbortSignal.abort(reason))).rejects.toBe(reason);
    const ending = new AbortController();
    const waiting = untilAborted(NEVER, ending.signal);
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('listens to the signal no longer than the work takes', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    await untilAborted(Promise.resolve(), signal);
    await vi.advanceTimersByTimeAsync(0);
    expect(removed).toHaveBeenCalledOnce();
  });
});

// Durable steps: tried until they are on disk, and given up only at a stop.

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { FencedError, StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { createHandClock, type HandClock } from '../../timing/testing/hand-clock.ts';
import type { Timers } from '../../timing/timers.ts';
import { turn } from '../testing/hurry.ts';
import { untilDurable } from './persistence.ts';

let clock: HandClock;
let timers: Timers;
beforeEach(() => {
  clock = createHandClock(0);
  timers = clock.timers;
});

/** A step that fails this many times first. */
function failing(times: number) {
  const step = { calls: 0, run: async (): Promise<string> => '' };
  step.run = async () => {
    if (++step.calls <= times) throw new Error(`disk full ${step.calls}`);
    return 'stored';
  };
  return step;
}

describe('until durable', () => {
  test('asks once when all is well', async () => {
    const step = failing(0);
    const onFailure = vi.fn();
    expect(await untilDurable(step.run, { stop: new AbortController().signal, timers, onFailure })).toBe('stored');
    expect(step.calls).toBe(1);
    expect(onFailure).not.toHaveBeenCalled();
  });

  test('does not try again where another process has taken over', async () => {
    const step = vi.fn(async () => {
      throw new FencedError('another process has taken over');
    });
    const onFailure = vi.fn();
    const tried = untilDurable(step, { stop: new AbortController().signal, timers, onFailure });
    await expect(tried).rejects.toBeInstanceOf(FencedError);
    expect(step).toHaveBeenCalledTimes(1);
    expect(onFailure).not.toHaveBeenCalled();
  });

  test('takes a step that throws at once like one that fails later', async () => {
    let calls = 0;
    const step = (): Promise<string> => {
      if (++calls === 1) throw new Error('disk full');
      return Promise.resolve('stored');
    };
    const onFailure = vi.fn();
    const stored = untilDurable(step, { stop: new AbortController().signal, timers, onFailure });
    await clock.advance(1000);
    expect(await stored).toBe('stored');
    expect(onFailure).toHaveBeenCalledTimes(1);
  });

  test('says of each later try that the step may be there already, once a try has ended unclear', async () => {
    const failures = [new StorageError('disk full'), new UnknownOutcomeError('cut off'), new StorageError('away')];
    const told: boolean[] = [];
    const step = async (mayHold: boolean): Promise<string> => {
      told.push(mayHold);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return 'stored';
    };
    const stored = untilDurable(step, { stop: new AbortController().signal, timers, onFailure: () => undefined });
    await clock.advance(1000);
    expect(await stored).toBe('stored');
    expect(told).toEqual([false, false, true, true]);
  });

  test('tries again with growing pauses, tells each failure, and ends with success', async () => {
    const step = failing(9);
    const failures: number[] = [];
    const stop = new AbortController().signal;
    const work = untilDurable(step.run, { stop, timers, onFailure: (_, attempt) => failures.push(attempt) });
    const calls: number[] = [];
    for (const pauseMs of [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]) {
      await clock.advance(pauseMs - 1);
      calls.push(step.calls);
      await clock.advance(1);
    }
    expect(calls).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await work).toBe('stored');
    expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('gives up at a stop with the last error, without sitting out its pause', async () => {
    const step = failing(100);
    const stop = new AbortController();
    const work = untilDurable(step.run, { stop: stop.signal, timers, onFailure: () => undefined });
    const outcome = expect(work).rejects.toThrow('disk full');
    await turn();
    stop.abort();
    await outcome;
    expect(step.calls).toBe(2);
  });

  test('after a stop tries once', async () => {
    const good = untilDurable(failing(0).run, { stop: AbortSignal.abort(), timers, onFailure: () => undefined });
    await expect(good).resolves.toBe('stored');
    const step = failing(1);
    await expect(
      untilDurable(step.run, { stop: AbortSignal.abort(), timers, onFailure: () => undefined }),
    ).rejects.toThrow();
    expect(step.calls).toBe(1);
  });
});

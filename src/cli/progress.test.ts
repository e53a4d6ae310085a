// The progress of a run: nothing at first, then a bar, and a clean line at the end.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressLine, startProgress } from './progress.ts';

describe('the line', () => {
  it.each([
    [0, 500_000, 1200, 'Running 1 s'],
    [250_000, 500_000, 2400, `Running ${'█'.repeat(12)}${'░'.repeat(12)} 50%, 250,000 of 500,000 bars, 2 s`],
    [499_999, 500_000, 0, `Running ${'█'.repeat(23)}░ 99%, 499,999 of 500,000 bars, 0 s`],
    [500_000, 500_000, 0, `Running ${'█'.repeat(24)} 100%, 500,000 of 500,000 bars, 0 s`],
    [600_000, 500_000, 0, `Running ${'█'.repeat(24)} 100%, 500,000 of 500,000 bars, 0 s`],
  ])('%i of %i after %i ms', (done, bars, elapsedMs, expected) => {
    expect(progressLine(done, bars, elapsedMs)).toBe(expected);
  });
});

describe('on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('a quick run shows nothing', () => {
    const written: string[] = [];
    const progress = startProgress({ write: (text) => void written.push(text) }, 10);
    vi.advanceTimersByTime(400);
    progress.stop();
    vi.advanceTimersByTime(5000);
    expect(written).toEqual([]);
  });

  it('a long run shows the counter as it moves, and wipes its line', () => {
    const written: string[] = [];
    const progress = startProgress({ write: (text) => void written.push(text) }, 10);
    vi.advanceTimersByTime(600);
    Atomics.store(progress.counter, 0, 5);
    vi.advanceTimersByTime(100);
    expect(written.at(-1)).toContain('50%, 5 of 10 bars');
    progress.stop();
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('is silent where nobody looks', () => {
    const progress = startProgress(undefined, 10);
    vi.advanceTimersByTime(5000);
    progress.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

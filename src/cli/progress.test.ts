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
    expect(progressLine(done, bars, elapsedMs, 80)).toBe(expected);
  });
});

it.each([
  [60, 'Running 50%, 250,000 of 500,000 bars, 2 s'],
  [66, 'Running 50%, 250,000 of 500,000 bars, 2 s'],
  [67, `Running ${'█'.repeat(12)}${'░'.repeat(12)} 50%, 250,000 of 500,000 bars, 2 s`],
  [42, 'Running 50%, 250,000 of 500,000 bars, 2 s'],
  [41, 'Running 50%, 2 s'],
  [17, 'Running 50%, 2 s'],
  [16, '50%'],
  [1, '50%'],
])('a terminal of %i columns gets a line that fits', (columns, expected) => {
  expect(progressLine(250_000, 500_000, 2400, columns)).toBe(expected);
});

/** A screen that remembers what was written and who wants to know of Ctrl-C. */
function fakeScreen() {
  const written: string[] = [];
  const works = new Set<() => void>();
  return {
    written,
    works,
    columns: 80,
    write: (text: string) => void written.push(text),
    onInterrupt(work: () => void) {
      works.add(work);
      return () => void works.delete(work);
    },
  };
}

describe('on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('a quick run shows nothing', () => {
    const screen = fakeScreen();
    const { written } = screen;
    const progress = startProgress(screen, 10);
    vi.advanceTimersByTime(400);
    progress.stop();
    vi.advanceTimersByTime(5000);
    expect(written).toEqual([]);
  });

  it('a long run shows the counter as it moves, and wipes its line', () => {
    const screen = fakeScreen();
    const { written } = screen;
    const progress = startProgress(screen, 10);
    vi.advanceTimersByTime(600);
    Atomics.store(progress.counter, 0, 5);
    vi.advanceTimersByTime(100);
    expect(written.at(-1)).toContain('50%, 5 of 10 bars');
    progress.stop();
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('wipes its line also before Ctrl-C ends it, but not when it is over', () => {
    const screen = fakeScreen();
    const progress = startProgress(screen, 10);
    vi.advanceTimersByTime(600);
    expect(screen.written.at(-1)).toContain('Running');
    for (const work of screen.works) work();
    expect(screen.written.at(-1)).toBe('\r\u001b[2K');
    progress.stop();
    expect(screen.works.size).toBe(0);
  });

  it('is silent where nobody looks', () => {
    const progress = startProgress(undefined, 10);
    vi.advanceTimersByTime(5000);
    progress.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

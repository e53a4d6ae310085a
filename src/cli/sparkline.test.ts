// Curves in one line, at every width and for every kind of values.

import { describe, expect, it } from 'vitest';
import { sparkline, sparklineOverTime } from './sparkline.ts';

describe('a sparkline', () => {
  it('has the lowest and the highest block for the lowest and the highest value', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([7, 0], 8)).toBe('█▁');
  });

  it('is never wider than it may be, and ends with the last value', () => {
    const values = Array.from({ length: 1000 }, (_, index) => index);
    for (const width of [1, 2, 7, 999]) expect([...sparkline(values, width)]).toHaveLength(width);
    expect(sparkline([...values, -1], 10).at(-1)).toBe('▁');
  });

  it('of equal values is flat, and of none is empty', () => {
    expect(sparkline([5, 5, 5], 8)).toBe('▁▁▁');
    expect(sparkline([], 8)).toBe('');
    expect(sparkline([Number.NaN], 8)).toBe('');
    expect(sparkline([1], 0)).toBe('');
  });

  it('holds the largest numbers', () => {
    expect(sparkline([-Number.MAX_VALUE, 0, Number.MAX_VALUE], 3)).toBe('▁▅█');
  });
});

describe('a sparkline over time', () => {
  const points = (...pairs: readonly (readonly [timeMs: number, value: number])[]) =>
    pairs.map(([timeMs, value]) => ({ timeMs, value }));

  it('gives every stretch of time the same room, however many points are in it', () => {
    // A year of nothing, then a day of ten trades.
    const flat = [
      [0, 0],
      [900, 0],
    ] as const;
    const busy = Array.from({ length: 10 }, (_, i) => [910 + i * 10, 7] as const);
    expect(sparklineOverTime(points(...flat, ...busy), 10)).toBe('▁▁▁▁▁▁▁▁▁█');
  });

  it('holds a value until the next one, and ends with the last', () => {
    expect(sparklineOverTime(points([0, 7], [50, 0], [100, 7]), 4)).toBe('█▁▁█');
    expect(sparklineOverTime(points([0, 0], [1, 7]), 3)).toBe('▁▁█');
    for (const width of [1, 2, 7, 97])
      expect([...sparklineOverTime(points([0, 0], [3, 1], [9, 2]), width)]).toHaveLength(width);
  });

  it('of one moment is one letter, and of none empty', () => {
    expect(sparklineOverTime(points([5, 1]), 8)).toBe('▁');
    expect(sparklineOverTime([], 8)).toBe('');
    expect(sparklineOverTime(points([0, 1], [1, 2]), 0)).toBe('');
  });
});

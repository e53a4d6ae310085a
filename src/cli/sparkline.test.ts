// Curves in one line, at every width and for every kind of values.

import { describe, expect, it } from 'vitest';
import { sparkline } from './sparkline.ts';

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

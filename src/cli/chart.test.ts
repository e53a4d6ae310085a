// The terminal chart: what is drawn where, the labels, and that no series breaks it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawChart, label } from './chart.ts';

const draw = (values: number[], width = 4, height = 2) => drawChart(Float64Array.from(values), { width, height });

describe('a chart', () => {
  it('rises with its values, the highest and lowest at the left', () => {
    expect(draw([0, 1, 2, 3, 4, 5, 6, 7])).toEqual(['7 │  ⣠⠞', '0 │⣠⠞⠁']);
  });

  it('of one value is a line through the middle', () => {
    expect(draw([5, 5, 5, 5, 5, 5, 5, 5])).toEqual(['  │', '5 │⠉⠉⠉⠉']);
  });

  it('has gaps where the series is na', () => {
    const na = Number.NaN;
    expect(draw([1, 1, na, na, na, na, 1, 1])?.[1]).toBe('1 │⠉  ⠉');
  });

  it('keeps a spike among many bars', () => {
    const values = new Array(10_000).fill(0);
    values[5000] = 100;
    expect(draw(values, 10, 4)?.[0]).toMatch(/^100 │ {5}⢸|^100 │ {5}⡇/);
  });

  it('of nothing is nothing', () => {
    expect(draw([])).toBeUndefined();
    expect(draw([Number.NaN, Number.POSITIVE_INFINITY])).toBeUndefined();
  });

  it('keeps its size, whatever the values', () => {
    const value = fc.oneof(fc.double(), fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 0, -0));
    const size = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), size, size, (values, width, height) => {
        const lines = draw(values, width, height);
        if (lines === undefined) return;
        expect(lines).toHaveLength(height);
        for (const line of lines) expect(line.slice(line.indexOf('│') + 1).length).toBeLessThanOrEqual(width);
        expect(lines.join('')).toMatch(/[\u2801-\u28ff]/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('labels', () => {
  it.each([
    [68_000.123456789, '68000.123'],
    [0.00001234, '0.00001234'],
    [0.1 + 0.2, '0.3'],
    [123_456_789.25, '123456789.25'],
    [1e15, '1.0000e+15'],
    [1e-9, '1.0000e-9'],
    [0, '0'],
    [-0, '0'],
    [Number.NaN, 'na'],
  ])('%d is %s', (value, text) => {
    expect(label(value)).toBe(text);
  });
});

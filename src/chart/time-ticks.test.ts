// Tests of the labels below a chart.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { skia } from './skia.ts';
import { spanText, timeTicks } from './time-ticks.ts';

// With which fonts words are measured is said once for a thread.
beforeAll(() => void skia());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2024, 0, 1);

const times = (count: number, stepMs: number, start = START) =>
  Float64Array.from({ length: count }, (_, i) => start + i * stepMs);
const textsOf = (count: number, stepMs: number, pxPerBar: number, start = START) =>
  timeTicks(times(count, stepMs, start), count, pxPerBar).map(({ text }) => text);

describe('labels of time', () => {
  it('are minutes and hours on a chart of minutes', () => {
    expect(textsOf(60, MINUTE, 12)).toEqual([
      '00:05',
      '00:10',
      '00:15',
      '00:20',
      '00:25',
      '00:30',
      '00:35',
      '00:40',
      '00:45',
      '00:50',
      '00:55',
    ]);
  });

  it('are days among hours on a chart of hours', () => {
    expect(textsOf(60, HOUR, 12)).toContain('2 Jan');
    expect(textsOf(60, HOUR, 12)).toContain('12:00');
  });

  it('are months and years on a chart of days and weeks', () => {
    expect(textsOf(500, DAY, 1.5)).toEqual(['Mar', 'May', 'Jul', 'Sep', 'Nov', '2025', 'Mar', 'May']);
    expect(textsOf(500, 7 * DAY, 1.5)).toContain('2030');
  });

  it('stand at the bar that begins the period, also after a gap', () => {
    const time = Float64Array.of(...times(40, HOUR), ...times(40, HOUR, START + 5 * DAY + 9.5 * HOUR));
    const ticks = timeTicks(time, time.length, 10);
    expect(ticks.find(({ index }) => index === 40)?.text).toBe('6 Jan');
  });

  it('are there for a single bar, and not for none', () => {
    expect(textsOf(1, DAY, 40)).toHaveLength(1);
    expect(textsOf(0, DAY, 40)).toEqual([]);
  });

  it('never come closer than their width, whatever the times are', () => {
    const anyTimes = fc.array(
      fc.oneof(fc.double(), fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(Number.NaN, 1e300, -1e15)),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(anyTimes, fc.double({ min: 0.02, max: 40, noNaN: true }), (values, pxPerBar) => {
        const ticks = timeTicks(Float64Array.from(values), values.length, pxPerBar);
        for (const [i, { index, text }] of ticks.entries()) {
          expect(text).not.toMatch(/NaN|undefined|Invalid/);
          if (i > 0) expect((index - ticks[i - 1]!.index) * pxPerBar).toBeGreaterThanOrEqual(35);
        }
      }),
    );
  });
});

describe('the span of a chart', () => {
  it('has hours while it is short, and says that it is UTC', () => {
    expect(spanText(times(2, HOUR), 2)).toBe('2024-01-01 00:00 to 2024-01-01 01:00 UTC');
    expect(spanText(times(100, DAY), 100)).toBe('2024-01-01 to 2024-04-09 UTC');
    expect(spanText(times(1, DAY), 1)).toBe('2024-01-01 00:00 UTC');
  });

  it('is empty where there are no dates', () => {
    expect(spanText(times(0, DAY), 0)).toBe('');
    expect(spanText(Float64Array.of(Number.NaN), 1)).toBe('');
  });
});

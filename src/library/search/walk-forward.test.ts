// The windows of a walk-forward: they follow each other without a gap, and nothing out of sample was ever in sample before.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowCount, windowsOf } from './walk-forward.ts';

const range = { fromMs: 100, toMs: 130 };
const walk = (inSampleMs: number, outOfSampleMs: number, isAnchored = false) => ({
  inSampleMs,
  outOfSampleMs,
  isAnchored,
});
const shown = (isAnchored: boolean) =>
  windowsOf(range, walk(10, 8, isAnchored)).map(({ inSample, outOfSample }) => [
    [inSample.fromMs, inSample.toMs],
    [outOfSample.fromMs, outOfSample.toMs],
  ]);

describe('windows', () => {
  it('roll on by what is out of sample, the last one as long as there are bars', () => {
    expect(shown(false)).toEqual([
      [
        [100, 110],
        [110, 118],
      ],
      [
        [108, 118],
        [118, 126],
      ],
      [
        [116, 126],
        [126, 130],
      ],
    ]);
  });

  it('grow from the first bar where they are anchored', () => {
    expect(shown(true).map(([inSample]) => inSample)).toEqual([
      [100, 110],
      [100, 118],
      [100, 126],
    ]);
  });

  it.each([
    [30, 1, 0],
    [29, 1, 1],
    [20, 10, 1],
    [19, 10, 2],
    [31, 5, 0],
  ])('in sample for %i and out of it for %i, there are %i', (inside, outside, count) => {
    expect(windowCount(range, walk(inside, outside))).toBe(count);
  });

  it('cover everything behind the first in-sample once, whatever their lengths', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (inside, outside, isAnchored) => {
          const windows = windowsOf(range, walk(inside, outside, isAnchored));
          let endMs = range.fromMs + inside;
          for (const { inSample, outOfSample } of windows) {
            expect(inSample.toMs).toBe(outOfSample.fromMs);
            expect(outOfSample.fromMs).toBe(endMs);
            expect(outOfSample.toMs).toBeGreaterThan(outOfSample.fromMs);
            endMs = outOfSample.toMs;
          }
          if (windows.length > 0) expect(endMs).toBe(range.toMs);
        },
      ),
    );
  });
});

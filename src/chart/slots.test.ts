// Tests of the places along the chart, and of the strips it is made of.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf } from './layout.ts';
import { Slots, shown } from './slots.ts';

const NA = Number.NaN;

describe('slots', () => {
  it('are one per bar while there is a pixel for each, and one per pixel beyond', () => {
    expect(Slots.all(700, 0, 0, 700).count).toBe(700);
    expect(Slots.all(701, 0, 0, 700).count).toBe(700);
    expect(Slots.all(50_000, 0, 0, 700).count).toBe(700);
    expect(Slots.all(0, 0, 0, 700).count).toBe(0);
  });

  it('stand inside the pane, in order, and every bar is in exactly one of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: -10, max: 500 }),
        fc.integer({ min: 40, max: 1200 }),
        (bars, future, width) => {
          const slots = Slots.all(bars, future, 0, width);
          const all = Array.from({ length: slots.count }, (_, slot) => slot);
          expect(all.filter((slot) => slots.first(slot) >= slots.first(slot + 1))).toEqual([]);
          expect(all.filter((slot) => !(slots.x(slot) > 0 && slots.x(slot) < width))).toEqual([]);
          if (slots.count > 0) expect([slots.first(0), slots.first(slots.count)]).toEqual([0, slots.bars]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('of a few bars stand in the middle and are not as wide as the chart', () => {
    const slots = Slots.all(1, 0, 0, 700);
    expect([slots.x(0), slots.spacing]).toEqual([350, 40]);
  });

  it('keep the first, lowest, highest and last number of their bars', () => {
    const slots = Slots.all(8, 0, 0, 2);
    const column = Float64Array.of(NA, 3, 1, NA, 5, 9, 7, 8);
    expect([...slots.firsts(column)]).toEqual([3, 5]);
    expect([...slots.lows(column)]).toEqual([1, 5]);
    expect([...slots.highs(column)]).toEqual([3, 9]);
    expect([...slots.lasts(column)]).toEqual([1, 8]);
    expect([...slots.farthest(column, 8)]).toEqual([1, 5]);
  });

  it('have nothing where there are no numbers, or no bars', () => {
    const slots = Slots.all(4, 0, 0, 2);
    expect([...slots.highs(Float64Array.of(NA, NA, 1))]).toEqual([NA, 1]);
    expect([...slots.lasts(Float64Array.of())]).toEqual([NA, NA]);
  });
});

describe('a shown column', () => {
  it('is moved by its offset and cut to its last values', () => {
    const column = Float64Array.of(1, 2, 3);
    expect(shown(column, 3, 0, Number.POSITIVE_INFINITY)).toBe(column);
    expect([...shown(column, 5, 2, Number.POSITIVE_INFINITY)]).toEqual([NA, NA, 1, 2, 3]);
    expect([...shown(column, 3, -1, 2)]).toEqual([2, 3, NA]);
    expect([...shown(column, 3, 99, 0)]).toEqual([NA, NA, NA]);
  });
});

describe('the layout', () => {
  it('fills the height without gaps or overlaps at every size, and leaves the bars the most', () => {
    for (let height = 48; height <= 600; height += 1)
      for (const volume of [true, false])
        for (const below of [true, false]) {
          const layout = layoutOf(height, { volume, below });
          const strips = [layout.head, layout.price, layout.volume, layout.below, layout.timeAxis].filter(
            (strip) => strip !== null,
          );
          expect([strips[0]!.top, strips.at(-1)!.bottom]).toEqual([0, height]);
          for (let i = 1; i < strips.length; i += 1) expect(strips[i]!.top).toBe(strips[i - 1]!.bottom);
          const highest = strips.toSorted((a, b) => b.bottom - b.top - (a.bottom - a.top))[0];
          expect(highest).toBe(layout.price);
          expect(layout.below === null).toBe(!below);
        }
  });

  it('leaves out head, axis and volume where there is no room', () => {
    expect(layoutOf(48, { volume: true, below: false })).toMatchObject({ head: null, volume: null, timeAxis: null });
    expect(layoutOf(400, { volume: true, below: true })).not.toMatchObject({ head: null });
  });
});

describe('the bars in view of a chart that is moved', () => {
  const view = { bars: 1000, from: 400, to: 500, xOfFirst: -4000, pxPerBar: 10 };

  it('stand where they would among all bars, and only they are looked at', () => {
    const slots = Slots.inView(view);
    expect([slots.count, slots.first(0), slots.first(slots.count)]).toEqual([100, 400, 500]);
    expect([slots.x(0), slots.xOfBar(400), slots.xOfBar(0), slots.barAt(4)]).toEqual([0, 0, -4000, 400]);
    const column = Float64Array.from({ length: 1000 }, (_, i) => i);
    expect(slots.lasts(column)[7]).toBe(407);
  });

  it('share slots of a pixel where they are closer', () => {
    const slots = Slots.inView({ ...view, from: 0, to: 1000, pxPerBar: 0.25, xOfFirst: 0 });
    expect([slots.count, slots.isCrowded, slots.first(1)]).toEqual([250, true, 4]);
  });

  it('are none where the chart was moved beyond them', () => {
    expect(Slots.inView({ ...view, from: 1200, to: 1300 }).count).toBe(0);
    expect(Slots.inView({ ...view, from: -300, to: -100 }).count).toBe(0);
  });
});

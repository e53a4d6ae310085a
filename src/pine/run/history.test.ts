// Earlier values of series that are not reached on every bar.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal, NumberArray } from '../values/index.ts';
import { barBack, CollectionRing, ItemRing, LONGEST_HISTORY, NumberRing, ringSize, settleAll } from './history.ts';

describe('a bar back', () => {
  it.each([
    [10, 0, 10],
    [10, 10, 0],
    [10, 11, -1],
    [10, Number.NaN, 10],
    [20_000, LONGEST_HISTORY, 10_000],
  ])('from %i by %d is %i', (bar, offset, expected) => {
    expect(barBack(bar, offset)).toBe(expected);
  });

  it('refuses what lies ahead and what lies too far back', () => {
    expect(() => barBack(10, -1)).toThrow('too far from the current bar (-1 bars back)');
    expect(() => barBack(20_000, LONGEST_HISTORY + 1)).toThrow('must be between 0 and 10000');
  });
});

describe('a ring', () => {
  it('has a place for the present, every earlier value it is asked for, and one that a tick may spoil', () => {
    expect([ringSize(0), ringSize(1), ringSize(2), ringSize(3), ringSize(14), ringSize(15)]).toEqual([
      2, 4, 4, 8, 16, 32,
    ]);
    expect(ringSize('any')).toBe(16_384);
  });

  it('keeps a value through the bars that pass it over, and the last one of a bar counts', () => {
    const ring = new NumberRing(ringSize(6));
    expect(ring.put(3, 1)).toBe(1);
    expect(ring.back(1)).toBeNaN();
    ring.put(7, 2);
    ring.put(7, 3);
    ring.put(9, 4);
    const values = [0, 1, 2, 3, 6].map((offset) => ring.back(offset));
    expect(values).toEqual([4, 3, 3, 1, 1]);
    expect([ring.at(0), ring.at(2), ring.at(6), ring.at(7)]).toEqual([4, 3, 1, Number.NaN]);
  });

  it('keeps a value through more bars than it has places', () => {
    const ring = new ItemRing(ringSize(1), null);
    ring.put(0, 'a');
    ring.put(1000, 'b');
    expect([ring.back(0), ring.back(1)]).toEqual(['b', 'a']);
  });

  it('gives back what it holds before there is anything', () => {
    const ring = new ItemRing(ringSize(1), false);
    ring.put(0, true);
    expect([ring.back(0), ring.back(1)]).toEqual([true, false]);
  });

  it('goes back to the last closed bar, whatever ticks came after it', () => {
    const step = fc.record({
      skip: fc.integer({ min: 1, max: 3 }),
      ticks: fc.array(fc.integer(), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 5 }), (steps, depth) => {
        const ring = new NumberRing(ringSize(depth));
        const closed: number[] = [];
        let bar = -1;
        for (const { skip, ticks } of steps) {
          bar += skip;
          ring.save();
          for (const value of ticks) {
            ring.restore();
            ring.put(bar, value);
          }
          for (let passed = 1; passed < skip; passed += 1) closed.unshift(closed[0] ?? Number.NaN);
          closed.unshift(ticks.at(-1)!);
          for (let back = 0; back <= depth; back += 1) expect(ring.back(back)).toBe(closed[back] ?? Number.NaN);
        }
      }),
    );
  });
});

describe('a ring of collections', () => {
  it('holds the array itself during a bar, and what was in it once the bar has ended', () => {
    const array = NumberArray.of(new Journal(), [1]);
    const ring = new CollectionRing(4, null);
    const reached: CollectionRing[] = [];
    ring.put(0, array, reached);
    expect(ring.back(0)).toBe(array);
    array.push(2);
    ring.put(0, array, reached);
    expect(reached).toEqual([ring]);
    settleAll(reached);
    expect(reached).toEqual([]);
    array.push(3);
    ring.put(3, array, reached);
    const sizes = [0, 1, 2, 3].map((offset) => (ring.back(offset) as NumberArray).size());
    expect(sizes).toEqual([3, 2, 2, 2]);
  });

  it('goes back to the end of the last bar with everything else', () => {
    const array = NumberArray.of(new Journal(), [1]);
    const ring = new CollectionRing(4, null);
    const reached: CollectionRing[] = [];
    ring.put(0, array, reached);
    settleAll(reached);
    ring.save();
    for (const size of [2, 3]) {
      array.push(size);
      ring.put(1, array, reached);
      expect((ring.back(1) as NumberArray).size()).toBe(1);
      settleAll(reached);
      ring.restore();
    }
  });
});

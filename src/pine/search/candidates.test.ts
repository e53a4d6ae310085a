// The combinations of a search: all of them in one order, or a sample that its seed decides.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, candidateCount, candidateInputs, candidatesOf, gridSize, MAX_SEED } from './candidates.ts';

const axis = (title: string, count: number) => ({ title, values: Array.from({ length: count }, (_, i) => i * 10) });
const AXES = [axis('a', 2), axis('b', 3)];
const random = (samples: number, seed: number) => ({ kind: 'random', samples, seed }) as const;
const keyOf = (candidate: Candidate): string => candidate.join();

describe('a grid', () => {
  it('is every combination, the last axis turning fastest', () => {
    expect(candidatesOf(AXES, { kind: 'grid' }).map(keyOf)).toEqual(['0,0', '0,1', '0,2', '1,0', '1,1', '1,2']);
    expect(candidateCount(AXES, { kind: 'grid' })).toBe(6);
  });

  it('of no axis is the one run without any', () => {
    expect(candidatesOf([], { kind: 'grid' })).toEqual([[]]);
    expect(gridSize([])).toBe(1);
  });

  it('gives each candidate its values by title', () => {
    expect(candidateInputs(AXES, [1, 2])).toEqual({ a: 10, b: 20 });
  });
});

describe('a sample', () => {
  it('is the same for the same seed, in the order of the grid, and never has one twice', () => {
    const axes = [axis('a', 7), axis('b', 5), axis('c', 4)];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 139 }), fc.integer({ min: 0, max: MAX_SEED }), (samples, seed) => {
        const drawn = candidatesOf(axes, random(samples, seed)).map(keyOf);
        expect(drawn).toEqual(candidatesOf(axes, random(samples, seed)).map(keyOf));
        expect(new Set(drawn).size).toBe(drawn.length);
        expect(drawn.length).toBeLessThanOrEqual(samples);
        const order = candidatesOf(axes, { kind: 'grid' }).map(keyOf);
        expect(drawn).toEqual(order.filter((key) => drawn.includes(key)));
      }),
      { numRuns: 50 },
    );
  });

  it('is the grid where it asks for all of it or more', () => {
    for (const samples of [6, 7]) expect(candidatesOf(AXES, random(samples, 1))).toHaveLength(6);
    expect(candidatesOf(AXES, random(5, 1))).toHaveLength(5);
    expect(candidateCount(AXES, random(5, 1))).toBe(5);
    expect(candidateCount(AXES, random(7, 1))).toBe(6);
  });

  it('of a grid that no memory holds is drawn all the same', () => {
    const huge = Array.from({ length: 12 }, (_, i) => axis(String(i), 1000));
    expect(candidatesOf(huge, random(100, 5))).toHaveLength(100);
  });

  it('draws every value of an axis about as often', () => {
    const counts = [0, 0, 0, 0];
    for (const [place] of candidatesOf([axis('a', 4), axis('b', 1000)], random(2000, 9))) counts[place!]! += 1;
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(80);
  });
});

// Near names: how far two words are apart, and which known name a misspelt one most likely means.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from './did-you-mean.ts';
import { nearestName } from './index.ts';

describe('did you mean', () => {
  const known = ['sma', 'ema', 'wma', 'crossover', 'crossunder', 'highest', 'highestbars', 'close', 'plotshape'];

  it.each([
    ['smaa', 'sma'],
    ['crosover', 'crossover'],
    ['corssover', 'crossover'],
    ['Close', 'close'],
    ['hihgest', 'highest'],
    ['plotshap', 'plotshape'],
    ['xyz', null],
    ['s', null],
    ['', null],
    ['x'.repeat(100), null],
  ])('%j: %s', (wrong, expected) => {
    expect(nearestName(wrong, known)).toBe(expected);
  });

  it('prefers the same first letter, then the alphabet', () => {
    expect(nearestName('ama', ['zma', 'ema'])).toBe('ema');
    expect(nearestName('emb', ['amb', 'ema'])).toBe('ema');
  });

  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
    ['abcdef', 'uvwxyz', 4],
  ])('from %j to %j there are %i steps', (from, to, steps) => {
    expect(editDistance(from, to, 3)).toBe(steps);
    expect(editDistance(to, from, 3)).toBe(steps);
  });
});

describe('typing mistakes', () => {
  it.each([
    ['length', 'length', 0],
    ['lenght', 'length', 1],
    ['lngth', 'length', 1],
    ['lengthh', 'length', 1],
    ['lemgth', 'length', 1],
    ['', 'abc', 3],
    ['abc', 'xyz', 3],
  ])('from %j to %j are %i', (a, b, expected) => {
    expect(editDistance(a, b, 5)).toBe(expected);
  });

  it('are the same both ways, none for equal words, and never above the limit plus one', () => {
    const word = fc.string({ maxLength: 10 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 5 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(editDistance(b, a, limit));
        expect(editDistance(a, a, limit)).toBe(0);
        expect(editDistance(a, b, limit)).toBeLessThanOrEqual(limit + 1);
        if (a !== b) expect(editDistance(a, b, limit)).toBeGreaterThan(0);
      }),
    );
  });

  it('lead to the nearest word, the first of several, or none', () => {
    expect(nearestName('colour', ['title', 'color'])).toBe('color');
    expect(nearestName('Close', ['open', 'close'])).toBe('close');
    expect(nearestName('ab', ['xy'])).toBeNull();
    expect(nearestName('cat', ['bat', 'rat'])).toBe('bat');
    expect(nearestName('', [])).toBeNull();
  });
});

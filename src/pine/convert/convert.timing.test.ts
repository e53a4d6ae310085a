// Converting costs in proportion to the length of a script, whatever has to be changed in it.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { convert } from './index.ts';

test.each([
  'plot(sma(close, 5), color=red, transp=50)',
  'x@ = nz(x@[1]) + iff(close > open, 1, 2)',
  'a@ = nz(b@[1])\nb@ = a@ + 1',
  'i@ = input(@, "t", integer, 1, 100000)',
])('a script of thousands of %j', (line) => {
  const work = (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => line.replaceAll('@', String(n)));
    const source = ['//@version=2', 'study("x")', ...lines].join('\n');
    return () => convert(source);
  };
  expect(growthOf(work, 2000)).toBeLessThan(MOST_GROWTH);
});

// Reading costs in proportion to the length, whatever a script is made of: no look ahead is without a limit.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { parse } from './index.ts';

test.each(['a<', 'once a,', '// x\n', '/*\n', 'f(a,\n', '[', 'array<array<', "'''a", 'if a\n'])(
  '300,000 characters of %j',
  (piece) => {
    const work = (size: number) => {
      const source = `//@version=6\n${piece.repeat(size / piece.length)}`;
      return () => parse(source);
    };
    expect(growthOf(work, 300_000)).toBeLessThan(MOST_GROWTH);
  },
);

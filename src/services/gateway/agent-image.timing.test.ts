// Images out of Base64: the largest that is nearly one costs in proportion to its length.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { readImage } from './agent-image.ts';

const MIB = 1024 * 1024;

test.each([
  ['Base64 with a wrong end', (size: number) => `${'A'.repeat(size)}!`],
  ['a data address without an end', (size: number) => `data:${'a;'.repeat(size / 2)}`],
  ['blanks', (size: number) => ' '.repeat(size)],
])('%s', (_, textOf) => {
  const work = (size: number) => {
    const text = textOf(size);
    return () => readImage(text);
  };
  expect(growthOf(work, 8 * MIB)).toBeLessThan(MOST_GROWTH);
});

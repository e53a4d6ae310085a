// Striking secrets out of a stranger's body costs in proportion to its length, whatever it is made of.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../tests/support/growth.ts';
import { createSecretStriker } from './strike-secrets.ts';

const PIECES = [' ', '\t', '\n', ' \n', 'key ', 'key=', 'key :', '"token" ', '\\u0020', 'whk_', 'a', '"apiKey"', '\0'];

test.each(PIECES)('behind a telling name, in a body of %j', (piece) => {
  const striker = createSecretStriker(['a-known-secret']);
  const work = (size: number) => {
    // No more than 8 KiB is ever read of a body.
    const body = Buffer.from(`key${piece.repeat(Math.floor((size - 3) / piece.length))}`);
    return () => striker.body(body);
  };
  expect(growthOf(work, 8000)).toBeLessThan(MOST_GROWTH);
});

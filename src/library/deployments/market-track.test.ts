// How long after its moment a fill may still open something.

import { expect, test } from 'vitest';
import { entryGraceMs } from './market-track.ts';

test('the grace is half of a bar, at least ten seconds, at most a minute', () => {
  const graces = [1000, 20_000, 20_002, 60_000, 120_000, 120_002, 86_400_000].map(entryGraceMs);
  expect(graces).toEqual([10_000, 10_000, 10_001, 30_000, 60_000, 60_000, 60_000]);
});

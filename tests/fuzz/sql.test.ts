// Random SQL to the guard of POST /query, with other statements in every run; tests/query has those of one seed.

import { expect, test } from 'vitest';
import { expectNoFaults } from './short-run.ts';

test('no statement reads what is hidden or writes what it must not, and the two walls agree', async () => {
  const { ends } = await expectNoFaults('sql', 2000);
  expect(ends).toMatchObject({ passed: expect.any(Number), refused: expect.any(Number) });
});

// Random requests, broken HTTP and random frames to the door of a process that stands by.

import { expect, test } from 'vitest';
import { expectNoFaults } from './short-run.ts';

test('a process that stands by passes on what it gets, each request once, in its order and as it came', async () => {
  const { ends } = await expectNoFaults('standby', 1500);
  const some = expect.any(Number);
  expect(ends).toMatchObject({ 101: some, 200: some, 400: some, 'in order 200': some, 'in order 503': some });
});

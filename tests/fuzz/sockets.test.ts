// Random requests, broken HTTP and random frames to the real program.

import { expect, test } from 'vitest';
import { expectNoFaults } from './short-run.ts';

test('the program outlives requests to both of its processes and bytes that are almost HTTP', async () => {
  const { ends } = await expectNoFaults('socket', 500);
  expect(ends).toMatchObject({ 200: expect.any(Number), 'raw 400': expect.any(Number) });
});

test('the program outlives frames of every kind, and serves a good client all the time', async () => {
  const { ends } = await expectNoFaults('ws', 1000);
  expect(ends).toMatchObject({ 101: expect.any(Number) });
});

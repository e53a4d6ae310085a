// Random requests to every endpoint of the gateway, without a socket.

import { expect, test } from 'vitest';
import { expectNoFaults } from './short-run.ts';

test('no request makes the gateway fail, say what openapi.json does not know, or trade without a word', async () => {
  const { ends } = await expectNoFaults('http', 2000);
  // Some get through, and some do not: a fuzzer whose every request ends at the first gate would prove nothing.
  expect(ends).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number), 422: expect.any(Number) });
});

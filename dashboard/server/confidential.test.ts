// From which pages a secret may be sent.

import { expect, test } from 'vitest';
import { isConfidential } from './confidential.ts';

test.each([
  ['https://trade.example.com', true],
  ['http://127.0.0.1:8787', true],
  ['http://localhost:8787', true],
  ['http://[::1]:8787', true],
  ['http://192.168.1.5:8787', false],
  ['http://trade.example.com', false],
  ['http://localhost.example.com', false],
])('%s: %s', (address, may) => {
  expect(isConfidential(new URL(address))).toBe(may);
});

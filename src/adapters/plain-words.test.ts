// What others say is one short line, and holds neither addresses nor what looks like a secret.

import { expect, test } from 'vitest';
import { plainWords } from './plain-words.ts';

const SIGNATURE = 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71';

test.each([
  ['Margin is insufficient.', 'Margin is insufficient.'],
  [' two\r\nlines\tand\u0007 a\u202e bell ', 'two lines and a bell'],
  [`see https://api.venue.test/order?signature=${SIGNATURE} now`, 'see … now'],
  ['wss://stream.venue.test/ws/name', '…'],
  [`signature=${SIGNATURE}`, '…'],
  [`not ${SIGNATURE}, nor "${'aB3/+'.repeat(17)}=="`, 'not …, nor "…"'],
  [`sign=${'aB3%2F%2B'.repeat(12)}%3D%3D`, '…'],
  // Ids stay: they are what their reader looks for.
  [
    'order sbx01i0000000e008000000000003o, 1321052b-1c3f-4d5a-9e0d-7a3b9f6f1c2d',
    'order sbx01i0000000e008000000000003o, 1321052b-1c3f-4d5a-9e0d-7a3b9f6f1c2d',
  ],
  ['\n', ''],
])('%j becomes %j', (text, expected) => {
  expect(plainWords(text)).toBe(expected);
});

test('it is no longer than anybody reads, and no letter is cut in two', () => {
  expect(plainWords('no '.repeat(1000))).toHaveLength(300);
  expect(plainWords(`x${'🙂'.repeat(1000)}`).isWellFormed()).toBe(true);
});

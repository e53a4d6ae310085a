// Words for whatever was thrown.

import { expect, it } from 'vitest';
import { errorText } from './error-text.ts';

it.each([
  [new TypeError('not a number'), 'not a number'],
  ['plain text', 'plain text'],
  [undefined, 'undefined'],
  [{ code: 7 }, '[object Object]'],
])('%o reads %j', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});

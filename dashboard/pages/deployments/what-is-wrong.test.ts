// What the list says is wrong with a deployment: why it does not run must not hide that its books differ.

import { expect, test } from 'vitest';
import { whatIsWrong } from './what-is-wrong.ts';

test.each([
  [null, null, ''],
  ['Paused by the operator.', null, 'Paused by the operator.'],
  [null, 'The script is long 1.', 'The script is long 1.'],
  ['Paused by the operator.', 'The script was long 1.', 'Paused by the operator. The script was long 1.'],
])('%j and %j', (lastError, drift, words) => {
  expect(whatIsWrong({ lastError, drift })).toBe(words);
});

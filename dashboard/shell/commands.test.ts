// How typed letters find what somebody means.

import { expect, test } from 'vitest';
import { type Command, distanceOf, fitting } from './commands.ts';

test.each([
  ['Trades & orders', '', 0],
  ['Trades & orders', 'tra', 0],
  ['Trades & orders', 'ord', 1],
  ['Trades & orders', 'ades', 2],
  ['Trades & orders', 'tdo', 3],
  ['Trades & orders', 'x', undefined],
  ['Trades & orders', ' TRADES ', 0],
])('%s for %j is at %s', (title, typed, distance) => {
  expect(distanceOf(title, typed)).toBe(distance);
});

test('the best come first, equal ones as they were, and not more than asked for', () => {
  const commands = ['Stop trading', 'Trades', 'Trailing', 'Wallet'].map(
    (title): Command => ({ title, kind: 'page', run() {} }),
  );
  const titles = (typed: string, most = 9) => fitting(commands, typed, most).map(({ title }) => title);
  expect(titles('tra')).toEqual(['Trades', 'Trailing', 'Stop trading']);
  expect(titles('tra', 1)).toEqual(['Trades']);
  expect(titles('')).toEqual(['Stop trading', 'Trades', 'Trailing', 'Wallet']);
});

// What a script calls itself, by its text alone.

import { expect, test } from 'vitest';
import { titleOf } from './script-text.ts';

test.each([
  ['indicator("EMA cross", overlay = true)', 'EMA cross'],
  ["strategy(title = 'Trend')", 'Trend'],
  ['study("Old")', 'Old'],
  ['indicator("half', undefined],
  ['plot(close)', undefined],
])('%s', (source, title) => {
  expect(titleOf(`//@version=6\n${source}\n`)).toBe(title);
});

// Checking costs in proportion to the length of a script, and a text full of mistakes no more than a good one.

import { expect, it } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { parse } from '../syntax/index.ts';
import { check } from './index.ts';
import { scriptOf } from './testing/checked.ts';

const checking = (lineOf: (n: number) => string) => (count: number) => {
  const { script } = parse(scriptOf(Array.from({ length: count }, (_, n) => lineOf(n)).join('\n')));
  return () => check(script, { version: 6 });
};

it('a script of thousands of lines, each of which leans on the one before', () => {
  const lineOf = (n: number) => `v${n} = ta.sma(close, ${n + 1}) + ${n === 0 ? 'open' : `v${n - 1}`}`;
  expect(growthOf(checking(lineOf), 2000)).toBeLessThan(MOST_GROWTH);
});

it('a text of thousands of mistakes: beyond the list nothing is thought up', () => {
  const lineOf = (n: number) => `nothing${n} + f${n}() + ta.smaa${n}`;
  expect(growthOf(checking(lineOf), 4000)).toBeLessThan(MOST_GROWTH);
});

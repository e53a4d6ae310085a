// Strategies whose trades were exported from TradingView's tester, run as a user would: every trade of every case is met.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { StrategyTruth } from './testing/strategy-truth.ts';

const truth = new StrategyTruth(fileURLToPath(new URL('../../tests/pine/strategies/', import.meta.url)));

test('there are the five cases', () => {
  expect(truth.names()).toHaveLength(5);
});

test.each(truth.names())('%s', (name) => {
  const { wanted, made, matched, faults } = truth.score(name);
  expect(faults).toEqual([]);
  expect(matched).toBe(wanted);
  expect(made).toBe(wanted);
});

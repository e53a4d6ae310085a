// The pause after failures: doubling, its limit, and its part of chance.

import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const BACKOFF = { firstMs: 100, longestMs: 1000 };

it.each([
  [1, 100],
  [2, 200],
  [4, 800],
  [5, 1000],
  [50, 1000],
  [5000, 1000],
])('after %d failures in a row is %d ms', (failures, pauseMs) => {
  expect(backoffMs(BACKOFF, failures)).toBe(pauseMs);
});

it('is drawn from the upper half of its length', () => {
  expect(backoffMs(BACKOFF, 2, () => 0)).toBe(100);
  expect(backoffMs(BACKOFF, 2, () => 0.5)).toBe(150);
  expect(backoffMs(BACKOFF, 5000, () => 1)).toBe(1000);
});

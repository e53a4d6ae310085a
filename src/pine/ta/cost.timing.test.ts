// The cost of a bar does not grow with the length: two hundred thousand bars with a long window in under a second.

import { expect, test } from 'vitest';
import { quickestMs } from '../../../tests/support/quickest.ts';
import { TA_KERNELS } from './index.ts';
import { longChart, timeKernel } from './testing/long-chart.ts';

const BARS = 200_000;
/** A kernel that looked at its whole window would touch two thousand million values. */
const LONG = 10_000;
/**
 * A bell curve has no shorter sum, the mean distance from a mean changes for every value of the window on every bar, and
 * a rank for all that lie between what comes and what leaves: these look at many values, and the length is the longest
 * that scripts use.
 */
const LOOK_AT_MANY = ['ta.alma', 'ta.cci', 'ta.dev', 'ta.rci'];
const LONG_ENOUGH = 1000;
const LIMIT_MS = 1000;

const chart = longChart(BARS);

test.each(Object.keys(TA_KERNELS))('%s takes under a second', (name) => {
  const length = LOOK_AT_MANY.includes(name) ? LONG_ENOUGH : LONG;
  expect(quickestMs(() => timeKernel(name, chart, length, () => 0), LIMIT_MS)).toBeLessThan(LIMIT_MS);
});

// The largest falls and rises of an account, worked out by hand.

import { describe, expect, it } from 'vitest';
import { swingsOf } from './swings.ts';

describe('the swings of an account', () => {
  it('are measured from the highest and the lowest so far, money and percent apart', () => {
    // Highs: 1000, 1000, 1000, 3000, 3000. The fall of 600 is the largest, that of 50 % the deepest.
    expect(swingsOf(1000, [500, 1000, 3000, 2400])).toEqual({
      maxDrawdown: 600,
      maxDrawdownPercent: 50,
      maxRunup: 2500,
      maxRunupPercent: (2500 / 3000) * 100,
    });
  });

  it('begin with the capital', () => {
    expect(swingsOf(1000, [900])).toMatchObject({ maxDrawdown: 100, maxDrawdownPercent: 10, maxRunup: 0 });
    expect(swingsOf(1000, [1250])).toMatchObject({ maxDrawdown: 0, maxRunup: 250, maxRunupPercent: 20 });
    expect(swingsOf(1000, [])).toEqual({ maxDrawdown: 0, maxDrawdownPercent: 0, maxRunup: 0, maxRunupPercent: 0 });
  });

  it('may lose more than there was', () => {
    expect(swingsOf(1000, [-500])).toMatchObject({ maxDrawdown: 1500, maxDrawdownPercent: 150, maxRunupPercent: 0 });
  });
});

// Sums over trades one after another, worked out by hand.

import { describe, expect, it } from 'vitest';
import { runningProfits } from './running-profit.ts';
import { trade } from './testing/trades.ts';

describe('the running profit', () => {
  it('is the sum of profits where one trade follows the other', () => {
    const trades = [5, -3, 2].map((profit, i) => trade({ profit, bars: [2 * i, 2 * i + 1], commission: 2 }));
    expect(runningProfits(trades, 'percent')).toEqual([5, 2, 4]);
  });

  it('has paid the entries that are still open', () => {
    // Three entries are closed together, each paid 1 to get in and 1 to get out.
    const trades = [-3, -4, -5].map((profit, i) => trade({ profit, bars: [i, 9], commission: 2 }));
    expect(runningProfits(trades, 'cash_per_contract')).toEqual([-5, -8, -12]);
  });

  it('has all of the fees of a trade that is open at the end', () => {
    const trades = [trade({ profit: 5, bars: [0, 9] }), trade({ profit: 1, bars: [3, 0], exit: null, commission: 2 })];
    expect(runningProfits(trades, 'percent')).toEqual([3, 6]);
  });

  it('does not count an entry on the bar of the exit, which comes after it in a reversal', () => {
    const trades = [trade({ profit: 5, bars: [0, 4] }), trade({ profit: 1, bars: [4, 6], commission: 2 })];
    expect(runningProfits(trades, 'percent')).toEqual([5, 6]);
  });

  it('counts a trade that ends on its first bar once', () => {
    const trades = [trade({ profit: 5, bars: [4, 4], commission: 2 }), trade({ profit: 1, bars: [6, 7] })];
    expect(runningProfits(trades, 'percent')).toEqual([5, 6]);
  });
});

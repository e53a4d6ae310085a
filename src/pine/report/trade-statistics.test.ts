// Every figure of a list of trades, worked out by hand.

import { describe, expect, it } from 'vitest';
import { trade } from './testing/trades.ts';
import { tradeStatistics } from './trade-statistics.ts';

const YEAR_MS = 365 * 86_400_000;
const context = { initialCapital: 1000, rangeMs: YEAR_MS, maxContractsHeld: 7 };

/** Two wins (+100, +50), two losses (-30, -20), one even; and one that is open with +5. */
const TRADES = [
  trade({ profit: 100, percent: 4, bars: [0, 9], commission: 2 }),
  trade({ profit: -30, percent: -6, bars: [10, 11], commission: 1 }),
  trade({ profit: -20, percent: -8, bars: [12, 12], commission: 1 }),
  trade({ profit: 0, percent: 0, bars: [13, 14], commission: 1 }),
  trade({ profit: 50, percent: 10, bars: [20, 23], commission: 1, exitId: 'Margin call' }),
  trade({ profit: 5, percent: 1, bars: [30, 0], exit: null, commission: 0.5 }),
];

describe('the figures of a list of trades', () => {
  it('are these, worked out by hand', () => {
    const found = tradeStatistics(TRADES, context);
    expect(found).toEqual({
      netProfit: 100,
      netProfitPercent: 10,
      grossProfit: 150,
      grossProfitPercent: 15,
      grossLoss: 50,
      grossLossPercent: 5,
      commissionPaid: 6.5,
      profitFactor: 3,
      expectancy: 20,
      cagr: expect.closeTo(10, 9),
      openProfit: 5,
      openProfitPercent: 0.5,
      openTrades: 1,
      totalTrades: 5,
      winningTrades: 2,
      losingTrades: 2,
      evenTrades: 1,
      percentProfitable: 40,
      avgTrade: 20,
      avgTradePercent: 0,
      avgWinningTrade: 75,
      avgWinningTradePercent: 7,
      avgLosingTrade: 25,
      avgLosingTradePercent: 7,
      ratioAvgWinLoss: 3,
      largestWinningTrade: 100,
      largestWinningTradePercent: 10,
      largestLosingTrade: 30,
      largestLosingTradePercent: 8,
      // 10, 2, 1, 2 and 4 bars.
      avgBarsInTrades: 3.8,
      avgBarsInWinningTrades: 7,
      avgBarsInLosingTrades: 1.5,
      maxConsecutiveWins: 1,
      maxConsecutiveLosses: 2,
      maxContractsHeld: 7,
      marginCalls: 1,
    });
  });

  it('are undefined where there is nothing to divide by', () => {
    const found = tradeStatistics([], context);
    const undefinedOnes = Object.entries(found).filter(([, value]) => Number.isNaN(value));
    expect(undefinedOnes.map(([name]) => name)).toEqual([
      ...['profitFactor', 'expectancy', 'percentProfitable', 'avgTrade', 'avgTradePercent'],
      ...['avgWinningTrade', 'avgWinningTradePercent', 'avgLosingTrade', 'avgLosingTradePercent', 'ratioAvgWinLoss'],
      ...['largestWinningTrade', 'largestWinningTradePercent', 'largestLosingTrade', 'largestLosingTradePercent'],
      ...['avgBarsInTrades', 'avgBarsInWinningTrades', 'avgBarsInLosingTrades'],
    ]);
    expect(found).toMatchObject({ netProfit: 0, grossLoss: 0, cagr: 0, totalTrades: 0, maxConsecutiveWins: 0 });
  });

  it('have no profit factor without a loss, and one of 0 without a win', () => {
    expect(tradeStatistics([trade({ profit: 5 })], context).profitFactor).toBeNaN();
    expect(tradeStatistics([trade({ profit: -5 })], context).profitFactor).toBe(0);
  });

  it('take an even trade as the end of a streak', () => {
    const of = (...profits: number[]) =>
      tradeStatistics(
        profits.map((profit) => trade({ profit })),
        context,
      );
    expect(of(1, 1, 0, 1)).toMatchObject({ maxConsecutiveWins: 2, maxConsecutiveLosses: 0 });
    expect(of(-1, 0, -1)).toMatchObject({ maxConsecutiveWins: 0, maxConsecutiveLosses: 1 });
  });

  it('spread the growth over years of 365 days, and have none where all is lost or no time passed', () => {
    const grown = (profit: number, rangeMs: number) =>
      tradeStatistics([trade({ profit })], { ...context, rangeMs }).cagr;
    expect(grown(210, 2 * YEAR_MS)).toBeCloseTo(10, 9);
    expect(grown(100, YEAR_MS / 2)).toBeCloseTo(21, 9);
    expect(grown(-1000, YEAR_MS)).toBeNaN();
    expect(grown(100, 0)).toBeNaN();
    expect(grown(100, Number.NaN)).toBeNaN();
  });
});

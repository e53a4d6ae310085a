// Monthly returns and the ratios over them, worked out by hand.

import { describe, expect, it } from 'vitest';
import { monthlyReturns, ratiosOf } from './period-returns.ts';
import { trade } from './testing/trades.ts';

const range = (from: string, to: string) => ({
  initialCapital: 1000,
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
});
const closed = (...exits: readonly (readonly [exit: string, profit: number])[]) =>
  exits.map(([exit, profit]) => trade({ exit, profit }));
const monthOf = (startMs: number) => new Date(startMs).toISOString().slice(0, 7);

describe('monthly returns', () => {
  it('are of what was realized at the start of each month, in UTC, months without trades included', () => {
    const trades = [
      ...closed(['2024-01-31T23:59:59.999Z', 100], ['2024-02-01T00:00:00Z', -110], ['2024-02-15', 220]),
      ...closed(['2024-04-30T12:00:00Z', 121]),
      trade({ profit: 999, exit: null }),
    ];
    const found = monthlyReturns(trades, range('2024-01-10', '2024-04-30T12:00:00Z'));
    expect(found.map(({ startMs, profit, returnPercent }) => [monthOf(startMs), profit, returnPercent])).toEqual([
      ['2024-01', 100, 10],
      ['2024-02', 110, 10],
      ['2024-03', 0, 0],
      ['2024-04', 121, 10],
    ]);
  });

  it('go over the end of a year', () => {
    const found = monthlyReturns([], range('2023-12-31', '2024-01-01'));
    expect(found.map(({ startMs }) => monthOf(startMs))).toEqual(['2023-12', '2024-01']);
  });

  it('are none without bars, and undefined when nothing is left', () => {
    expect(monthlyReturns([], { initialCapital: 1000, fromMs: Number.NaN, toMs: Number.NaN })).toEqual([]);
    const lost = monthlyReturns(closed(['2024-01-05', -1000]), range('2024-01-01', '2024-02-01'));
    expect(lost.map(({ returnPercent }) => returnPercent)).toEqual([-100, Number.NaN]);
  });
});

describe('Sharpe and Sortino', () => {
  // Returns of 10, -10 and 6 percent of 1000, 1100 and 990.
  const trades = closed(['2024-01-05', 100], ['2024-02-05', -110], ['2024-03-05', 59.4]);
  const year = range('2024-01-01', '2024-03-31');

  it('take the mean above a twelfth of the risk-free rate, by the deviation of the population, not of a year', () => {
    const { sharpe, sortino } = ratiosOf(trades, year, 12);
    // Mean 2, risk-free 1: excess 1. Deviations 8, -12, 4: the root of (64 + 144 + 16) / 3. Below 1 only -11: the root of 121 / 3.
    expect(sharpe).toBeCloseTo(1 / Math.sqrt(224 / 3), 12);
    expect(sortino).toBeCloseTo(1 / Math.sqrt(121 / 3), 12);
  });

  it('follow the rate that the strategy declares', () => {
    expect(ratiosOf(trades, year, 0).sharpe).toBeCloseTo(2 / Math.sqrt(224 / 3), 12);
    expect(ratiosOf(trades, year, 24).sharpe).toBeCloseTo(0, 12);
  });

  it('are of days where the range touches fewer than three months', () => {
    const days = closed(['2024-01-01', 10], ['2024-01-02T23:00:00Z', -10.1], ['2024-01-03', 9.999]);
    const { sharpe } = ratiosOf(days, range('2024-01-01', '2024-01-03T23:00:00Z'), 36.5);
    // 1, -1 and 1 percent: mean a third, risk-free a tenth.
    expect(sharpe).toBeCloseTo((1 / 3 - 0.1) / Math.sqrt(8 / 9), 9);
  });

  it('are undefined for fewer than three days, and where the returns do not differ', () => {
    expect(ratiosOf(trades, range('2024-01-01', '2024-01-02'), 2)).toEqual({ sharpe: Number.NaN, sortino: Number.NaN });
    const even = ratiosOf([], range('2024-01-01', '2024-12-31'), 2);
    expect(even.sharpe).toBeNaN();
    expect(even.sortino).toBeCloseTo(-1, 12);
    expect(ratiosOf([], range('2024-01-01', '2024-12-31'), 0).sortino).toBeNaN();
  });
});

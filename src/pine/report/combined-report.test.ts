// Several backtests as one: trades in a row, one equity curve, and the figures of both.

import { describe, expect, it } from 'vitest';
import { type BarColumns, barColumns, compile, strategyReport } from '../index.ts';
import { combineReports, WINDOW_END } from './combined-report.ts';
import type { StrategyReport } from './strategy-report.ts';

const HOUR_MS = 3_600_000;
/** Opens at 100, 101, …; falls by two on every fifth bar. */
const bars = barColumns(
  Array.from({ length: 60 }, (_, i) => {
    const open = 100 + i - 3 * Math.floor(i / 5);
    const close = i % 5 === 4 ? open - 2 : open + 1;
    return { time: i * HOUR_MS, open, high: Math.max(open, close), low: Math.min(open, close), close, volume: 1 };
  }),
);
const SOURCE = `//@version=6
strategy("S", initial_capital = 1000)
if bar_index % 4 == 0
    strategy.entry("L", strategy.long, 1)
if bar_index % 4 == 2
    strategy.close("L")`;
const { program } = compile(SOURCE);

function reportOf(from: number, to: number): StrategyReport {
  const cut: BarColumns = { ...bars, count: to };
  return strategyReport(program!.run(cut, { tradeFromMs: from * HOUR_MS }), cut)!;
}

describe('several reports', () => {
  const parts = [reportOf(0, 20), reportOf(20, 42), reportOf(42, 60)];
  const { trades, equity, figures } = combineReports(parts);

  it('have all their trades, those that the end cut off closed there', () => {
    expect(trades).toHaveLength(parts.reduce((sum, part) => sum + part.trades.length, 0));
    const cut = trades.filter(({ exit }) => exit?.id === WINDOW_END);
    expect(cut).toHaveLength(parts.filter((part) => part.all.openTrades > 0).length);
    expect(cut.map(({ exit }) => exit?.bar)).toContain(41);
    expect(figures.total_trades).toBe(trades.length);
  });

  it('make together what each makes, open trades included', () => {
    const made = parts.reduce((sum, { account, initialCapital }) => sum + account.finalEquity - initialCapital, 0);
    expect(figures.total_profit).toBeCloseTo(made, 9);
    expect(figures.net_profit).toBeCloseTo(made, 9);
    expect(equity.at(-1)?.equity).toBeCloseTo(1000 + made, 9);
  });

  it('have one curve without a jump, and its deepest fall', () => {
    expect(equity.every(({ timeMs }, index) => index === 0 || timeMs > equity[index - 1]!.timeMs)).toBe(true);
    let [highest, deepest] = [1000, 0];
    for (const point of equity) {
      highest = Math.max(highest, point.equity);
      deepest = Math.max(deepest, highest - point.equity);
      expect(point.drawdown).toBeCloseTo(highest - point.equity, 9);
    }
    expect(figures.max_drawdown).toBeCloseTo(deepest, 9);
  });

  it('of one alone are that one', () => {
    const alone = reportOf(0, 60);
    const { figures: same } = combineReports([alone]);
    expect(same.total_profit).toBeCloseTo(alone.account.finalEquity - 1000, 9);
    expect(same.buy_and_hold_percent).toBeCloseTo(alone.account.buyAndHoldPercent, 9);
    expect(same.sharpe_ratio).toBeCloseTo(alone.account.ratios.sharpe, 9);
  });

  it('of nothing are none', () => {
    expect(() => combineReports([])).toThrow('nothing to combine');
  });
});

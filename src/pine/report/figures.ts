// The figures of a backtest that a search compares and ranks by, as one list of numbers: of thousands of runs nothing else is kept.

import type { AccountStatistics } from './account-statistics.ts';
import type { TradeStatistics } from './trade-statistics.ts';

/** In the names of the summary of POST /backtest/quick, and two that are worked out here. */
export const FIGURE_NAMES = [
  'net_profit',
  'net_profit_percent',
  'total_profit',
  'profit_factor',
  'sharpe_ratio',
  'sortino_ratio',
  'max_drawdown',
  'max_drawdown_percent',
  'return_over_drawdown',
  'percent_profitable',
  'total_trades',
  'avg_trade',
  'avg_trade_percent',
  'expectancy',
  'cagr',
  'gross_profit',
  'gross_loss',
  'commission_paid',
  'avg_bars_in_trades',
  'max_consecutive_losses',
  'margin_calls',
  'buy_and_hold_percent',
  'outperformance_percent',
  'final_equity',
] as const;

export type FigureName = (typeof FIGURE_NAMES)[number];
export type Figures = Readonly<Record<FigureName, number>>;

export function figuresOf(
  all: TradeStatistics,
  { finalEquity, intrabar, ratios, buyAndHoldPercent }: AccountStatistics,
  initialCapital: number,
): Figures {
  const { maxDrawdown, maxDrawdownPercent } = intrabar;
  return {
    net_profit: all.netProfit,
    net_profit_percent: all.netProfitPercent,
    // With what is still open at the last close.
    total_profit: finalEquity - initialCapital,
    profit_factor: all.profitFactor,
    sharpe_ratio: ratios.sharpe,
    sortino_ratio: ratios.sortino,
    max_drawdown: maxDrawdown,
    max_drawdown_percent: maxDrawdownPercent,
    return_over_drawdown: maxDrawdown > 0 ? all.netProfit / maxDrawdown : Number.NaN,
    percent_profitable: all.percentProfitable,
    total_trades: all.totalTrades,
    avg_trade: all.avgTrade,
    avg_trade_percent: all.avgTradePercent,
    expectancy: all.expectancy,
    cagr: all.cagr,
    gross_profit: all.grossProfit,
    gross_loss: all.grossLoss,
    commission_paid: all.commissionPaid,
    avg_bars_in_trades: all.avgBarsInTrades,
    max_consecutive_losses: all.maxConsecutiveLosses,
    margin_calls: all.marginCalls,
    buy_and_hold_percent: buyAndHoldPercent,
    outperformance_percent: all.netProfitPercent - buyAndHoldPercent,
    final_equity: finalEquity,
  };
}

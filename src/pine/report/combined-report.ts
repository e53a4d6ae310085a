// Several backtests of one strategy one after another as one: their trades, one equity curve, and the figures of both.

import { type EquityPoint, thinned } from './equity-points.ts';
import { type Figures, figuresOf } from './figures.ts';
import { ratiosOf } from './period-returns.ts';
import type { StrategyReport } from './strategy-report.ts';
import { swingsOf } from './swings.ts';
import type { ReportTrade } from './trade-list.ts';
import { tradeStatistics } from './trade-statistics.ts';

export interface CombinedReport {
  /** Those that were open at the end of a backtest end there, at its last close and without a fee. */
  readonly trades: readonly ReportTrade[];
  readonly equity: readonly EquityPoint[];
  readonly figures: Figures;
}

/** What stands as the exit of a trade that the end of its backtest cut off. */
export const WINDOW_END = 'End of window';

/** In the order of time. Every backtest began with the same capital: profits are added, not reinvested. */
export function combineReports(reports: readonly StrategyReport[]): CombinedReport {
  const [first] = reports;
  if (first === undefined) throw new Error('there is nothing to combine');
  const { initialCapital, riskFreeRate } = first;
  const trades = reports.flatMap((report) => report.trades.map((trade) => ended(trade, report)));
  const traded = reports.filter(({ toMs }) => !Number.isNaN(toMs));
  const span = {
    initialCapital,
    fromMs: traded[0]?.fromMs ?? Number.NaN,
    toMs: traded.at(-1)?.last.timeMs ?? Number.NaN,
  };
  const maxContractsHeld = Math.max(...reports.map(({ all }) => all.maxContractsHeld));
  const all = tradeStatistics(trades, { initialCapital, rangeMs: span.toMs - span.fromMs, maxContractsHeld });
  const equity = joinedEquity(reports, initialCapital);
  const swings = swingsOf(
    initialCapital,
    equity.map((point) => point.equity),
  );
  const held = reports.reduce((factor, { account }) => factor * (1 + (account.buyAndHoldPercent || 0) / 100), 1) - 1;
  const account = {
    finalEquity: equity.at(-1)?.equity ?? initialCapital,
    intrabar: swings,
    closeToClose: swings,
    buyAndHold: held * initialCapital,
    buyAndHoldPercent: held * 100,
    ratios: ratiosOf(trades, span, riskFreeRate),
  };
  return { trades, equity: thinned(equity), figures: figuresOf(all, account, initialCapital) };
}

function ended(trade: ReportTrade, { last }: StrategyReport): ReportTrade {
  if (trade.exit !== null) return trade;
  return { ...trade, exit: { id: WINDOW_END, comment: '', ...last } };
}

function joinedEquity(reports: readonly StrategyReport[], initialCapital: number): EquityPoint[] {
  const points: EquityPoint[] = [];
  let [made, highest] = [0, initialCapital];
  for (const report of reports) {
    for (const point of report.equity) {
      const equity = point.equity + made;
      highest = Math.max(highest, equity);
      const drawdown = highest - equity;
      const drawdownPercent = highest > 0 ? (drawdown / highest) * 100 : Number.NaN;
      points.push({ timeMs: point.timeMs, equity, drawdown, drawdownPercent });
    }
    made += report.account.finalEquity - report.initialCapital;
  }
  return points;
}

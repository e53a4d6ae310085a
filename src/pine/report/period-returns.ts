// What closed trades made of the capital month by month, and the ratios that judge a strategy by how evenly it did so.

import type { ReportTrade } from './trade-list.ts';

export interface PeriodReturn {
  /** The first moment of the month or day, UTC. */
  readonly startMs: number;
  /** Of the trades that were closed in it. */
  readonly profit: number;
  /** The profit in percent of the realized equity that the period began with; NaN where nothing was left. */
  readonly returnPercent: number;
}

export interface ReturnsContext {
  readonly initialCapital: number;
  /** First and last moment of the range that the strategy trades in. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** From here on months are compared; a shorter test is judged by its days. */
const LEAST_PERIODS = 3;
const MONTHS_OF_A_YEAR = 12;
const DAYS_OF_A_YEAR = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

type Period = 'month' | 'day';

/** Every month from the first to the last of the range, those without a trade too. */
export const monthlyReturns = (trades: readonly ReportTrade[], context: ReturnsContext): PeriodReturn[] =>
  periodReturns(trades, context, 'month');

function periodReturns(trades: readonly ReportTrade[], context: ReturnsContext, period: Period): PeriodReturn[] {
  const { initialCapital, fromMs, toMs } = context;
  const profits = new Map<number, number>();
  for (const { exit, profit } of trades) {
    if (exit === null) continue;
    const start = startOf(exit.timeMs, period);
    profits.set(start, (profits.get(start) ?? 0) + profit);
  }
  const found: PeriodReturn[] = [];
  let equity = initialCapital;
  for (let startMs = startOf(fromMs, period); startMs <= toMs; startMs = nextAfter(startMs, period)) {
    const profit = profits.get(startMs) ?? 0;
    found.push({ startMs, profit, returnPercent: equity > 0 ? (profit / equity) * 100 : Number.NaN });
    equity += profit;
  }
  return found;
}

function startOf(timeMs: number, period: Period): number {
  const date = new Date(timeMs);
  return period === 'day' ? date.setUTCHours(0, 0, 0, 0) : Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function nextAfter(startMs: number, period: Period): number {
  const date = new Date(startMs);
  return period === 'day' ? startMs + DAY_MS : date.setUTCMonth(date.getUTCMonth() + 1);
}

export interface Ratios {
  readonly sharpe: number;
  readonly sortino: number;
}

/**
 * The mean return above the risk-free one, by the deviation of all returns (Sharpe) or of those below the risk-free one
 * (Sortino). Of months; where the range touches fewer than three, of days. Not scaled to a year. NaN where the returns
 * are too few or do not differ.
 */
export function ratiosOf(trades: readonly ReportTrade[], context: ReturnsContext, ratePercentAYear: number): Ratios {
  const months = monthlyReturns(trades, context);
  const isByMonth = months.length >= LEAST_PERIODS;
  const periods = isByMonth ? months : periodReturns(trades, context, 'day');
  if (periods.length < LEAST_PERIODS) return { sharpe: Number.NaN, sortino: Number.NaN };
  const riskFree = ratePercentAYear / (isByMonth ? MONTHS_OF_A_YEAR : DAYS_OF_A_YEAR);
  const returns = periods.map(({ returnPercent }) => returnPercent);
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const excess = mean - riskFree;
  return {
    sharpe: ratio(excess, rootMeanSquare(returns.map((value) => value - mean))),
    sortino: ratio(excess, rootMeanSquare(returns.map((value) => Math.min(0, value - riskFree)))),
  };
}

const ratio = (excess: number, deviation: number): number => (deviation > 0 ? excess / deviation : Number.NaN);

const rootMeanSquare = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

// What a list of trades comes to: profits, averages, extremes and streaks, of all trades or of those of one side.
//
// A figure that is undefined is NaN: an average of nothing, a profit factor without losses. Losses are told as positive
// amounts.

import { MARGIN_CALL } from '../broker/margin.ts';
import type { ReportTrade } from './trade-list.ts';

const DAYS_OF_A_YEAR = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface TradeStatistics {
  readonly netProfit: number;
  readonly netProfitPercent: number;
  readonly grossProfit: number;
  readonly grossProfitPercent: number;
  readonly grossLoss: number;
  readonly grossLossPercent: number;
  /** Of closed trades, and of the entries of open ones. */
  readonly commissionPaid: number;
  readonly profitFactor: number;
  readonly expectancy: number;
  /** A year's growth of the capital by the net profit, in percent. */
  readonly cagr: number;
  readonly openProfit: number;
  readonly openProfitPercent: number;
  readonly openTrades: number;
  readonly totalTrades: number;
  readonly winningTrades: number;
  readonly losingTrades: number;
  readonly evenTrades: number;
  readonly percentProfitable: number;
  readonly avgTrade: number;
  readonly avgTradePercent: number;
  readonly avgWinningTrade: number;
  readonly avgWinningTradePercent: number;
  readonly avgLosingTrade: number;
  readonly avgLosingTradePercent: number;
  readonly ratioAvgWinLoss: number;
  readonly largestWinningTrade: number;
  readonly largestWinningTradePercent: number;
  readonly largestLosingTrade: number;
  readonly largestLosingTradePercent: number;
  readonly avgBarsInTrades: number;
  readonly avgBarsInWinningTrades: number;
  readonly avgBarsInLosingTrades: number;
  readonly maxConsecutiveWins: number;
  readonly maxConsecutiveLosses: number;
  readonly maxContractsHeld: number;
  readonly marginCalls: number;
}

export interface StatisticsContext {
  readonly initialCapital: number;
  /** Of the range that the strategy trades in. */
  readonly rangeMs: number;
  readonly maxContractsHeld: number;
}

export function tradeStatistics(trades: readonly ReportTrade[], context: StatisticsContext): TradeStatistics {
  const { initialCapital, rangeMs, maxContractsHeld } = context;
  const closed = trades.filter(({ exit }) => exit !== null);
  const open = trades.filter(({ exit }) => exit === null);
  const wins = closed.filter(({ profit }) => profit > 0);
  const losses = closed.filter(({ profit }) => profit < 0);
  const grossProfit = sum(wins, profitOf);
  const grossLoss = sum(losses, (trade) => -trade.profit);
  const netProfit = sum(closed, profitOf);
  const openProfit = sum(open, profitOf);
  const ofCapital = (amount: number): number => (amount / initialCapital) * 100;
  const avgWinningTrade = grossProfit / wins.length;
  const avgLosingTrade = grossLoss / losses.length;
  return {
    netProfit,
    netProfitPercent: ofCapital(netProfit),
    grossProfit,
    grossProfitPercent: ofCapital(grossProfit),
    grossLoss,
    grossLossPercent: ofCapital(grossLoss),
    commissionPaid: sum(trades, ({ commission }) => commission),
    profitFactor: losses.length === 0 ? Number.NaN : grossProfit / grossLoss,
    expectancy: expectancyOf(wins.length, losses.length, closed.length, { grossProfit, grossLoss }),
    cagr: growthOfAYear(1 + netProfit / initialCapital, rangeMs),
    openProfit,
    openProfitPercent: ofCapital(openProfit),
    openTrades: open.length,
    totalTrades: closed.length,
    winningTrades: wins.length,
    losingTrades: losses.length,
    evenTrades: closed.length - wins.length - losses.length,
    percentProfitable: (wins.length / closed.length) * 100,
    avgTrade: netProfit / closed.length,
    avgTradePercent: mean(closed, percentOf),
    avgWinningTrade,
    avgWinningTradePercent: mean(wins, percentOf),
    avgLosingTrade,
    avgLosingTradePercent: -mean(losses, percentOf),
    ratioAvgWinLoss: avgWinningTrade / avgLosingTrade,
    // Each is a largest of its own: a small trade may have the largest percentage.
    largestWinningTrade: largest(wins, profitOf),
    largestWinningTradePercent: largest(wins, percentOf),
    largestLosingTrade: largest(losses, (trade) => -trade.profit),
    largestLosingTradePercent: largest(losses, (trade) => -trade.profitPercent),
    avgBarsInTrades: mean(closed, barsOf),
    avgBarsInWinningTrades: mean(wins, barsOf),
    avgBarsInLosingTrades: mean(losses, barsOf),
    maxConsecutiveWins: longestRun(closed, (profit) => profit > 0),
    maxConsecutiveLosses: longestRun(closed, (profit) => profit < 0),
    maxContractsHeld,
    marginCalls: closed.filter(({ exit }) => exit?.id === MARGIN_CALL).length,
  };
}

const profitOf = ({ profit }: ReportTrade): number => profit;
const percentOf = ({ profitPercent }: ReportTrade): number => profitPercent;

/** Bars that a trade was open on, the first and the last with it. */
export const barsOf = ({ entryBar, exit }: ReportTrade): number =>
  exit === null ? Number.NaN : exit.bar - entryBar + 1;

function sum(trades: readonly ReportTrade[], of: (trade: ReportTrade) => number): number {
  let total = 0;
  for (const trade of trades) total += of(trade);
  return total;
}

const mean = (trades: readonly ReportTrade[], of: (trade: ReportTrade) => number): number =>
  sum(trades, of) / trades.length;

function largest(trades: readonly ReportTrade[], of: (trade: ReportTrade) => number): number {
  let found = Number.NaN;
  for (const trade of trades) if (!(of(trade) <= found)) found = of(trade);
  return found;
}

/** What a trade makes on average: the chance of a win by the usual win, less the chance of a loss by the usual loss. */
function expectancyOf(
  wins: number,
  losses: number,
  total: number,
  { grossProfit, grossLoss }: Pick<TradeStatistics, 'grossProfit' | 'grossLoss'>,
): number {
  const won = wins === 0 ? 0 : (wins / total) * (grossProfit / wins);
  const lost = losses === 0 ? 0 : (losses / total) * (grossLoss / losses);
  return total === 0 ? Number.NaN : won - lost;
}

function growthOfAYear(factor: number, rangeMs: number): number {
  if (!(rangeMs > 0) || !(factor > 0)) return Number.NaN;
  return (factor ** (DAYS_OF_A_YEAR / (rangeMs / DAY_MS)) - 1) * 100;
}

function longestRun(trades: readonly ReportTrade[], isOf: (profit: number) => boolean): number {
  let [run, longest] = [0, 0];
  for (const { profit } of trades) {
    run = isOf(profit) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

// The figures of a backtest with their names and units as a person reads them, for the terminal and for the page.

import type { StrategyReport } from '../pine/light.ts';

type Statistics = StrategyReport['all'];

/** One line of figures; where only `all` is there, it is one of the whole account. */
export interface FigureRow {
  readonly name: string;
  readonly all: string;
  readonly long?: string;
  readonly short?: string;
  /** Whether it is a gain or a loss, for its colour. */
  readonly sign?: number;
}

export interface FigureGroup {
  readonly title: string;
  readonly rows: readonly FigureRow[];
}

const NONE = '-';
const LARGEST_WITH_CENTS = 1e12;

/** Two decimals and thousands apart; small amounts with the digits that say something. */
export function money(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (size >= LARGEST_WITH_CENTS) return value.toExponential(4);
  if (size > 0 && size < 1) return String(Number(value.toPrecision(4)));
  return grouped(value);
}

export const percent = (value: number): string => (Number.isFinite(value) ? `${grouped(value)} %` : NONE);

const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : NONE);
const whole = (value: number): string => value.toLocaleString('en-US');
const oneDecimal = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : NONE);
/** Prices and sizes keep the digits they have. */
export const plain = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(12))) : NONE);

/** Made once: making one takes as long as a hundred uses of it. */
const CENTS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function grouped(value: number): string {
  const text = CENTS.format(value);
  return text === '-0.00' ? '0.00' : text;
}

const both = (amount: number, share: number): string =>
  Number.isFinite(amount) ? `${money(amount)} (${percent(share)})` : NONE;

/**
 * The deepest fall of the equity below its highest close so far, as the chart draws it. That of `intrabar` begins at what
 * closed trades had made, so a gain that was only on paper and went again counts here and not there.
 */
export function equityDrawdown({ equity }: StrategyReport): { readonly amount: number; readonly percent: number } {
  let [amount, share] = [0, 0];
  for (const point of equity) {
    amount = Math.max(amount, point.drawdown);
    share = Math.max(share, point.drawdownPercent || 0);
  }
  return { amount, percent: share };
}

export function figureGroups(report: StrategyReport): FigureGroup[] {
  return [
    { title: 'Performance', rows: performance(report) },
    { title: 'Account', rows: account(report) },
    { title: 'Trades in figures', rows: trades(report) },
  ];
}

function sided({ all, long, short }: StrategyReport, name: string, of: (side: Statistics) => string): FigureRow {
  return { name, all: of(all), long: of(long), short: of(short) };
}

function performance(report: StrategyReport): FigureRow[] {
  const row = (name: string, of: (side: Statistics) => string): FigureRow => sided(report, name, of);
  return [
    { ...row('Net profit', (side) => both(side.netProfit, side.netProfitPercent)), sign: report.all.netProfit },
    row('Open profit', (side) => both(side.openProfit, side.openProfitPercent)),
    row('Gross profit', (side) => both(side.grossProfit, side.grossProfitPercent)),
    row('Gross loss', (side) => both(side.grossLoss, side.grossLossPercent)),
    row('Profit factor', (side) => ratio(side.profitFactor)),
    row('Commission paid', (side) => money(side.commissionPaid)),
    row('Expectancy', (side) => money(side.expectancy)),
    row('Growth a year (CAGR)', (side) => percent(side.cagr)),
  ];
}

function account(report: StrategyReport): FigureRow[] {
  const { account: figures, initialCapital } = report;
  const curve = equityDrawdown(report);
  const { intrabar, closeToClose, ratios } = figures;
  return [
    { name: 'Initial capital', all: money(initialCapital) },
    { name: 'Final equity', all: money(figures.finalEquity) },
    { name: 'Max drawdown (from closed trades)', all: both(intrabar.maxDrawdown, intrabar.maxDrawdownPercent) },
    { name: 'Max drawdown (equity curve)', all: both(curve.amount, curve.percent) },
    { name: 'Max drawdown, exit to exit', all: both(closeToClose.maxDrawdown, closeToClose.maxDrawdownPercent) },
    { name: 'Max run-up', all: both(intrabar.maxRunup, intrabar.maxRunupPercent) },
    { name: 'Max run-up, exit to exit', all: both(closeToClose.maxRunup, closeToClose.maxRunupPercent) },
    { name: 'Buy and hold', all: both(figures.buyAndHold, figures.buyAndHoldPercent) },
    { name: 'Sharpe ratio', all: ratio(ratios.sharpe) },
    { name: 'Sortino ratio', all: ratio(ratios.sortino) },
  ];
}

function trades(report: StrategyReport): FigureRow[] {
  const row = (name: string, of: (side: Statistics) => string): FigureRow => sided(report, name, of);
  return [
    row('Closed trades', (side) => whole(side.totalTrades)),
    row('Open trades', (side) => whole(side.openTrades)),
    row('Winning trades', (side) => whole(side.winningTrades)),
    row('Losing trades', (side) => whole(side.losingTrades)),
    row('Even trades', (side) => whole(side.evenTrades)),
    row('Profitable', (side) => percent(side.percentProfitable)),
    row('Average trade', (side) => both(side.avgTrade, side.avgTradePercent)),
    row('Average winning trade', (side) => both(side.avgWinningTrade, side.avgWinningTradePercent)),
    row('Average losing trade', (side) => both(side.avgLosingTrade, side.avgLosingTradePercent)),
    row('Average win / average loss', (side) => ratio(side.ratioAvgWinLoss)),
    row('Largest winning trade', (side) => money(side.largestWinningTrade)),
    row('Largest winning trade, %', (side) => percent(side.largestWinningTradePercent)),
    row('Largest losing trade', (side) => money(side.largestLosingTrade)),
    row('Largest losing trade, %', (side) => percent(side.largestLosingTradePercent)),
    row('Average bars in trades', (side) => oneDecimal(side.avgBarsInTrades)),
    row('Average bars in winning trades', (side) => oneDecimal(side.avgBarsInWinningTrades)),
    row('Average bars in losing trades', (side) => oneDecimal(side.avgBarsInLosingTrades)),
    row('Most wins in a row', (side) => whole(side.maxConsecutiveWins)),
    row('Most losses in a row', (side) => whole(side.maxConsecutiveLosses)),
    row('Most contracts held', (side) => plain(side.maxContractsHeld)),
    row('Margin calls', (side) => whole(side.marginCalls)),
  ];
}

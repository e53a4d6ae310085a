// The report as the evaluate contract has it: plain JSON, null for what is undefined.

import type { OrderEvent } from '../broker/index.ts';
import type { AccountStatistics } from './account-statistics.ts';
import type { EquityPoint } from './equity-points.ts';
import type { PeriodReturn } from './period-returns.ts';
import type { StrategyReport } from './strategy-report.ts';
import type { ReportTrade } from './trade-list.ts';
import type { TradeStatistics } from './trade-statistics.ts';

type Figure = number | null;

export interface AnswerEvent {
  readonly kind: OrderEvent['kind'];
  readonly id: string | null;
  readonly direction: 'long' | 'short' | null;
  readonly qty: Figure;
  readonly order_type: OrderEvent['orderType'];
  readonly limit: Figure;
  readonly stop: Figure;
  readonly comment: string;
  readonly bar_index: number;
  readonly bar_time: number;
  readonly ohlc: { readonly open: Figure; readonly high: Figure; readonly low: Figure; readonly close: Figure };
}

export interface AnswerTrade {
  readonly entry_id: string;
  readonly exit_id: string | null;
  readonly direction: 'long' | 'short';
  readonly entry_time: number;
  readonly entry_price: Figure;
  /** Null while it is open, as everything of its exit. */
  readonly exit_time: number | null;
  readonly exit_price: Figure;
  readonly qty: number;
  readonly profit: Figure;
  readonly profit_percent: Figure;
  readonly runup: Figure;
  readonly runup_percent: Figure;
  readonly drawdown: Figure;
  readonly drawdown_percent: Figure;
  readonly commission: Figure;
  readonly entry_comment: string;
  readonly exit_comment: string | null;
  readonly entry_bar: number;
  readonly exit_bar: number | null;
}

export interface AnswerEquity {
  readonly time: number;
  readonly equity: Figure;
  readonly drawdown: Figure;
}

export type AnswerMetrics = Readonly<Record<string, unknown>>;

export interface StrategyAnswer {
  readonly events: readonly AnswerEvent[];
  readonly trades: readonly AnswerTrade[];
  readonly equity: readonly AnswerEquity[];
  /** By name; those of all trades and of the account beside each other, and `long` and `short` for the sides. */
  readonly metrics: AnswerMetrics;
}

/** Months of a century: whoever sends bars of more has no use for a table of them. */
const MAX_MONTHS = 1_200;

export function strategyAnswer(report: StrategyReport | null): StrategyAnswer {
  if (report === null) return { events: [], trades: [], equity: [], metrics: {} };
  return {
    events: report.events.map(eventOf),
    trades: report.trades.map(tradeOf),
    equity: report.equity.map(pointOf),
    metrics: metricsOf(report),
  };
}

/** JSON knows neither NaN nor infinity. */
const figure = (value: number): Figure => (Number.isFinite(value) ? value : null);

const eventOf = ({ kind, id, direction, quantity, orderType, bar, timeMs, ...event }: OrderEvent): AnswerEvent => ({
  kind,
  id,
  direction,
  qty: figure(quantity),
  order_type: orderType,
  limit: figure(event.limit),
  stop: figure(event.stop),
  comment: event.comment,
  bar_index: bar,
  bar_time: timeMs,
  ohlc: {
    open: figure(event.open),
    high: figure(event.high),
    low: figure(event.low),
    close: figure(event.close),
  },
});

export const tradeOf = (trade: ReportTrade): AnswerTrade => ({
  entry_id: trade.entryId,
  exit_id: trade.exit?.id ?? null,
  direction: trade.direction,
  entry_time: trade.entryTimeMs,
  entry_price: figure(trade.entryPrice),
  exit_time: trade.exit?.timeMs ?? null,
  exit_price: trade.exit === null ? null : figure(trade.exit.price),
  qty: trade.quantity,
  profit: figure(trade.profit),
  profit_percent: figure(trade.profitPercent),
  runup: figure(trade.runup),
  runup_percent: figure(trade.runupPercent),
  drawdown: figure(trade.drawdown),
  drawdown_percent: figure(trade.drawdownPercent),
  commission: figure(trade.commission),
  entry_comment: trade.entryComment,
  exit_comment: trade.exit?.comment ?? null,
  entry_bar: trade.entryBar,
  exit_bar: trade.exit?.bar ?? null,
});

export const pointOf = ({ timeMs, equity, drawdown }: EquityPoint): AnswerEquity => ({
  time: timeMs,
  equity: figure(equity),
  drawdown: figure(drawdown),
});

function metricsOf(report: StrategyReport): AnswerMetrics {
  const { currency, initialCapital, fromMs, toMs, months, all, long, short, account } = report;
  return {
    currency,
    initial_capital: initialCapital,
    from: figure(fromMs),
    to: figure(toMs),
    ...statisticsOf(all),
    ...accountFigures(account, all),
    long: statisticsOf(long),
    short: statisticsOf(short),
    monthly_returns: months.slice(-MAX_MONTHS).map(monthOf),
    dropped_events: report.droppedEvents,
  };
}

const monthOf = ({ startMs, profit, returnPercent }: PeriodReturn) => ({
  month: new Date(startMs).toISOString().slice(0, 7),
  profit: figure(profit),
  return_percent: figure(returnPercent),
});

/** `netProfit` is `net_profit`. */
const statisticsOf = (statistics: TradeStatistics): Record<string, Figure> =>
  Object.fromEntries(
    Object.entries(statistics).map(([name, value]: [string, number]) => [snakeCase(name), figure(value)]),
  );

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const accountFigures = (account: AccountStatistics, { netProfitPercent }: TradeStatistics): Record<string, Figure> => ({
  final_equity: figure(account.finalEquity),
  max_drawdown: figure(account.intrabar.maxDrawdown),
  max_drawdown_percent: figure(account.intrabar.maxDrawdownPercent),
  max_runup: figure(account.intrabar.maxRunup),
  max_runup_percent: figure(account.intrabar.maxRunupPercent),
  max_drawdown_close_to_close: figure(account.closeToClose.maxDrawdown),
  max_drawdown_close_to_close_percent: figure(account.closeToClose.maxDrawdownPercent),
  max_runup_close_to_close: figure(account.closeToClose.maxRunup),
  max_runup_close_to_close_percent: figure(account.closeToClose.maxRunupPercent),
  buy_and_hold: figure(account.buyAndHold),
  buy_and_hold_percent: figure(account.buyAndHoldPercent),
  outperformance_percent: figure(netProfitPercent - account.buyAndHoldPercent),
  sharpe_ratio: figure(account.ratios.sharpe),
  sortino_ratio: figure(account.ratios.sortino),
});

// The report as the evaluate contract has it: plain JSON, null for what is undefined.

import type { OrderEvent } from '../broker/index.ts';
import type { AccountStatistics } from './account-statistics.ts';
import type { EquityPoint } from './equity-points.ts';
import type { PeriodReturn } from './period-returns.ts';
import type { StrategyReport } from './strategy-report.ts';
import type { ReportTrade } from './trade-list.ts';
import type { TradeStatistics } from './trade-statistics.ts';

type NumberOrNull = number | null;

export interface AnswerEvent {
  readonly kind: OrderEvent['kind'];
  readonly id: string | null;
  readonly direction: 'long' | 'short' | null;
  readonly qty: NumberOrNull;
  readonly order_type: OrderEvent['orderType'];
  readonly limit: NumberOrNull;
  readonly stop: NumberOrNull;
  readonly comment: string;
  readonly bar_index: number;
  readonly bar_time: number;
  readonly ohlc: {
    readonly open: NumberOrNull;
    readonly high: NumberOrNull;
    readonly low: NumberOrNull;
    readonly close: NumberOrNull;
  };
}

export interface AnswerTrade {
  readonly entry_id: string;
  readonly exit_id: string | null;
  readonly direction: 'long' | 'short';
  readonly entry_time: number;
  readonly entry_price: NumberOrNull;
  /** Null while it is open, as everything of its exit. */
  readonly exit_time: number | null;
  readonly exit_price: NumberOrNull;
  readonly qty: number;
  readonly profit: NumberOrNull;
  readonly profit_percent: NumberOrNull;
  readonly runup: NumberOrNull;
  readonly runup_percent: NumberOrNull;
  readonly drawdown: NumberOrNull;
  readonly drawdown_percent: NumberOrNull;
  readonly commission: NumberOrNull;
  readonly entry_comment: string;
  readonly exit_comment: string | null;
  readonly entry_bar: number;
  readonly exit_bar: number | null;
}

export interface AnswerEquity {
  readonly time: number;
  readonly equity: NumberOrNull;
  readonly drawdown: NumberOrNull;
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
const orNull = (value: number): NumberOrNull => (Number.isFinite(value) ? value : null);

const eventOf = ({ kind, id, direction, quantity, orderType, bar, timeMs, ...event }: OrderEvent): AnswerEvent => ({
  kind,
  id,
  direction,
  qty: orNull(quantity),
  order_type: orderType,
  limit: orNull(event.limit),
  stop: orNull(event.stop),
  comment: event.comment,
  bar_index: bar,
  bar_time: timeMs,
  ohlc: {
    open: orNull(event.open),
    high: orNull(event.high),
    low: orNull(event.low),
    close: orNull(event.close),
  },
});

export const tradeOf = (trade: ReportTrade): AnswerTrade => ({
  entry_id: trade.entryId,
  exit_id: trade.exit?.id ?? null,
  direction: trade.direction,
  entry_time: trade.entryTimeMs,
  entry_price: orNull(trade.entryPrice),
  exit_time: trade.exit?.timeMs ?? null,
  exit_price: trade.exit === null ? null : orNull(trade.exit.price),
  qty: trade.quantity,
  profit: orNull(trade.profit),
  profit_percent: orNull(trade.profitPercent),
  runup: orNull(trade.runup),
  runup_percent: orNull(trade.runupPercent),
  drawdown: orNull(trade.drawdown),
  drawdown_percent: orNull(trade.drawdownPercent),
  commission: orNull(trade.commission),
  entry_comment: trade.entryComment,
  exit_comment: trade.exit?.comment ?? null,
  entry_bar: trade.entryBar,
  exit_bar: trade.exit?.bar ?? null,
});

export const pointOf = ({ timeMs, equity, drawdown }: EquityPoint): AnswerEquity => ({
  time: timeMs,
  equity: orNull(equity),
  drawdown: orNull(drawdown),
});

function metricsOf(report: StrategyReport): AnswerMetrics {
  const { currency, initialCapital, fromMs, toMs, months, all, long, short, account } = report;
  return {
    currency,
    initial_capital: initialCapital,
    from: orNull(fromMs),
    to: orNull(toMs),
    ...statisticsOf(all),
    ...accountMetrics(account, all),
    long: statisticsOf(long),
    short: statisticsOf(short),
    monthly_returns: months.slice(-MAX_MONTHS).map(monthOf),
    dropped_events: report.droppedEvents,
  };
}

const monthOf = ({ startMs, profit, returnPercent }: PeriodReturn) => ({
  month: new Date(startMs).toISOString().slice(0, 7),
  profit: orNull(profit),
  return_percent: orNull(returnPercent),
});

/** `netProfit` is `net_profit`. */
const statisticsOf = (statistics: TradeStatistics): Record<string, NumberOrNull> =>
  Object.fromEntries(
    Object.entries(statistics).map(([name, value]: [string, number]) => [snakeCase(name), orNull(value)]),
  );

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const accountMetrics = (
  account: AccountStatistics,
  { netProfitPercent }: TradeStatistics,
): Record<string, NumberOrNull> => ({
  final_equity: orNull(account.finalEquity),
  max_drawdown: orNull(account.intrabar.maxDrawdown),
  max_drawdown_percent: orNull(account.intrabar.maxDrawdownPercent),
  max_runup: orNull(account.intrabar.maxRunup),
  max_runup_percent: orNull(account.intrabar.maxRunupPercent),
  max_drawdown_close_to_close: orNull(account.closeToClose.maxDrawdown),
  max_drawdown_close_to_close_percent: orNull(account.closeToClose.maxDrawdownPercent),
  max_runup_close_to_close: orNull(account.closeToClose.maxRunup),
  max_runup_close_to_close_percent: orNull(account.closeToClose.maxRunupPercent),
  buy_and_hold: orNull(account.buyAndHold),
  buy_and_hold_percent: orNull(account.buyAndHoldPercent),
  outperformance_percent: orNull(netProfitPercent - account.buyAndHoldPercent),
  sharpe_ratio: orNull(account.ratios.sharpe),
  sortino_ratio: orNull(account.ratios.sortino),
});

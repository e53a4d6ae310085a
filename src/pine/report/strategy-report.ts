// The report of a backtest: trades, equity, monthly returns and figures by all, long and short, as plain values that may
// go to another thread.

import { type Broker, type BrokerSettings, type OrderEvent, RecordingBroker } from '../broker/index.ts';
import type { BarColumns } from '../run/bars.ts';
import type { RunResult } from '../run/result.ts';
import type { AccountStatistics } from './account-statistics.ts';
import { type EquityPoint, equityPoints } from './equity-points.ts';
import { type Figures, figuresOf } from './figures.ts';
import { monthlyReturns, type PeriodReturn, ratiosOf } from './period-returns.ts';
import { runningProfits } from './running-profit.ts';
import { swingsOf } from './swings.ts';
import { type ReportTrade, tradeList } from './trade-list.ts';
import { type TradeStatistics, tradeStatistics } from './trade-statistics.ts';

export interface StrategyReport {
  readonly title: string;
  readonly symbol: string;
  readonly timeframe: string;
  readonly currency: string;
  readonly initialCapital: number;
  /** What it declares of its account, with what was said instead. */
  readonly settings: BrokerSettings;
  /** With the values of this run. */
  readonly inputs: RunResult['inputs'];
  /** Percent a year that ratios compare returns with. */
  readonly riskFreeRate: number;
  /** When the first bar that may be traded on begins, and the last one; NaN where there is none. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The last close of all bars: what open trades are valued at. */
  readonly last: { readonly bar: number; readonly timeMs: number; readonly price: number };
  /** Closed ones in the order of their exits, open ones last. */
  readonly trades: readonly ReportTrade[];
  /** What all trades made up to and with each one, entries that are open then paid. */
  readonly runningProfits: readonly number[];
  readonly equity: readonly EquityPoint[];
  readonly months: readonly PeriodReturn[];
  /** Of a run that was asked to keep them. */
  readonly events: readonly OrderEvent[];
  readonly droppedEvents: number;
  readonly all: TradeStatistics;
  readonly long: TradeStatistics;
  readonly short: TradeStatistics;
  readonly account: AccountStatistics;
}

/** Null of a script that is no strategy. `bars` are those that were handed to the run. */
export function strategyReport({ broker, leftOut, meta, inputs }: RunResult, bars: BarColumns): StrategyReport | null {
  if (broker === null) return null;
  const { settings, ledger } = broker;
  const { initialCapital } = settings;
  const { trades, range, fromMs, toMs, span, statistics, all, account } = overviewOf(broker, leftOut, bars);
  const { mostLong, mostShort } = ledger.totals;
  const recorded = broker instanceof RecordingBroker ? broker.events : null;
  return {
    title: meta.scriptName,
    symbol: meta.symbol,
    timeframe: meta.timeframe,
    currency: broker.market.currency,
    initialCapital,
    settings,
    inputs,
    riskFreeRate: settings.riskFreeRate,
    fromMs,
    toMs,
    last: lastOf(bars),
    trades,
    runningProfits: runningProfits(trades, settings.commissionType),
    equity: equityPoints(broker.equityCurve.all(), bars, { from: range.from, to: bars.count, leftOut, initialCapital }),
    months: monthlyReturns(trades, span),
    events: recorded?.list().map((event) => ({ ...event, bar: event.bar + leftOut })) ?? [],
    droppedEvents: recorded?.dropped ?? 0,
    all,
    long: statistics(ofSide(trades, 'long'), mostLong),
    short: statistics(ofSide(trades, 'short'), mostShort),
    account,
  };
}

/** The figures alone, for whoever makes thousands of runs: without curves, lists and sides. Null as the report is. */
export function strategyFigures({ broker, leftOut }: RunResult, bars: BarColumns): Figures | null {
  if (broker === null) return null;
  const { all, account } = overviewOf(broker, leftOut, bars);
  return figuresOf(all, account, broker.settings.initialCapital);
}

function overviewOf(broker: Broker, leftOut: number, bars: BarColumns) {
  const { settings, ledger } = broker;
  const { initialCapital } = settings;
  const trades = tradeList(broker, leftOut);
  const range = rangeOf(broker, bars, leftOut);
  const isEmpty = range.to === range.from;
  const fromMs = isEmpty ? Number.NaN : bars.time[range.from]!;
  const toMs = isEmpty ? Number.NaN : bars.time[range.to - 1]!;
  const statistics = (some: readonly ReportTrade[], maxContractsHeld: number): TradeStatistics =>
    tradeStatistics(some, { initialCapital, rangeMs: toMs - fromMs, maxContractsHeld });
  // What was bought in the range may be sold after it: those months count too.
  const lastExitMs = ledger.closed.at(-1)?.exitTimeMs ?? toMs;
  const span = { initialCapital, fromMs, toMs: Math.max(toMs, lastExitMs) };
  const all = statistics(trades, ledger.totals.mostHeld);
  const account: AccountStatistics = {
    ...accountOf(broker, bars, range),
    ratios: ratiosOf(trades, span, settings.riskFreeRate),
  };
  return { trades, range, fromMs, toMs, span, statistics, all, account };
}

const lastOf = ({ time, close, count }: BarColumns): StrategyReport['last'] => ({
  bar: count - 1,
  timeMs: time[count - 1] ?? Number.NaN,
  price: close[count - 1] ?? Number.NaN,
});

const ofSide = (trades: readonly ReportTrade[], side: ReportTrade['direction']): ReportTrade[] =>
  trades.filter(({ direction }) => direction === side);

interface BarRange {
  readonly from: number;
  readonly to: number;
}

/** The bars that may be traded on, by their places among all bars. */
function rangeOf({ settings }: Broker, { time, count }: BarColumns, leftOut: number): BarRange {
  const { tradeFromMs, tradeToMs } = settings;
  let [from, to] = [leftOut, count];
  while (from < count && time[from]! < tradeFromMs) from += 1;
  while (to > from && time[to - 1]! >= tradeToMs) to -= 1;
  return { from, to };
}

function accountOf(broker: Broker, bars: BarColumns, { from, to }: BarRange): Omit<AccountStatistics, 'ratios'> {
  const { ledger, settings } = broker;
  const { initialCapital } = settings;
  const { maxDrawdown, maxDrawdownPercent, maxRunup, maxRunupPercent } = ledger.totals;
  let realized = initialCapital;
  const atExits = ledger.closed.map(({ profit }) => {
    realized += profit;
    return realized;
  });
  const grown = to > from ? bars.close[to - 1]! / bars.open[from]! - 1 : Number.NaN;
  return {
    finalEquity: broker.equityCurve.all().at(-1) ?? initialCapital,
    intrabar: { maxDrawdown, maxDrawdownPercent, maxRunup, maxRunupPercent },
    closeToClose: swingsOf(initialCapital, atExits),
    buyAndHold: initialCapital * grown,
    buyAndHoldPercent: grown * 100,
  };
}

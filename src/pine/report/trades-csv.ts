// The list of trades as CSV, in the columns of TradingView's export: two rows a trade, its entry and its exit.

import { csvName } from './csv-text.ts';
import type { StrategyReport } from './strategy-report.ts';
import type { ReportTrade } from './trade-list.ts';

const HEAD =
  'trade,type,time,signal,price,qty,value,pnl,pnl_pct,runup,runup_pct,drawdown,drawdown_pct,cum_pnl,cum_pnl_pct';

/** What stands in place of a signal where a trade has not been closed. */
const OPEN = 'Open';

/** Digits that say something: what adding doubles leaves behind them is dust. */
const DIGITS = 12;

/** Times in ms. An open trade ends as "Open" at the last close. */
export function* tradesCsv({ trades, runningProfits, initialCapital, last }: StrategyReport): Generator<string> {
  yield `${HEAD}\n`;
  for (const [index, trade] of trades.entries()) {
    const sum = runningProfits[index]!;
    const figures = [
      trade.quantity,
      trade.value,
      ...[trade.profit, trade.profitPercent],
      ...[trade.runup, trade.runupPercent],
      ...[trade.drawdown, trade.drawdownPercent],
      ...[sum, (sum / initialCapital) * 100],
    ];
    const row = (type: string, timeMs: number, signal: string, price: number): string =>
      [index + 1, `${type} ${trade.direction}`, timeMs, csvName(signal), ...[price, ...figures].map(digits)].join(',');
    const { timeMs, price, signal } = endOf(trade, last);
    yield `${row('Entry', trade.entryTimeMs, trade.entryComment || trade.entryId, trade.entryPrice)}\n`;
    yield `${row('Exit', timeMs, signal, price)}\n`;
  }
}

const endOf = ({ exit }: ReportTrade, last: StrategyReport['last']) =>
  exit === null ? { ...last, signal: OPEN } : { ...exit, signal: exit.comment || exit.id };

const digits = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : '');

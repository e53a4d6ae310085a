// What a strategy made, for a terminal: the equity in a line, figures by all, long and short, and the newest trades; or as JSON.

import { repaintAnswer, repaintWords } from '../library/repaint-check.ts';
import type { RunDone } from '../library/script-runner.ts';
import { type StrategyReport, strategyAnswer } from '../pine/light.ts';
import { equityDrawdown, figureGroups, money, percent, plain } from './backtest-figures.ts';
import { accountWords, inputWords } from './how-it-was-run.ts';
import type { Paint } from './paint.ts';
import { priceSourceRow } from './price-source-words.ts';
import type { RunBars } from './run-report.ts';
import { sparklineOverTime } from './sparkline.ts';
import { type Column, cell, column, type Fields, pairs, table, time } from './table.ts';

/** Of long lists the newest are shown; --trades and --json have all. */
const MAX_SHOWN = 10;
const MIN_SPARK = 10;
const MAX_SPARK = 100;
/** Left of the curve stands its name. */
const SPARK_MARGIN = 10;

interface TextIo {
  readonly paint: Paint;
  readonly columns: number;
}

/** The same as POST /backtest/quick answers, without the usage of a key and with where the prices come from. */
export function backtestAnswer({ result, report, warnings, repaint }: RunDone, { bars, priceSource }: RunBars): object {
  const { metrics, trades, equity } = strategyAnswer(report);
  const { scriptName, symbol, timeframe } = result.meta;
  const meta = { script_type: 'strategy', script_name: scriptName, symbol, timeframe, bars: bars.count, warnings };
  const about = { ...meta, price_source: priceSource ?? null, repaint: repaintAnswer(repaint) };
  return { status: 'success', summary: metrics, equity_curve: equity, trades, meta: about };
}

export function backtestText(
  { result, report, runMs, repaint }: RunDone,
  { bars, priceSource }: RunBars,
  io: TextIo,
): string {
  const { meta } = result;
  const about = pairs(
    [
      ['market', `${cell(meta.symbol)}, timeframe ${cell(meta.timeframe)}`],
      ['bars', `${bars.count} from ${time(bars.time[0])} to ${time(bars.time[bars.count - 1])}`],
      ...priceSourceRow(priceSource),
      ['run', `${runMs.toFixed(1)} ms`],
      ['repaint', cell(repaintWords(repaint))],
    ],
    io.paint,
  );
  const parts = [
    io.paint('bold', cell(meta.scriptName)),
    about,
    ...(report === null ? [] : [howText(report, io.paint)]),
  ];
  return [...parts, ...(report === null ? [] : [reportText(report, io)])].join('\n\n');
}

/** What decides the outcome besides script and bars: whoever looks at a profit asks for the costs first. */
function howText(report: StrategyReport, paint: Paint): string {
  const inputs = inputWords(report).map(([title, value]) => `${cell(title)} = ${cell(value)}`);
  const account = accountWords(report).map(([name, value]): [string, string] => [name.toLowerCase(), cell(value)]);
  return pairs([...account, ...(inputs.length > 0 ? ([['inputs', inputs.join('; ')]] as const) : [])], paint);
}

export function reportText(report: StrategyReport, io: TextIo): string {
  return [headOf(report, io), figuresOf(report, io.paint), monthsOf(report, io.paint), tradesOf(report, io.paint)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headOf(report: StrategyReport, { paint, columns }: TextIo): string {
  const { all, account, equity, fromMs, toMs, currency } = report;
  const made = paint(all.netProfit < 0 ? 'red' : 'green', `${money(all.netProfit)} ${cell(currency)}`);
  const width = Math.max(MIN_SPARK, Math.min(columns - SPARK_MARGIN, MAX_SPARK));
  const { maxDrawdown, maxDrawdownPercent } = account.intrabar;
  const curve = equityDrawdown(report);
  return pairs(
    [
      ['traded', Number.isNaN(toMs) ? 'no bar is in the range' : `from ${time(fromMs)} to ${time(toMs)}`],
      [
        'profit',
        `${made} (${percent(all.netProfitPercent)}) with ${all.totalTrades === 1 ? '1 trade' : `${all.totalTrades} trades`}`,
      ],
      ['drawdown', `${money(maxDrawdown)} ${cell(currency)} (${percent(maxDrawdownPercent)}) from closed trades`],
      ['', `${money(curve.amount)} ${cell(currency)} (${percent(curve.percent)}) on the equity curve`],
      [
        'equity',
        sparklineOverTime(
          equity.map((point) => ({ timeMs: point.timeMs, value: point.equity })),
          width,
        ) || '-',
      ],
    ],
    paint,
  );
}

function figuresOf(report: StrategyReport, paint: Paint): string {
  const right = { right: true };
  const columns = [column('', 'name'), ...['all', 'long', 'short'].map((name) => column(name, name, right))];
  const rows = figureGroups(report).flatMap(({ rows: inGroup }) =>
    inGroup.map(({ name, all, long = '', short = '' }): Fields => ({ name, all, long, short })),
  );
  // A cell without a value is left blank here: figures of the account have no sides.
  const blank = ({ title, of, ...rest }: Column): Column => ({
    title,
    of: (row) => (row[title] === '' ? '' : of(row)),
    ...rest,
  });
  return table(columns.map(blank), rows, paint);
}

function monthsOf({ months }: StrategyReport, paint: Paint): string {
  const traded = months.filter(({ profit }) => profit !== 0);
  if (traded.length === 0) return '';
  const shown = months.slice(-MAX_SHOWN);
  const head = shown.length < months.length ? `months (the newest ${shown.length} of ${months.length}):` : 'months:';
  const rows = shown.map(
    ({ startMs, profit, returnPercent }): Fields => ({
      month: new Date(startMs).toISOString().slice(0, 7),
      profit: money(profit),
      made: percent(returnPercent),
    }),
  );
  const right = { right: true };
  const columns = [column('month', 'month'), column('profit', 'profit', right), column('return', 'made', right)];
  return `${paint('bold', head)}\n${table(columns, rows, paint)}`;
}

function tradesOf({ trades }: StrategyReport, paint: Paint): string {
  if (trades.length === 0) return 'It made no trades.';
  const shown = trades.slice(-MAX_SHOWN);
  const head = shown.length < trades.length ? `trades (the newest ${shown.length} of ${trades.length}):` : 'trades:';
  const rows = shown.map(
    ({ direction, entryId, entryTimeMs, entryPrice, quantity, profit, profitPercent, exit }): Fields => ({
      direction,
      entry: entryId,
      entered: time(entryTimeMs),
      entryPrice: plain(entryPrice),
      left: exit === null ? 'open' : time(exit.timeMs),
      exitPrice: exit === null ? '-' : plain(exit.price),
      quantity: plain(quantity),
      profit: `${money(profit)} (${percent(profitPercent)})`,
    }),
  );
  return `${paint('bold', head)}\n${table(TRADE_COLUMNS, rows, paint)}`;
}

const TRADE_COLUMNS = [
  column('side', 'direction'),
  column('entry', 'entry'),
  column('from', 'entered'),
  column('at', 'entryPrice', { right: true }),
  column('to', 'left'),
  column('at', 'exitPrice', { right: true }),
  column('qty', 'quantity', { right: true }),
  column('profit', 'profit', { right: true }),
];

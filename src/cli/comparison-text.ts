// A live deployment beside its backtest for a terminal and as CSV.

import type { ComparedFill, LiveComparison } from '../library/live-comparison/compared-fill.ts';
import { csvName } from '../pine/light.ts';
import { money, plain } from './backtest-figures.ts';
import type { Paint } from './paint.ts';
import { cell, column, type Fields, pairs, table, time, wordsColumn } from './table.ts';

/** Of long lists the newest are shown; --fills and --json have all. */
const MAX_SHOWN = 30;
const SECOND_MS = 1000;

export const delayWords = (delayMs: number | null): string =>
  delayMs === null ? '-' : `${(delayMs / SECOND_MS).toFixed(Math.abs(delayMs) < 10 * SECOND_MS ? 1 : 0)} s`;

/** `12 filled, 1 refused`. */
export const verdictWords = (verdicts: LiveComparison['totals']['verdicts']): string =>
  Object.entries(verdicts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ') || 'none';

export function comparisonText(comparison: LiveComparison, paint: Paint): string {
  const { name, symbol, interval, mode, fromMs, toMs, fills, totals } = comparison;
  const { backtestProfit, liveProfit, slippageMoney, fees, meanDelayMs, verdicts } = totals;
  const head = pairs(
    [
      ['market', `${cell(symbol)}, ${cell(interval)}, ${mode === 'trade' ? 'trades' : 'dry run: nothing is sent'}`],
      ['bars', `from ${time(fromMs)} to ${time(toMs)}`],
      ['fills', verdictWords(verdicts)],
      ['backtest', money(backtestProfit)],
      ['live', `${money(liveProfit)}, ${money(liveProfit - backtestProfit)} to the backtest`],
      ['slippage', `${money(slippageMoney)}, fees ${money(fees)}, delay ${delayWords(meanDelayMs)} on average`],
    ],
    paint,
  );
  return [paint('bold', cell(name)), head, listOf(fills, paint)].join('\n\n');
}

function listOf(fills: readonly ComparedFill[], paint: Paint): string {
  if (fills.length === 0) return 'The script has filled nothing yet.';
  const shown = fills.slice(-MAX_SHOWN);
  const head = shown.length < fills.length ? `fills (the newest ${shown.length} of ${fills.length}):` : 'fills:';
  const right = { right: true };
  const columns = [
    column('bar', 'bar'),
    column('order', 'order'),
    column('side', 'side'),
    column('qty', 'quantity', right),
    column('backtest', 'expected', right),
    column('live', 'live', right),
    column('live qty', 'liveQuantity', right),
    column('delay', 'delay', right),
    column('slippage', 'slippage', right),
    column('fee', 'fee', right),
    column('', 'verdict'),
    wordsColumn('why', 'reason'),
  ];
  return `${paint('bold', head)}\n${table(columns, shown.map(rowOf), paint)}`;
}

function rowOf({ barTimeMs, orderId, expected, live, delayMs, slippageMoney, verdict, reason }: ComparedFill): Fields {
  const shown = expected ?? live;
  const price = (value: number | undefined): string => plain(value ?? Number.NaN);
  return {
    bar: time(barTimeMs),
    order: orderId,
    side: shown?.side,
    quantity: price(shown?.quantity),
    expected: price(expected?.price),
    live: price(live?.price),
    liveQuantity: price(live?.quantity),
    delay: delayWords(delayMs),
    slippage: money(slippageMoney ?? Number.NaN),
    fee: money(live?.fee ?? Number.NaN),
    verdict,
    reason,
  };
}

const CSV_HEAD =
  'bar_time,order,verdict,reason,side,qty,price,told_time,told_price,key,request_id,status,account,live_time,live_price,live_qty,fee,delay_ms,slippage,slippage_money';

export function comparisonCsv({ fills }: LiveComparison): string {
  const lines = fills.map(({ expected, told, live, trade, ...fill }) => {
    const shown = expected ?? live;
    return [
      ...[fill.barTimeMs, fill.orderId, fill.verdict, fill.reason, shown?.side, shown?.quantity, expected?.price],
      ...[told?.atMs, told?.price, fill.keyLabel, trade?.requestId, trade?.status, trade?.account],
      ...[live?.atMs, live?.price, live?.quantity, live?.fee, fill.delayMs, fill.slippage, fill.slippageMoney],
    ]
      .map(csvField)
      .join();
  });
  return `${[CSV_HEAD, ...lines].join('\n')}\n`;
}

function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return csvName(value);
}

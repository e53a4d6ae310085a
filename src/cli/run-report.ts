// What a run gave, for a person: the script, its bars, the last values, alerts, log lines and drawings; or charts.

import type { RunDone } from '../library/script-runner.ts';
import type { BarColumns, RunResult } from '../pine/index.ts';
import { drawChart, label } from './chart.ts';
import type { Paint } from './paint.ts';
import { priceSourceRow } from './price-source-words.ts';
import { cell, column, type Fields, fieldsOf, pairs, table, time } from './table.ts';

/** Of long lists the newest are shown; --json has all. */
const MAX_SHOWN = 10;
const MAX_CHARTS = 12;
const CHART_HEIGHT = 8;
const MIN_CHART_WIDTH = 10;
const MAX_CHART_WIDTH = 100;
/** Left of a chart stand its labels. */
const LABEL_CHARS = 16;

/** What a run went over. */
export interface RunBars {
  readonly bars: BarColumns;
  /** Undefined for bars of a file. */
  readonly priceSource?: string | undefined;
}

export function summaryOf({ result, runMs }: RunDone, { bars, priceSource }: RunBars, paint: Paint): string {
  const { meta } = result;
  const head = paint('bold', cell(meta.scriptName));
  const about = pairs(
    [
      ['script', `${meta.scriptType}, Pine v${meta.version}`],
      ['market', `${cell(meta.symbol)}, timeframe ${cell(meta.timeframe)}`],
      ['bars', `${bars.count} from ${time(bars.time[0])} to ${time(bars.time[bars.count - 1])}`],
      ...priceSourceRow(priceSource),
      ['run', `${runMs.toFixed(1)} ms`],
    ],
    paint,
  );
  return [head, about, seriesTable(result, paint), ...messagesOf(result, bars, paint), drawingsOf(result, paint)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function seriesTable({ series }: RunResult, paint: Paint): string {
  if (series.size === 0) return 'It plots nothing.';
  const rows = [...series].map(([name, values]): Fields => {
    let [count, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      count += 1;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (count === 0) [low, high] = [Number.NaN, Number.NaN];
    return { name, last: label(values.at(-1) ?? Number.NaN), low: label(low), high: label(high), count };
  });
  const right = { right: true };
  const numbers = ['last', 'low', 'high'].map((name) => column(name, name, right));
  return table([column('series', 'name'), ...numbers, column('values', 'count', right)], rows, paint);
}

function messagesOf({ alerts, logs, meta }: RunResult, bars: BarColumns, paint: Paint): string[] {
  const when = (barIndex: number): string => time(bars.time[barIndex]);
  const alertRows = alerts.map(
    ({ timeMs, title, message }): Fields => ({ time: time(timeMs), what: title ?? 'alert()', message }),
  );
  const logRows = logs.map(
    ({ barIndex, level, message, line }): Fields => ({ time: when(barIndex), what: `${level}, line ${line}`, message }),
  );
  return [
    listOf('alerts', alertRows, alerts.length + meta.droppedAlerts, paint),
    listOf('log lines', logRows, logs.length + meta.droppedLogs, paint),
  ];
}

function listOf(what: string, rows: readonly Fields[], total: number, paint: Paint): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(-MAX_SHOWN);
  const head = shown.length < total ? `${what} (the newest ${shown.length} of ${total}):` : `${what}:`;
  const columns = [column('time', 'time'), column('from', 'what'), column('message', 'message')];
  return `${paint('bold', head)}\n${table(columns, shown, paint)}`;
}

function drawingsOf({ drawings }: RunResult, paint: Paint): string {
  if (drawings.length === 0) return '';
  const counts = new Map<string, number>();
  for (const drawing of drawings) {
    const { kind } = fieldsOf(drawing);
    const name = cell(kind);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${paint('bold', 'drawings:')} ${kinds}`;
}

export function chartsOf(result: RunResult, bars: BarColumns, columns: number, paint: Paint): string {
  const series = linesOf(result);
  if (series.length === 0) return `${cell(result.meta.scriptName)} plots nothing, so there is nothing to draw.`;
  const width = Math.max(MIN_CHART_WIDTH, Math.min(columns - LABEL_CHARS, MAX_CHART_WIDTH));
  const size = { width, height: CHART_HEIGHT };
  const charts = series.slice(0, MAX_CHARTS).map(([name, values]) => {
    const drawn = drawChart(values, size) ?? ['  (there is no number on any bar)'];
    return [`${paint('bold', cell(name))}  last ${label(values.at(-1) ?? Number.NaN)}`, ...drawn].join('\n');
  });
  const more = result.series.size - charts.length;
  if (more > 0) charts.push(paint('dim', `${more} more series ${more === 1 ? 'is' : 'are'} not drawn; --csv has all.`));
  const span = `${time(bars.time[0])} to ${time(bars.time[bars.count - 1])}, ${bars.count} bars`;
  return [...charts, paint('dim', span)].join('\n\n');
}

/** Every plot; shapes and levels say little as lines, so that of a script without a plot only the first is drawn. */
function linesOf({ series, plotMeta }: RunResult): (readonly [name: string, values: Float64Array])[] {
  const plots = new Set([...plotMeta.values()].filter(({ kind }) => kind === 'plot').flatMap((meta) => meta.series));
  const drawn = [...series].filter(([name]) => plots.has(name));
  return drawn.length > 0 ? drawn : [...series].slice(0, 1);
}

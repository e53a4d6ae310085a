// A result as the evaluate contract has it: plain JSON, null for na. The service adds `script_id` and `run_id`.

import type { ConstantValue } from '../check/tree.ts';
import { type StrategyAnswer, strategyAnswer, strategyReport } from '../report/index.ts';
import type { AlertItem } from '../run/alerts.ts';
import type { BarColumns } from '../run/bars.ts';
import { type Colors, colorSeries, colorTexts } from '../run/color-series.ts';
import type { ListedInput } from '../run/input-values.ts';
import type { LogItem } from '../run/logs.ts';
import type { RunResult, ScriptMeta } from '../run/result.ts';
import { isColor, type PlotMeta } from '../run/result-meta.ts';
import { type AnswerDrawing, answerDrawings } from './answer-drawings.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Numbers = readonly (number | null)[];
type PlotMetas = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface Answer extends AnswerBesideSeries {
  readonly status: 'success';
  /** The series of numbers in the order of the script, then fills, backgrounds and colored bars with their colors. */
  readonly series: Readonly<Record<string, Numbers | Colors>>;
  /** The first series of numbers. */
  readonly plots: Numbers;
}

/**
 * The part of an answer that is small whatever the number of bars; a service writes the series in a faster way. Events,
 * trades, equity and metrics are those of a strategy, and empty for indicators.
 */
export interface AnswerBesideSeries extends StrategyAnswer {
  readonly plot_meta: PlotMetas;
  /** What the script says of itself, and `plot_meta` once more: charting clients look for it here. */
  readonly meta: Readonly<Record<string, ConstantValue | PlotMetas>>;
  readonly drawings: readonly AnswerDrawing[];
  readonly alerts: readonly AnswerAlert[];
  readonly inputs: readonly ListedInput[];
  readonly logs: readonly AnswerLog[];
  readonly profile: null;
  readonly count: number;
  /** One engine serves all modes, and it compiles. */
  readonly mode: 'compile';
}

export interface AnswerAlert {
  readonly message: string;
  readonly freq: string;
  readonly bar_index: number;
  readonly time: number;
  readonly source: string;
  readonly title?: string;
}

export interface AnswerLog {
  readonly level: string;
  readonly message: string;
  readonly bar_index: number;
  readonly line: number;
}

/** `bars` are those the script ran over: drawings are told by their times. */
export function answerOf(result: RunResult, bars: BarColumns): Answer {
  const series = [...result.series].map(([name, column]) => [name, numbers(column)] as const);
  return {
    status: 'success',
    series: Object.fromEntries<Numbers | Colors>([...series, ...colorSeries(result)]),
    plots: series[0]?.[1] ?? [],
    ...answerBesideSeries(result, bars),
  };
}

export function answerBesideSeries(result: RunResult, bars: BarColumns): AnswerBesideSeries {
  const plotMeta = Object.fromEntries([...result.plotMeta].map(([title, meta]) => [title, metaOf(meta)]));
  return {
    plot_meta: plotMeta,
    meta: { ...scriptMetaOf(result.meta), plot_meta: plotMeta },
    ...strategyAnswer(strategyReport(result, bars)),
    drawings: answerDrawings(result.drawings, bars, result.meta.timeframe),
    alerts: result.alerts.map(alertOf),
    inputs: result.inputs,
    logs: result.logs.map(logOf),
    profile: null,
    count: result.count,
    mode: 'compile',
  };
}

/** JSON knows neither NaN nor infinity. */
const numberOrNull = (value: number) => (Number.isFinite(value) ? value : null);

function numbers(column: Float64Array): Numbers {
  const list: (number | null)[] = new Array(column.length);
  for (let i = 0; i < column.length; i += 1) list[i] = numberOrNull(column[i] as number);
  return list;
}

/** Flat; what changes from bar to bar stands beside its last value in a list with an s at the end: `colors`. */
function metaOf({ title, kind, series, settings, columns }: PlotMeta): Record<string, Json> {
  const meta: Record<string, Json> = { title, kind, series };
  for (const [name, value] of Object.entries(settings))
    meta[name] = typeof value === 'number' ? numberOrNull(value) : value;
  for (const [name, column] of Object.entries(columns))
    meta[`${name}s`] = isColor(name) ? colorTexts(column) : numbers(column);
  return kind === 'fill' ? { ...meta, ...linesOf(settings) } : meta;
}

/** The titles of the two lines of a fill under one pair of names, whether they are plots or levels. */
function linesOf({ plot1, plot2, hline1, hline2 }: PlotMeta['settings']): Record<string, ConstantValue> {
  return { plot1: plot1 ?? hline1 ?? null, plot2: plot2 ?? hline2 ?? null };
}

function alertOf({ message, freq, barIndex, timeMs, source, title }: AlertItem): AnswerAlert {
  const alert = { message, freq, bar_index: barIndex, time: timeMs, source };
  return title === undefined ? alert : { ...alert, title };
}

const logOf = ({ level, message, barIndex, line }: LogItem): AnswerLog => ({
  level,
  message,
  bar_index: barIndex,
  line,
});

function scriptMetaOf(meta: ScriptMeta): Record<string, ConstantValue> {
  return {
    script_type: meta.scriptType,
    script_name: meta.scriptName,
    shorttitle: meta.shortTitle,
    overlay: meta.overlay,
    format: meta.format,
    precision: meta.precision,
    scale: meta.scale,
    version: meta.version,
    symbol: meta.symbol,
    timeframe: meta.timeframe,
    timezone: meta.timezone,
    dropped_alerts: meta.droppedAlerts,
    dropped_logs: meta.droppedLogs,
  };
}

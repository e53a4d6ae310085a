// A result as the evaluate contract has it: plain JSON, null for na. The service adds `script_id` and `run_id`.

import type { ConstantValue } from '../check/tree.ts';
import type { AlertItem } from './alerts.ts';
import type { ListedInput } from './input-values.ts';
import type { LogItem } from './logs.ts';
import type { RunResult, ScriptMeta } from './result.ts';
import { colorText, isColor, type PlotMeta } from './result-meta.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Numbers = readonly (number | null)[];

export interface Answer {
  readonly status: 'success';
  readonly series: Readonly<Record<string, Numbers>>;
  readonly plots: Numbers;
  readonly plot_meta: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** Orders, trades, equity and figures of a strategy; empty for indicators. */
  readonly events: readonly never[];
  readonly trades: readonly never[];
  readonly equity: readonly never[];
  readonly metrics: Readonly<Record<string, never>>;
  readonly drawings: readonly unknown[];
  readonly alerts: readonly AnswerAlert[];
  readonly inputs: readonly ListedInput[];
  readonly logs: readonly AnswerLog[];
  readonly profile: null;
  readonly meta: Readonly<Record<string, ConstantValue>>;
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

export function answerOf(result: RunResult): Answer {
  const series = new Map([...result.series].map(([name, column]) => [name, numbers(column)]));
  const [plots = []] = series.values();
  return {
    status: 'success',
    series: Object.fromEntries(series),
    plots,
    plot_meta: Object.fromEntries([...result.plotMeta].map(([title, meta]) => [title, metaOf(meta)])),
    events: [],
    trades: [],
    equity: [],
    metrics: {},
    drawings: result.drawings,
    alerts: result.alerts.map(alertOf),
    inputs: result.inputs,
    logs: result.logs.map(logOf),
    profile: null,
    meta: scriptMetaOf(result.meta),
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

/** A script uses a handful of colors on many bars, so that their texts are made once. */
function colors(column: Float64Array): readonly (string | null)[] {
  const texts = new Map<number, string | null>();
  const list: (string | null)[] = new Array(column.length);
  for (let i = 0; i < column.length; i += 1) {
    const color = column[i] as number;
    let text = texts.get(color);
    if (text === undefined) {
      text = colorText(color);
      texts.set(color, text);
    }
    list[i] = text;
  }
  return list;
}

/** Flat; what changes from bar to bar stands beside its last value in a list with an s at the end: `colors`. */
function metaOf({ title, kind, series, settings, columns }: PlotMeta): Record<string, Json> {
  const meta: Record<string, Json> = { title, kind, series };
  for (const [name, value] of Object.entries(settings))
    meta[name] = typeof value === 'number' ? numberOrNull(value) : value;
  for (const [name, column] of Object.entries(columns))
    meta[`${name}s`] = isColor(name) ? colors(column) : numbers(column);
  return meta;
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

// What a run left behind, in columns: series, how to draw them, drawings, alerts, logs and what the script says of itself.

import type { Broker } from '../broker/index.ts';
import type { CheckedProgram } from '../check/tree.ts';
import type { DrawingRecord } from '../drawings/index.ts';
import type { AlertItem } from './alerts.ts';
import type { ListedInput } from './input-values.ts';
import type { LogItem } from './logs.ts';
import type { Market } from './market.ts';
import type { OutputData } from './output-data.ts';
import { type PlotMeta, plotMeta } from './result-meta.ts';
import { namedOutputs, numberOf, withLeftOut } from './result-series.ts';
import type { RunWarning } from './run-warnings.ts';

export interface ScriptMeta {
  readonly scriptType: CheckedProgram['scriptType'];
  readonly scriptName: string;
  readonly shortTitle: string;
  readonly overlay: boolean;
  readonly format: string;
  /** Decimals of the script's numbers, or null: those of the chart. */
  readonly precision: number | null;
  readonly scale: string | null;
  readonly version: number;
  readonly symbol: string;
  readonly timeframe: string;
  readonly timezone: string;
  /** Alerts and log lines of which only the newest were kept. */
  readonly droppedAlerts: number;
  readonly droppedLogs: number;
}

export interface RunResult {
  /** Number of bars. */
  readonly count: number;
  /** How many of them, at the front, the script did not calculate. */
  readonly leftOut: number;
  /** By name, in the order of the script; each has `count` values and na as NaN. Values keep all their digits. */
  readonly series: ReadonlyMap<string, Float64Array>;
  /** The first series; empty when the script has none. */
  readonly plots: Float64Array;
  /** By title, in the order of the script. */
  readonly plotMeta: ReadonlyMap<string, PlotMeta>;
  readonly drawings: readonly DrawingRecord[];
  readonly alerts: readonly AlertItem[];
  readonly inputs: readonly ListedInput[];
  readonly logs: readonly LogItem[];
  /** What its owner should know of this run. */
  readonly warnings: readonly RunWarning[];
  readonly meta: ScriptMeta;
  /** The books of a strategy; null of any other script. */
  readonly broker: Broker | null;
}

/** Kept messages and the number of older ones that had to make room: Alerts and Logs are such. */
export interface Messages<T> {
  list(): readonly T[];
  readonly dropped: number;
}

export interface ResultParts {
  readonly program: CheckedProgram;
  /** One per output of the program, in its order. */
  readonly outputs: readonly OutputData[];
  readonly alerts: Messages<AlertItem>;
  readonly logs: Messages<LogItem>;
  /** Everything on the chart at the end, ready for JSON. */
  readonly drawings: readonly DrawingRecord[];
  /** As the evaluate contract lists them. */
  readonly inputs: readonly ListedInput[];
  readonly market: Market;
  readonly broker: Broker | null;
  readonly warnings: readonly RunWarning[];
  /** Bars that were calculated. */
  readonly count: number;
  /** Bars before those, on which the script has no values. */
  readonly leftOut: number;
}

/** The series are views of the columns, not copies: a live run goes on writing behind them. */
export function buildResult(parts: ResultParts): RunResult {
  const { program, outputs, alerts, logs, drawings, inputs, count, leftOut } = parts;
  const named = namedOutputs(program.outputs);
  const titles = new Map(named.map(({ place, title }) => [place, title]));
  const context = { titles, scriptOverlay: program.settings.overlay === true, count, leftOut };
  const series = new Map<string, Float64Array>();
  const meta = new Map<string, PlotMeta>();
  for (const output of named) {
    const data = outputs[output.place] as OutputData;
    for (const { name, parameter } of output.series) series.set(name, seriesOf(data, parameter, parts));
    meta.set(output.title, plotMeta(output, data, context));
  }
  const [plots = new Float64Array(0)] = series.values();
  return {
    count: count + leftOut,
    leftOut,
    series,
    plots,
    plotMeta: meta,
    drawings,
    alerts: alerts.list(),
    inputs,
    logs: logs.list(),
    warnings: parts.warnings,
    meta: metaOf(parts),
    broker: parts.broker,
  };
}

function seriesOf({ spec, settings, columns }: OutputData, parameter: string, { count, leftOut }: ResultParts) {
  const column = columns[parameter];
  // A level is a line across the chart and not calculated bar by bar.
  if (spec.name === 'hline' && column === undefined)
    return new Float64Array(count + leftOut).fill(numberOf(settings[parameter]));
  const values = column?.subarray(0, count) ?? constant(settings[parameter], count);
  return withLeftOut(values, leftOut);
}

const constant = (value: unknown, count: number) => new Float64Array(count).fill(numberOf(value));

function metaOf({ program, market, alerts, logs }: ResultParts): ScriptMeta {
  const { settings, title, scriptType, version } = program;
  const text = (name: string) => (typeof settings[name] === 'string' ? settings[name] : null);
  return {
    scriptType,
    scriptName: title,
    shortTitle: text('shorttitle') || title,
    overlay: settings.overlay === true,
    format: text('format') ?? 'inherit',
    precision: typeof settings.precision === 'number' ? settings.precision : null,
    scale: text('scale'),
    version,
    symbol: String(market.facts['syminfo.tickerid']),
    timeframe: String(market.facts['timeframe.period']),
    timezone: String(market.facts['syminfo.timezone']),
    droppedAlerts: alerts.dropped,
    droppedLogs: logs.dropped,
  };
}

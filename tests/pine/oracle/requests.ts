// How the oracle answers `request.security` of the chart's symbol: the whole script runs on bars of the longer timeframe,
// and what the expression is worth there is looked up bar by bar.

import type { BuiltinCallExpr, Expr } from '../../../src/pine/check/tree.ts';
import { type BarColumns, barColumns } from '../../../src/pine/run/bars.ts';
import { OracleGap } from './chart.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A chart without gaps and the length of its bars. */
export interface RequestingChart {
  readonly bars: BarColumns;
  readonly lengthMs: number;
}

/** The chart of the script itself. */
export const hours = (bars: BarColumns): RequestingChart => ({ bars, lengthMs: HOUR_MS });

/** Of the expression of one request, a value for each bar of the other chart. */
export type RunRequested = (call: BuiltinCallExpr, chart: RequestingChart) => readonly unknown[];

interface Answer {
  readonly values: readonly unknown[];
  /** By bar of the chart the place among them, or -1. */
  readonly places: readonly number[];
}

/** Monday, 1970-01-05, was day 4. */
const START: Readonly<Record<string, (timeMs: number) => number>> = {
  D: (timeMs) => Math.floor(timeMs / DAY_MS) * DAY_MS,
  W: (timeMs) => Math.floor((timeMs - 4 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + 4 * DAY_MS,
};
const LENGTH: Readonly<Record<string, number>> = { D: DAY_MS, W: 7 * DAY_MS };

/** The requests of a chart; every other one is made of the bars of the script's own. */
export class OracleRequests {
  private readonly script: BarColumns;
  private readonly chart: RequestingChart;
  private readonly run: RunRequested;
  private readonly answers = new Map<BuiltinCallExpr, Answer>();

  constructor(script: BarColumns, chart: RequestingChart, run: RunRequested) {
    this.script = script;
    this.chart = chart;
    this.run = run;
  }

  /** The value that the bar sees; undefined for na. */
  valueAt(call: BuiltinCallExpr, bar: number): unknown {
    const answer = this.answers.get(call) ?? this.answerTo(call);
    this.answers.set(call, answer);
    return answer.values[answer.places[bar]!];
  }

  private answerTo(call: BuiltinCallExpr): Answer {
    checkSymbol(call);
    const frame = constant(call, 'timeframe');
    const minutes = Number(frame);
    if (START[frame] === undefined && !(minutes >= 60 && minutes % 60 === 0 && 1440 % minutes === 0))
      throw new OracleGap(`requests of the timeframe ${frame}`);
    const length = LENGTH[frame] ?? minutes * 60_000;
    const startOf = START[frame] ?? ((timeMs: number) => Math.floor(timeMs / length) * length);
    const longer = this.longer(startOf);
    const { bars, lengthMs } = this.chart;
    const times = [...bars.time];
    const isOn = constant(call, 'lookahead') === 'lookahead_on';
    const seenAt = (timeMs: number): number => {
      if (!isOn) return longer.findLastIndex(({ time }) => time + length <= timeMs + lengthMs);
      const inside = longer.findIndex(({ time }) => time >= timeMs && time < timeMs + lengthMs);
      if (length < lengthMs && inside >= 0) return inside;
      return longer.findLastIndex(({ time }) => time <= timeMs);
    };
    const seen = times.map(seenAt);
    const first = longer[seen[0] ?? -1];
    const isFirstNew = first !== undefined && (isOn ? first.time >= times[0]! : first.time + length > times[0]!);
    const isNew = (place: number, bar: number) => (bar === 0 ? isFirstNew : place !== seen[bar - 1]);
    const hasGaps = constant(call, 'gaps') === 'gaps_on';
    const places = hasGaps ? seen.map((place, bar) => (isNew(place, bar) ? place : -1)) : seen;
    return { values: this.run(call, { bars: barColumns(longer), lengthMs: length }), places };
  }

  private longer(startOf: (timeMs: number) => number) {
    const { count, time, open, high, low, close, volume } = this.script;
    const groups = Map.groupBy(
      Array.from({ length: count }, (_, bar) => bar),
      (bar) => startOf(time[bar]!),
    );
    return [...groups].map(([startMs, bars]) => {
      const known = bars.map((bar) => volume[bar]!).filter((amount) => !Number.isNaN(amount));
      return {
        time: startMs,
        open: open[bars[0]!]!,
        high: Math.max(...bars.map((bar) => high[bar]!)),
        low: Math.min(...bars.map((bar) => low[bar]!)),
        close: close[bars.at(-1)!]!,
        volume: known.length === 0 ? Number.NaN : known.reduce((sum, amount) => sum + amount, 0),
      };
    });
  }
}

export const requestedExpression = (call: BuiltinCallExpr): Expr =>
  call.arguments.find(({ parameter }) => parameter.name === 'expression')!.values[0]!;

function checkSymbol(call: BuiltinCallExpr): void {
  const given = (name: string) => call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];
  const is = (expr: Expr | undefined, name: string) => expr?.kind === 'builtin' && expr.name === name;
  if (!is(given('symbol'), 'syminfo.tickerid')) throw new OracleGap('requests of other symbols');
  const isPlain = is(given('currency'), 'syminfo.currency') && given('calc_bars_count') === undefined;
  if (!isPlain) throw new OracleGap('requests in another currency, or of so many bars');
}

function constant(call: BuiltinCallExpr, name: string): string {
  const value = call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];
  if (value?.kind !== 'constant') throw new OracleGap(`requests whose ${name} is not written there`);
  return String(value.value);
}

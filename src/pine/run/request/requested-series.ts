// One requested expression on one symbol and timeframe: its values, and which of them each bar of the chart sees.

import { timeframes } from '../../values/index.ts';
import { BarFacts } from '../bar-facts.ts';
import { BAR_COLUMNS, type Bar, type BarColumns } from '../bars.ts';
import type { EmittedRequest } from '../script.ts';
import type { FoundBars } from './bar-library.ts';
import { canGrow, goesOn, LiveSeries } from './live-series.ts';
import { type BarTimes, type ChartTimes, type Merge, mergeIndex } from './merge.ts';
import type { ChartTick, RequestedRun, StartRun } from './requested-run.ts';
import { barAt, barsBetween } from './resample.ts';

/** A live bar of the chart that requests, and the time up to which anything may be known. */
export interface LiveBarTimes {
  readonly bar: Bar;
  readonly closeMs: number;
}

/** The chart that requests. */
export interface RequestingChart extends ChartTimes {
  readonly frame: timeframes.Timeframe;
}

export class RequestedSeries {
  found: FoundBars;
  times: BarTimes;
  /** Whether its timeframe is below the chart's, and whether it is not above it. */
  readonly isLower: boolean;
  readonly isWithin: boolean;
  run: RequestedRun;
  readonly #request: EmittedRequest;
  readonly #start: StartRun;
  readonly #chart: RequestingChart;
  readonly #indices = new Map<string, Int32Array>();
  #live: LiveSeries | null = null;
  /** The bars that a live chart may see without their growing. */
  #known: BarTimes;

  constructor(request: EmittedRequest, found: FoundBars, chart: RequestingChart, start: StartRun) {
    this.#request = request;
    this.found = found;
    this.#chart = chart;
    this.#start = start;
    this.times = timesOf(found);
    this.#known = this.times;
    this.isLower = timeframes.inSeconds(found.frame) < timeframes.inSeconds(chart.frame);
    this.isWithin = timeframes.inSeconds(found.frame) <= timeframes.inSeconds(chart.frame);
    this.run = this.#started(found.bars);
    this.run.runHistory();
  }

  /** By bar of the chart's history. */
  index(merge: Merge): Int32Array {
    const key = `${merge.lookahead} ${merge.gaps}`;
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = mergeIndex(this.#chart, this.times, merge, this.isLower);
    this.#indices.set(key, index);
    return index;
  }

  /** From here on the bars of the script's chart come one by one; `chart` has those so far, which end at `untilMs`. */
  goLive(chart: BarColumns, untilMs: number): void {
    const { found, times } = this;
    if (!goesOn(found)) return;
    const count = countUpTo(times.close, times.count, untilMs);
    this.#known = { ...times, count };
    if (!canGrow(found)) return;
    const bars = barsBetween(found.bars, 0, count);
    const run = this.#started(bars);
    run.runHistory();
    run.goLive(chart);
    this.#live = new LiveSeries(run, found, bars);
    const openFrom = count === 0 ? Number.NEGATIVE_INFINITY : times.close[count - 1]!;
    for (let place = 0; place < chart.count; place += 1)
      if (chart.time[place]! >= openFrom) this.#live.seed(barAt(chart, place));
  }

  /** Newer bars are known of a symbol that does not grow with the chart. */
  renew(found: FoundBars): void {
    // At most ticks nothing is new, and a run over all of them would be for nothing; one that requests others must look.
    if (this.#request.emitted.requests.length === 0 && isSameBars(found.bars, this.found.bars)) return;
    this.found = found;
    this.times = timesOf(found);
    this.#known = this.times;
    this.run = this.#started(found.bars);
    this.run.runHistory();
  }

  update(tick: ChartTick): void {
    this.#live?.update(tick);
  }

  /** Where the value that a live bar sees stands in the columns, or -1. */
  livePlace({ bar, closeMs }: LiveBarTimes, merge: Merge): number {
    if (this.#live !== null) return this.#live.isSeen(merge) ? this.#live.slot : -1;
    return placeAt(this.#known, bar.time, closeMs, merge, this.isLower);
  }

  /** Whether its bars go on with those of the chart. */
  get isGrowing(): boolean {
    return this.#live !== null;
  }

  /** The run that holds the values of live bars. */
  get liveRun(): RequestedRun {
    return this.#live?.run ?? this.run;
  }

  #started(bars: BarColumns): RequestedRun {
    const { info, frame } = this.found;
    return this.#start(this.#request, bars, { symbol: info, timeframe: timeframes.formatTimeframe(frame) });
  }
}

function timesOf({ bars, market }: FoundBars): BarTimes {
  const facts = new BarFacts(market);
  const close = new Float64Array(bars.count);
  for (let place = 0; place < bars.count; place += 1) close[place] = facts.time_close(bars.time[place]!);
  return { count: bars.count, time: bars.time, close };
}

/** The same as the index, for one bar of a chart that goes on while the requested bars do not. */
function placeAt(times: BarTimes, openMs: number, closeMs: number, merge: Merge, isLower: boolean): number {
  const chart = { count: 1, time: Float64Array.of(openMs), closeOf: () => closeMs };
  const first = Math.max(0, countUpTo(times.close, times.count, openMs) - 1);
  const later = {
    count: times.count - first,
    time: times.time.subarray(first),
    close: times.close.subarray(first),
  };
  const place = mergeIndex(chart, later, merge, isLower)[0]!;
  return place < 0 ? -1 : place + first;
}

/** How many of the sorted times are not later. */
export function countUpTo(sorted: Float64Array, count: number, timeMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSameBars(one: BarColumns, other: BarColumns): boolean {
  if (one.count !== other.count) return false;
  return BAR_COLUMNS.every((name) => {
    const [left, right] = [one[name], other[name]];
    for (let place = 0; place < one.count; place += 1) if (!Object.is(left[place], right[place])) return false;
    return true;
  });
}

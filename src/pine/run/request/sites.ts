// Calls of `request.security()` and `request.security_lower_tf()` as objects that generated code asks on every bar.

import { ItemArray, NumberArray, type PineArray, PineRuntimeError } from '../../values/index.ts';
import type { Merge } from './merge.ts';
import type { RequestedRun } from './requested-run.ts';
import { countUpTo, type RequestedSeries } from './requested-series.ts';
import type { RequestSettings, Requests } from './requests.ts';
import { transfer } from './transfer.ts';

type Text = string | null;

interface Places {
  readonly runtime: RequestedRun['runtime'];
  readonly from: number;
  readonly to: number;
}

const NO_GAPS: Merge = { gaps: false, lookahead: false };

const NO_BARS = new Int32Array(0);
const NO_NUMBERS = new Float64Array(0);

export class SecuritySite {
  private readonly requests: Requests;
  private readonly settings: RequestSettings;
  private readonly merge: Merge;
  private readonly values: unknown[];
  private symbol: Text | undefined;
  private timeframe: Text | undefined;
  private series: RequestedSeries | null = null;
  /** The place of the requested bar by bar of the chart's history. */
  private index: Int32Array = NO_BARS;
  private numbers: Float64Array = NO_NUMBERS;

  constructor(requests: Requests, settings: RequestSettings) {
    this.requests = requests;
    this.settings = settings;
    this.merge = { gaps: settings.gaps === 'gaps_on', lookahead: settings.lookahead === 'lookahead_on' };
    this.values = [...settings.na];
  }

  number(bar: number, symbol: Text, timeframe: Text): number {
    if (symbol !== this.symbol || timeframe !== this.timeframe) this.choose(symbol, timeframe);
    if (bar >= this.index.length) return this.at(bar, 0) as number;
    const place = this.index[bar]!;
    return place < 0 ? Number.NaN : this.numbers[place]!;
  }

  // What generated code reads itself, where symbol and timeframe are the same on every bar

  indexOf(symbol: Text, timeframe: Text): Int32Array {
    if (symbol !== this.symbol || timeframe !== this.timeframe) this.choose(symbol, timeframe);
    return this.index;
  }

  numbersOf(element: number): Float64Array {
    return this.series?.run.runtime.columns[element] ?? NO_NUMBERS;
  }

  liveNumber(bar: number, element: number): number {
    return this.at(bar, element) as number;
  }

  item(bar: number, symbol: Text, timeframe: Text): unknown {
    if (symbol !== this.symbol || timeframe !== this.timeframe) this.choose(symbol, timeframe);
    return this.at(bar, 0);
  }

  /** The list is the same on every bar: its elements are taken from it at once. */
  tuple(bar: number, symbol: Text, timeframe: Text): readonly unknown[] {
    if (symbol !== this.symbol || timeframe !== this.timeframe) this.choose(symbol, timeframe);
    for (let element = 0; element < this.values.length; element += 1) this.values[element] = this.at(bar, element);
    return this.values;
  }

  private at(bar: number, element: number): unknown {
    const { series } = this;
    const na = this.settings.na[element];
    if (series === null) return na;
    const isHistory = bar < this.index.length;
    const { live } = this.requests;
    if (!isHistory && live === null) return na;
    const place = isHistory ? this.index[bar]! : series.livePlace(live!, this.merge);
    if (place < 0) return na;
    const { runtime } = isHistory ? series.run : series.liveRun;
    if (this.settings.isNumber[element]) return runtime.columns[element]![place];
    return transfer(runtime.items[element]![place] ?? na, this.requests.journal);
  }

  private choose(symbol: Text, timeframe: Text): void {
    this.series = this.requests.find(this.settings, symbol, timeframe);
    this.index = this.series?.index(this.merge) ?? NO_BARS;
    this.numbers = this.series?.run.runtime.columns[0] ?? this.numbers;
    this.symbol = symbol;
    this.timeframe = timeframe;
  }
}

/** The values of all bars of a lower timeframe that lie in the chart's bar, as arrays. */
export class LowerTimeframeSite {
  private readonly requests: Requests;
  private readonly settings: RequestSettings;

  constructor(requests: Requests, settings: RequestSettings) {
    this.requests = requests;
    this.settings = settings;
  }

  array(bar: number, symbol: Text, timeframe: Text): PineArray<unknown> | null {
    const series = this.requests.find(this.settings, symbol, timeframe);
    return this.isTooLong(series) ? null : this.arrayOf(series, bar, 0);
  }

  tuple(bar: number, symbol: Text, timeframe: Text): (PineArray<unknown> | null)[] {
    const series = this.requests.find(this.settings, symbol, timeframe);
    const isTooLong = this.isTooLong(series);
    return this.settings.na.map((_, element) => (isTooLong ? null : this.arrayOf(series, bar, element)));
  }

  private isTooLong(series: RequestedSeries | null): boolean {
    if (series === null || series.isWithin) return false;
    if (this.settings.ignoreTimeframe === true) return true;
    throw new PineRuntimeError(
      `request.security_lower_tf() asks for a timeframe above the chart's. Ask for the chart's own or a lower one, or write ignore_invalid_timeframe = true.`,
    );
  }

  private arrayOf(series: RequestedSeries | null, bar: number, element: number): PineArray<unknown> {
    const { journal } = this.requests;
    const isNumber = this.settings.isNumber[element]!;
    const empty: readonly number[] = [];
    if (series === null)
      return isNumber ? (NumberArray.of(journal, empty) as PineArray<unknown>) : ItemArray.of(journal, []);
    const { runtime, from, to } = this.placesIn(series, bar);
    if (isNumber)
      return NumberArray.of(journal, Array.from(runtime.columns[element]!.subarray(from, to))) as PineArray<unknown>;
    const items = runtime.items[element]!.slice(from, to);
    return ItemArray.of<unknown>(
      journal,
      items.map((item) => transfer(item ?? null, journal)),
    );
  }

  /** The first bar inside, the first behind, and the run that has their values. */
  private placesIn(series: RequestedSeries, bar: number): Places {
    const { chart, live } = this.requests;
    const isHistory = bar < chart.count;
    if (!isHistory && series.isGrowing) {
      const slot = series.livePlace(live!, NO_GAPS);
      return { runtime: series.liveRun.runtime, from: Math.max(slot, 0), to: slot + 1 };
    }
    const openMs = isHistory ? chart.time[bar]! : (live?.bar.time ?? Number.NaN);
    const closeMs = isHistory ? chart.closeOf(openMs) : (live?.closeMs ?? Number.NaN);
    const { times, run } = series;
    return { runtime: run.runtime, from: startsBefore(times, openMs), to: startsBefore(times, closeMs) };
  }
}

/** How many bars open before a time. */
function startsBefore({ time, count }: RequestedSeries['times'], timeMs: number): number {
  const upTo = countUpTo(time, count, timeMs);
  let place = upTo;
  while (place > 0 && time[place - 1] === timeMs) place -= 1;
  return place;
}

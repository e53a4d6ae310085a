// The requests of one run: finds the bars that a call asks for, runs its expression over them once, and keeps the answer.

import { type Journal, PineRuntimeError } from '../../values/index.ts';
import { BarFacts } from '../bar-facts.ts';
import type { Bar, BarColumns } from '../bars.ts';
import type { Logs } from '../logs.ts';
import type { Market } from '../market.ts';
import type { EmittedRequest } from '../script.ts';
import type { BarLibrary, FoundBars } from './bar-library.ts';
import { currencyRates, inCurrency, type Rates } from './currency.ts';
import type { StartRun } from './requested-run.ts';
import { RequestedSeries, type RequestingChart } from './requested-series.ts';
import { barsBetween } from './resample.ts';

/** The language's own limit on different requests of a script. */
export const MAX_REQUESTS = 40;

export interface RequestsHost {
  readonly requests: readonly EmittedRequest[];
  readonly library: () => BarLibrary;
  readonly market: Market;
  readonly bars: BarColumns;
  readonly journal: Journal;
  readonly logs: Logs;
  readonly start: StartRun;
}

/** What a call says besides symbol and timeframe. */
export interface RequestSettings {
  /** The number of the request in the script. */
  readonly request: number;
  /** By element of the expression: whether it is a number, and its na. */
  readonly isNumber: readonly boolean[];
  readonly na: readonly unknown[];
  readonly gaps?: string;
  readonly lookahead?: string;
  readonly ignoreSymbol?: boolean;
  readonly ignoreTimeframe?: boolean;
  readonly currency?: string | null;
  readonly bars?: number;
}

/** The newest bar of the chart, while it is live. */
export interface LiveChartBar {
  readonly bar: Bar;
  readonly closeMs: number;
  readonly isClosing: boolean;
}

export class Requests {
  readonly journal: Journal;
  /** Bars of the chart before the first live one. */
  historyCount: number;
  live: LiveChartBar | null = null;
  readonly #host: RequestsHost;
  readonly #series = new Map<string, RequestedSeries>();
  readonly #told = new Set<string>();
  #chart: RequestingChart | null = null;
  #rates: Rates | null = null;
  /** The bars of the chart that have closed, since it is live. */
  #closed: BarColumns | null = null;

  constructor(host: RequestsHost) {
    this.#host = host;
    this.journal = host.journal;
    this.historyCount = host.bars.count;
  }

  /** The series that a call asks for; null when there is none and the call does not mind. */
  find(settings: RequestSettings, symbol: string | null, timeframe: string | null): RequestedSeries | null {
    const { request, currency = '', bars = 0, ignoreSymbol = false } = settings;
    const known = this.#host.requests[request]!;
    const number = this.#host.requests.indexOf(known);
    const key = [number, timeframe, currency, bars, symbol].join(' ');
    const before = this.#series.get(key);
    if (before !== undefined) return before;
    const found = this.#foundBars(symbol, timeframe ?? '', ignoreSymbol);
    if (found === null) return null;
    if (this.#series.size >= MAX_REQUESTS)
      throw new PineRuntimeError(
        `The script makes more than ${MAX_REQUESTS} different requests. Ask for fewer symbols or timeframes, or for several values at once with a tuple.`,
      );
    const shown = this.#limited(this.#inCurrency(found, currency ?? ''), bars);
    const series = new RequestedSeries(known, shown, this.chart, this.#host.start);
    this.#series.set(key, series);
    if (this.#closed !== null) this.#join(series, this.#closed);
    return series;
  }

  #foundBars(symbol: string | null, timeframe: string, ignore: boolean): FoundBars | null {
    const found = symbol === null ? null : this.library.find(symbol, timeframe);
    if (found !== null || ignore) return found;
    const frame = timeframe || this.#host.market.hours.timeframe;
    const wanted = `${symbol || 'the chart'}:${frame}`;
    throw new PineRuntimeError(
      `There are no bars of ${wanted}, and none they could be made of. Hand them in: --bars ${wanted}=FILE.csv on the command line, symbol_bars in a request to the API; or write ignore_invalid_symbol = true. There are ${this.library.symbols().join(', ')}.`,
    );
  }

  #limited(found: FoundBars, wanted: number): FoundBars {
    const { bars } = found;
    if (!(wanted > 0) || bars.count <= wanted) return found;
    return { ...found, bars: barsBetween(bars, bars.count - Math.trunc(wanted), bars.count) };
  }

  #inCurrency(found: FoundBars, currency: string): FoundBars {
    const own = String(found.market.facts['syminfo.currency']);
    if (currency === '' || currency === own) return found;
    return { ...found, bars: inCurrency(found.bars, (timeMs) => this.currencyRate(timeMs, own, currency, false)) };
  }

  /** The chart that requests; its closing times are worked out when they are first needed. */
  get chart(): RequestingChart {
    if (this.#chart !== null) return this.#chart;
    const { market } = this.#host;
    const bars = barsBetween(this.#host.bars, 0, this.historyCount);
    const facts = new BarFacts(market);
    const close = new Float64Array(bars.count);
    for (let place = 0; place < bars.count; place += 1) close[place] = facts.time_close(bars.time[place]!);
    this.#chart = {
      bars,
      times: { count: bars.count, time: bars.time, close },
      frame: market.timeframe,
      closeOf: (timeMs) => facts.time_close(timeMs),
    };
    return this.#chart;
  }

  /** How much of one currency a unit of another is worth, by the last day that was over. */
  currencyRate(timeMs: number, from: string | null, to: string | null, ignore: boolean): number {
    if (from === null || to === null) return Number.NaN;
    this.#rates ??= currencyRates(this.library);
    const rate = this.#rates.at(timeMs, from, to);
    if (rate !== null) return rate;
    if (ignore) return Number.NaN;
    throw new PineRuntimeError(
      `There is no rate from ${from} to ${to}. Hand in its daily bars: --bars ${from}${to}:1D=FILE.csv on the command line, symbol_bars in a request to the API; or write ignore_invalid_currency = true.`,
    );
  }

  /** Says once in the log why a function answers na. */
  unavailable(name: string, line: number): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#host.logs.write('warning', line, `${name}() answers na: there is no source of such data here.`);
  }

  get library(): BarLibrary {
    return this.#host.library();
  }

  // Live

  get isLive(): boolean {
    return this.#closed !== null;
  }

  /** From here on bars of the chart come one by one; `closed` gives those so far. */
  goLive(closed: BarColumns): void {
    this.#closed = closed;
    for (const series of this.#series.values()) series.goLive(closed);
  }

  /** Before the script runs a live bar of the chart. */
  update(bar: Bar, isClosing: boolean): void {
    const closeMs = this.chart.closeOf(bar.time);
    this.live = { bar, closeMs, isClosing };
    for (const series of this.#series.values()) series.update(bar, closeMs, isClosing);
  }

  /** A series that is first asked for while the chart is live. */
  #join(series: RequestedSeries, closed: BarColumns): void {
    series.goLive(closed);
    if (this.live !== null) series.update(this.live.bar, this.live.closeMs, this.live.isClosing);
  }
}

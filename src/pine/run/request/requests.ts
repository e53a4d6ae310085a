// The requests of one run: finds the bars that a call asks for, runs its expression over them once, and keeps the answer.

import { type Journal, PineRuntimeError } from '../../values/index.ts';
import { BarFacts } from '../bar-facts.ts';
import type { Bar, BarColumns } from '../bars.ts';
import type { Logs } from '../logs.ts';
import type { Market } from '../market.ts';
import type { EmittedRequest } from '../script.ts';
import { readTickerId } from '../tickers.ts';
import type { BarLibrary, FoundBars } from './bar-library.ts';
import { type AccountRate, currencyRates, inCurrency, type Rates } from './currency.ts';
import { goesOn } from './live-series.ts';
import { MissingBarsError } from './missing-bars.ts';
import type { ChartTick, StartRun } from './requested-run.ts';
import { type LiveBarTimes, RequestedSeries, type RequestingChart } from './requested-series.ts';
import { barsBetween } from './resample.ts';

/** The language's own limit on different requests of a script. */
export const MAX_REQUESTS = 40;

/** Of requests, and requests inside of them: each runs a part of the script over bars of its own. */
const MAX_RUNS = 400;

/** As far back as a series that is first asked for on a live chart can see: as far as anything can look. */
const MAX_TICKS = 10_000;

export interface RequestsHost {
  readonly requests: readonly EmittedRequest[];
  readonly library: () => BarLibrary;
  readonly market: Market;
  readonly bars: BarColumns;
  /** Bars before the first live one. */
  readonly historyCount: number;
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

export class Requests {
  readonly journal: Journal;
  readonly historyCount: number;
  /** The newest bar of the chart that requests, while it is live. */
  live: LiveBarTimes | null = null;
  readonly #host: RequestsHost;
  readonly #series = new Map<string, RequestedSeries>();
  /** How each series is made again of newer bars. */
  readonly #renewals = new Map<RequestedSeries, () => void>();
  readonly #told = new Set<string>();
  #chart: RequestingChart | null = null;
  #rates: Rates | null = null;
  /** Of the one account that there is. */
  #accountRate: AccountRate | null = null;
  #ownFacts: BarFacts | null = null;
  /** Of the script's own chart, since it is live: the bars that have closed, and the newest one. */
  #closed: BarColumns | null = null;
  #tick: ChartTick | null = null;
  /** Those with which bars closed since, for a series that is first asked for later. */
  #ticks: ChartTick[] = [];

  constructor(host: RequestsHost) {
    this.#host = host;
    this.journal = host.journal;
    this.historyCount = host.historyCount;
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
    this.library.runs += 1;
    if (this.library.runs > MAX_RUNS)
      throw new PineRuntimeError(
        `Requests inside of requests come to more than ${MAX_RUNS} in all. Ask for fewer symbols or timeframes inside of them.`,
      );
    if (this.#series.size >= MAX_REQUESTS)
      throw new PineRuntimeError(
        `The script makes more than ${MAX_REQUESTS} different requests. Ask for fewer symbols or timeframes, or for several values at once with a tuple.`,
      );
    const shown = (plain: FoundBars) => this.#limited(this.#inCurrency(plain, currency ?? ''), bars);
    const series = new RequestedSeries(known, shown(found), this.chart, this.#host.start);
    this.#series.set(key, series);
    this.#renewals.set(series, () => {
      const newer = this.library.find(symbol ?? '', timeframe ?? '');
      if (newer !== null) series.renew(shown(newer));
    });
    if (this.#closed !== null) this.#joinLive(series);
    return series;
  }

  #foundBars(symbol: string | null, timeframe: string, ignore: boolean): FoundBars | null {
    const found = symbol === null ? null : this.library.find(symbol, timeframe);
    if (found !== null || ignore) return found;
    const frame = timeframe || this.#host.market.hours.timeframe;
    // Heikin-Ashi bars, bricks and the like are made of plain ones: those are missing.
    const plain = readTickerId(symbol ?? '').symbol;
    const wanted = plain === '' ? `the chart's own symbol at ${frame}` : `${plain}:${frame}`;
    throw new MissingBarsError(
      `There are no bars of ${wanted}, and none they could be made of. Hand them in: --bars ${plain}:${frame}=FILE.csv on the command line, symbol_bars in a request to the API; or write ignore_invalid_symbol = true. There are ${this.library.symbols().join(', ')}.`,
      plain,
      frame,
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

  /** The chart that requests. */
  get chart(): RequestingChart {
    if (this.#chart !== null) return this.#chart;
    const { market, bars } = this.#host;
    const facts = new BarFacts(market);
    this.#chart = {
      count: this.historyCount,
      time: bars.time,
      frame: market.timeframe,
      closeOf: (timeMs) => facts.time_close(timeMs),
    };
    return this.#chart;
  }

  /** How much of one currency a unit of another is worth, by the last day that was over. */
  currencyRate(timeMs: number, from: string | null, to: string | null, ignore: boolean): number {
    if (from === null || to === null) return Number.NaN;
    const rate = this.#ratesNow().at(timeMs, from, to);
    if (rate !== null) return rate;
    if (ignore) return Number.NaN;
    throw new PineRuntimeError(
      `There is no rate from ${from} to ${to}. Hand in its daily bars: --bars ${from}${to}:1D=FILE.csv on the command line, symbol_bars in a request to the API; or write ignore_invalid_currency = true.`,
    );
  }

  /** The rates that an account is converted at; null when there are no bars of the pair. */
  accountRate(from: string, to: string): AccountRate | null {
    this.#accountRate ??= this.#ratesNow().ofAccount(from, to);
    return this.#accountRate;
  }

  #ratesNow(): Rates {
    this.#rates ??= currencyRates(this.library);
    return this.#rates;
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

  /** From here on bars of the script's chart come one by one; `closed` has those so far. */
  goLive(closed: BarColumns): void {
    this.#closed = closed;
    for (const series of this.#series.values()) this.#joinLive(series);
  }

  /** Before a live bar of this chart is run; without a tick of the script's own chart nothing grows. */
  update(bar: Bar, tick: ChartTick | null): void {
    if (tick !== null) this.#note(tick);
    // A requested bar may end later than the script's chart knows.
    const knownUntilMs = this.#tick?.closeMs ?? Number.POSITIVE_INFINITY;
    this.live = { bar, closeMs: Math.min(this.chart.closeOf(bar.time), knownUntilMs) };
    if (tick !== null) for (const series of this.#series.values()) series.update(tick);
  }

  /** Newer bars were handed in: what does not grow with the chart is worked out anew. */
  renew(): void {
    this.#rates = null;
    this.#accountRate = null;
    for (const [series, renew] of this.#renewals) {
      if (!goesOn(series.found)) renew();
      else series.liveRun.runtime.requests?.renew();
    }
  }

  tickOf(bar: Bar, isClosing: boolean): ChartTick {
    return { bar, closeMs: this.chart.closeOf(bar.time), isClosing };
  }

  #joinLive(series: RequestedSeries): void {
    const closed = this.#closed!;
    const last = closed.count === 0 ? Number.NaN : closed.time[closed.count - 1]!;
    series.goLive(closed, closed.count === 0 ? Number.NEGATIVE_INFINITY : this.#ownClose(last));
    for (const tick of this.#ticks) series.update(tick);
    if (this.#tick !== null) series.update(this.#tick);
  }

  #note(tick: ChartTick): void {
    if (this.#tick?.isClosing) this.#ticks.push(this.#tick);
    if (this.#ticks.length > 2 * MAX_TICKS) this.#ticks = this.#ticks.slice(MAX_TICKS);
    this.#tick = tick;
  }

  /** When a bar of the script's own chart closes. */
  #ownClose(timeMs: number): number {
    this.#ownFacts ??= new BarFacts(this.library.chartMarket);
    return this.#ownFacts.time_close(timeMs);
  }
}

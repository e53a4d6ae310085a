// The bars that a run can be asked for: those of its chart, those handed in beside it, and longer ones made of either.

import type { PineVersion } from '../../builtins/types.ts';
import type { ConstantValue } from '../../check/tree.ts';
import { PineRuntimeError, timeframes } from '../../values/index.ts';
import type { BarColumns } from '../bars.ts';
import { createMarket, type Market, type SymbolInfo } from '../market.ts';
import { type Modifiers, readTickerId } from '../tickers.ts';
import { readTimeframe } from '../written-timeframe.ts';
import { barsOfKind } from './chart-kinds.ts';
import { barsBetween, resample } from './resample.ts';
import { isSameSymbol, type SymbolBars } from './symbol-bars.ts';

type Timeframe = timeframes.Timeframe;

/** Bars of one symbol at one timeframe as they were handed in. */
export interface Series {
  readonly symbol: string;
  readonly frame: Timeframe;
  readonly bars: BarColumns;
  readonly info: SymbolInfo;
}

/** What was asked for, found. */
export interface FoundBars {
  readonly bars: BarColumns;
  readonly info: SymbolInfo;
  readonly frame: Timeframe;
  readonly market: Market;
  readonly modifiers: Modifiers;
  /** Whether the chart's own bars are of this symbol, so that new ones of the chart go on with these. */
  readonly isChartSymbol: boolean;
  /** Of the script's own chart. */
  readonly chartFrame: Timeframe;
}

export interface LibraryParts {
  readonly chart: BarColumns;
  readonly market: Market;
  readonly symbol: SymbolInfo | undefined;
  readonly others: readonly SymbolBars[];
  readonly version: PineVersion;
  /** Bars before this are not known to requests. */
  readonly fromMs?: number | undefined;
}

/** Facts of the chart that a requested expression sees too. */
const MAIN_FACTS = ['timeframe.main_period', 'syminfo.main_tickerid'] as const;

/** Names of one symbol differ from one another; these of the chart's are not those of another. */
const OWN_NAMES = ['tickerid', 'prefix', 'root', 'description', 'basecurrency', 'isin', 'current_contract'] as const;

export class BarLibrary {
  /** Those that were made join them: longer ones are made of these in less time. */
  #series: Series[] = [];
  /** The chart and what was handed in, also what lies before the range of a test. */
  #handedIn: readonly Series[] = [];
  readonly #chart: Series;
  readonly #version: PineVersion;
  readonly #fromMs: number | undefined;
  readonly #found = new Map<string, FoundBars | null>();

  /** Requests that were run over these bars, those inside of requests included. */
  runs = 0;
  /** Of the script's own chart. */
  readonly chartMarket: Market;
  readonly #mainFacts: Readonly<Record<string, ConstantValue>>;

  constructor({ chart, market, symbol = {}, others, version, fromMs }: LibraryParts) {
    this.#version = version;
    this.chartMarket = market;
    this.#mainFacts = Object.fromEntries(MAIN_FACTS.map((name) => [name, market.facts[name] ?? null]));
    const tickerid = String(market.facts['syminfo.tickerid'] ?? '');
    this.#chart = { symbol: tickerid, frame: market.timeframe, bars: chart, info: symbol };
    this.#fromMs = fromMs;
    this.handIn(others);
  }

  /** In place of what was handed in before. */
  handIn(others: readonly SymbolBars[]): void {
    const all = [...others.map((one) => this.#seriesOf(one)), this.#chart];
    const fromMs = this.#fromMs;
    this.#handedIn = all;
    this.#series = fromMs === undefined ? all : all.map((one) => ({ ...one, bars: barsSince(one.bars, fromMs) }));
    this.#found.clear();
    // What is requested of them is run anew, and counted anew.
    this.runs = 0;
  }

  /** The market of a requested symbol, with what it knows of the chart. */
  seenFromChart(market: Market): Market {
    return { ...market, facts: { ...market.facts, ...this.#mainFacts } };
  }

  #seriesOf({ symbol, timeframe, bars, info }: SymbolBars): Series {
    const isOwn = symbol === '' || isSameSymbol(symbol, this.#chart.symbol);
    const base = isOwn ? this.#chart.info : infoOfOther(this.#chart.info, symbol);
    const name = isOwn ? this.#chart.symbol : symbol;
    return { symbol: name, frame: readTimeframe(timeframe), bars, info: { ...base, ...info } };
  }

  /** An empty symbol or timeframe is the chart's; null when there are no such bars and none can be made. */
  find(tickerid: string, timeframe: string): FoundBars | null {
    const key = `${timeframe} ${tickerid}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#find(tickerid, timeframe);
    this.#found.set(key, found);
    return found;
  }

  /**
   * All bars of a symbol as they were handed in, and those of the chart where it is of that symbol, for which an empty
   * one stands. The range of a test does not cut them.
   */
  handedIn(symbol: string): Series[] {
    const name = symbol || this.#chart.symbol;
    return this.#handedIn.filter((series) => isSameSymbol(series.symbol, name));
  }

  /** Every symbol there is, for whoever asked for another; as they are handed in, where the chart's own has no name. */
  symbols(): string[] {
    const names = this.#handedIn.map(
      ({ symbol, frame }) => `${symbol}:${timeframes.formatTimeframe(frame)}${symbol === '' ? ' (the chart)' : ''}`,
    );
    return [...new Set(names)];
  }

  #find(tickerid: string, timeframe: string): FoundBars | null {
    const { symbol, modifiers } = readTickerId(tickerid);
    const frame = timeframe === '' ? this.#chart.frame : timeframes.parseTimeframe(timeframe);
    const isChartSymbol = symbol === '' || isSameSymbol(symbol, this.#chart.symbol);
    const name = isChartSymbol ? this.#chart.symbol : symbol;
    const source = this.#sourceOf(name, frame);
    if (source === null) return null;
    const market = createMarket(source.info, timeframes.formatTimeframe(frame), this.#version);
    const isSame = timeframes.formatTimeframe(source.frame) === timeframes.formatTimeframe(frame);
    const plain = isSame ? source.bars : resample(source.bars, market.calendar, frame);
    if (!isSame) this.#series.push({ ...source, frame, bars: plain });
    const bars = barsOfKind(plain, modifiers);
    if (bars === null)
      throw new PineRuntimeError(
        `Bars of the kind '${String(modifiers.type)}' cannot be requested. Use a standard, Heikin-Ashi, Renko or line break ticker.`,
      );
    return { bars, info: source.info, frame, market, modifiers, isChartSymbol, chartFrame: this.#chart.frame };
  }

  /** The bars themselves, else the longest ones they can be made of; what was handed in comes before the chart. */
  #sourceOf(symbol: string, frame: Timeframe): Series | null {
    let best: Series | null = null;
    for (const series of this.#series) {
      if (!(series.symbol === symbol || isSameSymbol(series.symbol, symbol)) || !canMake(series.frame, frame)) continue;
      if (best === null || lengthOf(series.frame) > lengthOf(best.frame)) best = series;
    }
    return best;
  }
}

const lengthOf = (frame: Timeframe): number => (frame.unit === 'T' ? 0 : timeframes.inSeconds(frame));

/** Bars of minutes are made of those that fit into them; bars of days, weeks and months of all shorter ones. */
function canMake(source: Timeframe, wanted: Timeframe): boolean {
  if (source.unit === wanted.unit && source.multiplier === wanted.multiplier) return true;
  if (lengthOf(source) > lengthOf(wanted)) return false;
  if (timeframes.isIntraday(wanted)) return source.unit === 'T' || lengthOf(wanted) % lengthOf(source) === 0;
  // Weeks do not fit into months, nor pairs of days into weeks.
  return timeframes.isIntraday(source) || (timeframes.isDaily(source) && source.multiplier === 1);
}

function infoOfOther(chart: SymbolInfo, symbol: string): SymbolInfo {
  const rest: Record<string, unknown> = { ...chart, ticker: symbol };
  for (const name of OWN_NAMES) delete rest[name];
  return rest;
}

function barsSince(bars: BarColumns, fromMs: number): BarColumns {
  let first = 0;
  while (first < bars.count && bars.time[first]! < fromMs) first += 1;
  return first === 0 ? bars : barsBetween(bars, first, bars.count);
}

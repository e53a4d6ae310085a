// The bars of other markets that deployed scripts request. What a script wants is known when it first runs without it; from
// then on it is there before each run.
//
// A requested bar counts when it is over by the close of the script's own bar, so that a run which is repeated later with
// more bars comes to the same end.

import type { MissingBars, SymbolBars } from '../../pine/index.ts';
import { barColumns } from '../../pine/light.ts';
import type { Refused } from '../script-runner.ts';
import type { MarketBar, MarketBars } from './ports.ts';

/** Of one deployment: a script that asks for more shall say so in its error. */
const MAX_SERIES = 20;
/** Of one series. Longer histories would make every close ask and hold too much. */
const MAX_BARS = 20_000;
/** Sources bound what one question may cost; this is below the bound of each. */
const BARS_PER_CALL = 1000;

/** From the first bar of the run up to where its last one closes. */
export interface RunStretch {
  readonly fromMs: number;
  readonly toMs: number;
}

interface KnownSeries {
  readonly wanted: MissingBars;
  fromMs: number;
  /** Bars that start before this and were over are known. */
  toMs: number;
  bars: MarketBar[];
}

export class RequestedBars {
  readonly #source: Pick<MarketBars, 'bars'>;
  /** By deployment, then by symbol and timeframe. */
  readonly #known = new Map<string, Map<string, KnownSeries>>();

  constructor(source: Pick<MarketBars, 'bars'>) {
    this.#source = source;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Runs with all that the deployment is known to request, and again with what turned out to be missing. */
  async runWith<T extends { readonly kind: string }>(
    id: string,
    stretch: RunStretch,
    run: (bars: readonly SymbolBars[]) => Promise<T | Refused>,
  ): Promise<T | Refused> {
    const series = this.#known.get(id) ?? new Map<string, KnownSeries>();
    this.#known.set(id, series);
    for (;;) {
      const given: SymbolBars[] = [];
      for (const one of series.values()) given.push(await this.#barsOf(one, stretch));
      const outcome = await run(given);
      const missing = missingIn(outcome);
      if (missing === undefined) return outcome;
      const key = `${missing.symbol} ${missing.timeframeMs}`;
      // A second time it is not a matter of bars: the market is not known, or had none yet.
      if (series.has(key) || series.size >= MAX_SERIES || !(missing.timeframeMs > 0)) return outcome;
      const fresh = { wanted: missing, fromMs: Number.NaN, toMs: Number.NaN, bars: [] };
      if (!(await this.#isThere(fresh, stretch))) return outcome;
      series.set(key, fresh);
    }
  }

  /** False where there is no such market or timeframe. */
  async #isThere(series: KnownSeries, stretch: RunStretch): Promise<boolean> {
    try {
      return (await this.#barsOf(series, stretch)).bars.count > 0;
    } catch (error) {
      if (error instanceof Error && (error.name === 'FeedRefusal' || error instanceof RangeError)) return false;
      throw error;
    }
  }

  async #barsOf(series: KnownSeries, { fromMs, toMs }: RunStretch): Promise<SymbolBars> {
    const { symbol, timeframe, timeframeMs } = series.wanted;
    const firstMs = Math.max(fromMs, toMs - MAX_BARS * timeframeMs);
    const startMs = Math.floor(firstMs / timeframeMs) * timeframeMs;
    if (!(series.fromMs <= startMs)) Object.assign(series, { fromMs: startMs, toMs: startMs, bars: [] });
    for (let askMs = series.toMs; askMs < toMs; askMs += BARS_PER_CALL * timeframeMs) {
      const endMs = Math.min(askMs + BARS_PER_CALL * timeframeMs, toMs);
      for (const bar of await this.#source.bars(marketOf(symbol), timeframeMs, askMs, endMs))
        if (bar.time >= series.toMs && bar.time + timeframeMs <= toMs) {
          series.bars.push(bar);
          series.toMs = bar.time + timeframeMs;
        }
    }
    series.bars = series.bars.filter(({ time }) => time >= startMs);
    return { symbol, timeframe, bars: barColumns(series.bars.filter(({ time }) => time + timeframeMs <= toMs)) };
  }
}

const missingIn = (outcome: { readonly kind: string } | Refused): MissingBars | undefined =>
  outcome.kind === 'runtime-error' && 'missingBars' in outcome ? outcome.missingBars : undefined;

/** `BINANCE:ETHUSDT.P` is the market ETHUSDT. */
const marketOf = (symbol: string): string =>
  symbol
    .slice(symbol.indexOf(':') + 1)
    .replace(/\.P$/i, '')
    .toUpperCase();

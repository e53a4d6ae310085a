// The port of market data: last prices and bars of one market, and whether they are real.

import type { Exchange } from '../exchanges/exchange.ts';

export interface Bar {
  /** Start of the bar, ms since 1970 UTC. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

export interface PriceSource {
  /** `simulated` is shown wherever a price is shown. */
  readonly label: 'simulated' | Exchange;
  /** The last traded price as decimal text on the market's tick, at the source's present moment. */
  lastPrice(market: string): Promise<string>;
  /** Bars of one timeframe whose start lies in [fromMs, toMs), oldest first; the last one may still be forming. */
  bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]>;
}

/** Decimal text, as the last price. */
export interface TradedRange {
  readonly low: string;
  readonly high: string;
}

/** Perpetual futures settle at 00, 08 and 16 o'clock UTC. */
export const FUNDING_EVERY_MS = 8 * 3_600_000;

/** A price source that can also say how far a market traded: the paper venue fills resting orders by it. */
export interface RangeSource extends PriceSource {
  /** For so long a market stands at one price, where the source knows; shorter stretches tell nothing more. */
  readonly grainMs?: number;
  /** Lowest and highest trade in [fromMs, toMs), never past the present; undefined when there was no trade. */
  range(market: string, fromMs: number, toMs: number): Promise<TradedRange | undefined>;
  /** The rate at which both sides of a market settle at this moment, as decimal text; absent where the source does not tell. */
  fundingRate?(market: string, atMs: number): Promise<string>;
  /**
   * Names that may have been meant, where it is certain that there is no such market; undefined where there is one, or
   * somebody would have to be asked.
   */
  unlisted?(market: string): readonly string[] | undefined;
}

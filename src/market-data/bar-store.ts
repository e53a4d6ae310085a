// The port of kept bars: a cache of what a venue's history said, so that it is asked for once.

import type { Bar } from './price-source.ts';

/** A stretch of time from one moment up to, not including, another; both are whole multiples of the timeframe since 1970. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface StoredBars {
  /** Oldest first. */
  readonly bars: readonly Bar[];
  /** Where nothing is known, oldest first; elsewhere the bars given are all there are. */
  readonly missing: readonly Stretch[];
}

/** A market in one timeframe, and from where to where something of it is known. There may be holes between. */
export interface StoredSeries extends Stretch {
  readonly market: string;
  readonly timeframeMs: number;
}

/** A failing store rejects; whoever asks then goes to the venue. */
export interface BarStore {
  read(market: string, timeframeMs: number, stretch: Stretch): Promise<StoredBars>;
  /** These bars are final, and all there are in the stretch. */
  write(market: string, timeframeMs: number, stretch: Stretch, bars: readonly Bar[]): Promise<void>;
  /** Undefined where nothing of it is known. */
  span(market: string, timeframeMs: number): Promise<Stretch | undefined>;
  /** Everything there is, by market, then from the smallest timeframe. */
  series(): Promise<readonly StoredSeries[]>;
  close(): Promise<void>;
}

/** The multiple of the timeframe a moment lies in: every bar has one of its own, wherever weeks begin. */
export const slotStart = (timeMs: number, timeframeMs: number): number =>
  Math.floor(timeMs / timeframeMs) * timeframeMs;

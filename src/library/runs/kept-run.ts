// A kept run: everything that decided a backtest, by digest where it is long, and what came of it.

import type { StrategyAnswer } from '../../pine/index.ts';
import type { RepaintAnswer } from '../repaint-check.ts';

/** What kind of run it was can be told in half a year only by what stands here. */
export interface KeptRun {
  readonly id: string;
  readonly atMs: number;
  /** Its owner's words; empty where there are none. */
  readonly note: string;
  /** Version of Signalbox that ran it. */
  readonly engine: string;
  readonly script: KeptScript;
  /** As they were given, by title; the script's own defaults are in its digest. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What the strategy declares of its account, and what was said instead. */
  readonly settings: Readonly<Record<string, number | string | boolean | null>>;
  readonly market: KeptMarket;
  readonly repaint: RepaintAnswer;
  readonly metrics: StrategyAnswer['metrics'];
  /** How many there were, open ones too. */
  readonly tradeCount: number;
  /** The first of them. */
  readonly trades: readonly KeptTrade[];
  /** Of all trades and figures: two runs with the same one made the same. */
  readonly resultDigest: string;
}

export interface KeptScript {
  readonly title: string;
  /** The file, or the id in the library. */
  readonly name: string;
  /** In the library; null of a file. */
  readonly revision: number | null;
  readonly digest: string;
  readonly libraries: readonly { readonly name: string; readonly digest: string }[];
}

export interface KeptMarket {
  readonly symbol: string;
  readonly timeframe: string;
  /** An exchange, or `simulated`; left out for bars of a file, and of runs that older versions kept. */
  readonly priceSource?: string | undefined;
  /** Opening times of the first and the last bar. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly bars: number;
  readonly digest: string;
  /** Of what was said about the market besides, such as its tick; null where nothing was. */
  readonly infoDigest: string | null;
  /** Bars of other symbols and timeframes that it was given. */
  readonly others: readonly KeptSeries[];
}

export interface KeptSeries {
  readonly symbol: string;
  readonly timeframe: string;
  readonly bars: number;
  readonly digest: string;
}

export interface KeptTrade {
  readonly direction: 'long' | 'short';
  readonly entryTimeMs: number;
  readonly entryPrice: number;
  /** Null while it is open. */
  readonly exitTimeMs: number | null;
  readonly exitPrice: number | null;
  readonly quantity: number;
  /** Null where a price was none. */
  readonly profit: number | null;
}

/**
 * Of one user, and of one folder. A year of two a day; at some 100 KB each they stay below 50 MB. Beyond it the oldest
 * without a note goes first, because a note says that somebody wants to find it again.
 */
export const MAX_KEPT_RUNS = 500;
/** Enough to see where two runs part; what comes later differs by then anyway, or shows in the digest. */
export const MAX_KEPT_TRADES = 500;
export const MAX_NOTE_CHARS = 1000;
/** All of its inputs together fit on a page. */
export const MAX_INPUTS_CHARS = 16_384;

export const ALL_NOTED = `${MAX_KEPT_RUNS} runs are kept and all of them have a note; remove one, or take its note away`;

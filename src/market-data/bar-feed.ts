// The port of one venue's bars: history in pages of any length, and one live stream per market and timeframe.

import type { Bar, PriceSource } from './price-source.ts';

export interface LiveBar extends Bar {
  /** Whether the bar is final: it will not change again. */
  readonly closed: boolean;
}

/** `live`: bars come. `reconnecting`: the upstream is lost and being sought again; nothing is known meanwhile. */
export type FeedState = 'connecting' | 'live' | 'reconnecting';

export interface FeedListener {
  onState(state: FeedState, reason?: string): void;
  /** The forming bar as it changes and each bar once it is final. After a loss bars may be missing or come again. */
  onBar(bar: LiveBar): void;
}

/** The market does not exist there, or not in that timeframe; the message says so. Asking again will not help. */
export class FeedRefusal extends Error {
  override readonly name = 'FeedRefusal';
}

export interface BarFeed {
  readonly label: PriceSource['label'];
  /** The timeframes the venue has of its own, in ms. */
  readonly timeframesMs: readonly number[];
  /** The names of all markets there are. Rejects when the venue cannot be reached just now. */
  marketNames(): Promise<readonly string[]>;
  /**
   * Bars whose start lies in [fromMs, toMs), oldest first, no two of one time; the last may still be forming. Rejects
   * with FeedRefusal for an unknown market, and with another Error when the venue cannot be reached just now.
   */
  bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]>;
  /**
   * Connects, and connects again with growing waits whenever the upstream is lost, until it is closed. Nothing is told
   * before it has returned. Throws FeedRefusal for a timeframe not listed; a market that does not exist stays
   * `reconnecting` with the refusal as its reason, so ask for `bars` first.
   */
  follow(market: string, timeframeMs: number, listener: FeedListener): { close(): void };
  /** Ends every stream. */
  close(): void;
}

// What one venue's folder says about its public protocol; everything else about feeds is shared.

import type { BarFeed, LiveBar } from '../../market-data/bar-feed.ts';
import type { Bar } from '../../market-data/price-source.ts';
import type { StreamPlan } from '../stream-follower.ts';

/** One market at the venue. */
export interface Contract {
  /** Our name: BTCUSDT. */
  readonly market: string;
  /** The venue's name: BTCUSDT, BTC_USDT. */
  readonly symbol: string;
  /** Base currency in one unit of the venue's volume: MEXC counts contracts. */
  readonly volumeUnit: number;
  /** About when trading began. */
  readonly listedAtMs?: number | undefined;
}

/** `eventMs` is the venue's clock. */
export interface BarNews {
  readonly bars: readonly LiveBar[];
  readonly eventMs: number;
}

export type BarStreamPlan = StreamPlan<BarNews>;

export interface VenueProtocol {
  readonly label: BarFeed['label'];
  /** As people write it: Binance. */
  readonly title: string;
  /** Milliseconds to the venue's own word for that timeframe. */
  readonly intervals: ReadonlyMap<number, string>;
  /** Bars in one answer at most. */
  readonly maxPage: number;
  /** Rejects with FeedRefusal when the venue has no such market. */
  locate(market: string): Promise<Contract>;
  /** Every market there is. */
  contracts(): Promise<readonly Contract[]>;
  /** Bars that start in [fromMs, toMs), at most `maxPage` of them asked for, in any order. */
  page(contract: Contract, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]>;
  /** The last trade's price as the venue writes it. */
  lastPrice(contract: Contract): Promise<string>;
  /** The same of all markets at once, by the venue's names; one without a trade may be missing. */
  lastPrices(urgency?: 'urgent'): Promise<ReadonlyMap<string, string>>;
  /** So many questions for one price each spare the venue, or the line, more than one for all prices does. */
  readonly maxSinglePrices: number;
  stream(contract: Contract, timeframeMs: number): BarStreamPlan;
}

// A venue's feed out of its protocol: history in windows, streams that heal, and everything closed together.

import { type BarFeed, type FeedListener, FeedRefusal } from '../../market-data/bar-feed.ts';
import type { MarketList } from '../../market-data/market-list.ts';
import { ConnectGate } from '../connect-gate.ts';
import { StreamFollower } from '../stream-follower.ts';
import type { Asker } from './asker.ts';
import { BarSeries } from './bar-series.ts';
import type { FeedAddresses } from './feed-addresses.ts';
import { type FeedOptions, type Pacing, pacingOf } from './feed-options.ts';
import { collectBars, intervalOf } from './history.ts';
import { UpstreamError } from './upstream-error.ts';
import type { BarNews, VenueProtocol } from './venue-protocol.ts';

/** A bar feed that also tells last prices. */
export interface VenueFeed extends BarFeed, MarketList {
  /** The last trade's price as decimal text, asked for now. Rejects like `bars`. */
  lastPrice(market: string): Promise<string>;
  /** Those of all markets in one question, by our names; a market without a trade may be missing. */
  lastPrices(): Promise<ReadonlyMap<string, string>>;
  /** Who wants more prices than this at once asks for all of them. */
  readonly maxSinglePrices: number;
}

/** What each venue's feed.ts exports. */
export interface FeedFolder {
  readonly createFeed: (options: FeedOptions) => VenueFeed;
  readonly ADDRESSES: FeedAddresses;
}

/** Charts, scripts and paper trading share them; venues grow impatient with an address that has several hundred. */
const MAX_STREAMS = 250;

export function createVenueFeed(protocol: VenueProtocol, asker: Asker, options: FeedOptions): VenueFeed {
  const { nowMs, log } = options;
  async function bars(market: string, timeframeMs: number, fromMs: number, toMs: number) {
    intervalOf(protocol, timeframeMs);
    const contract = await protocol.locate(market);
    return collectBars(protocol, { contract, timeframeMs, fromMs, toMs }, { nowMs, log });
  }
  const streams = new Streams(protocol, bars, options);
  return {
    label: protocol.label,
    timeframesMs: [...protocol.intervals.keys()],
    async marketNames() {
      return (await protocol.contracts()).map(({ market }) => market);
    },
    bars,
    follow: (market, timeframeMs, listener) => streams.follow(market, timeframeMs, listener),
    lastPrice: async (market) => protocol.lastPrice(await protocol.locate(market)),
    maxSinglePrices: protocol.maxSinglePrices,
    async lastPrices() {
      const [contracts, prices] = await Promise.all([protocol.contracts(), protocol.lastPrices('urgent')]);
      return new Map(
        contracts.flatMap(({ market, symbol }) => {
          const price = prices.get(symbol);
          return price === undefined ? [] : [[market, price]];
        }),
      );
    },
    async markets() {
      const [contracts, prices] = await Promise.all([protocol.contracts(), protocol.lastPrices()]);
      return contracts.map(({ market, symbol }) => ({ market, lastPrice: prices.get(symbol) }));
    },
    close() {
      streams.close();
      asker.close();
    },
  };
}

interface Stream {
  close(): void;
}

/** The open streams of one venue. */
class Streams {
  readonly #protocol: VenueProtocol;
  readonly #bars: BarFeed['bars'];
  readonly #options: FeedOptions;
  readonly #pacing: Pacing;
  readonly #gate: ConnectGate;
  readonly #open = new Set<Stream>();
  #isClosed = false;

  constructor(protocol: VenueProtocol, bars: BarFeed['bars'], options: FeedOptions) {
    this.#protocol = protocol;
    this.#bars = bars;
    this.#options = options;
    this.#pacing = pacingOf(options);
    this.#gate = new ConnectGate(this.#pacing, options.monotonicMs);
  }

  follow(market: string, timeframeMs: number, listener: FeedListener): Stream {
    const { title } = this.#protocol;
    intervalOf(this.#protocol, timeframeMs);
    if (this.#isClosed) throw new UpstreamError(`the market data of ${title} is closed`);
    if (this.#open.size >= MAX_STREAMS)
      throw new UpstreamError(`${title}: at most ${MAX_STREAMS} streams at once; close one that nobody needs`);
    const ear = this.#guarded(market, listener);
    const { nowMs, log } = this.#options;
    const series = new BarSeries({
      ...{ timeframeMs, nowMs, log, pacing: this.#pacing, emit: ear.onBar },
      history: (fromMs, toMs) => this.#bars(market, timeframeMs, fromMs, toMs),
    });
    const follower = this.#connect(market, timeframeMs, series, ear);
    const stream = {
      close: (): void => {
        ear.leave();
        follower.close();
        series.close();
        this.#open.delete(stream);
      },
    };
    this.#open.add(stream);
    return stream;
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#open]) stream.close();
  }

  #connect(market: string, timeframeMs: number, series: BarSeries, listener: FeedListener): StreamFollower<BarNews> {
    const { monotonicMs, random, log } = this.#options;
    const protocol = this.#protocol;
    return new StreamFollower({
      ...{ title: protocol.title, pace: this.#pacing, monotonicMs, random, log },
      newsSilenceMs: this.#pacing.barSilenceMs,
      isRefused: (error) => error instanceof FeedRefusal,
      admitMs: () => this.#gate.admitMs(),
      plan: async () => protocol.stream(await protocol.locate(market), timeframeMs),
      onState(state, reason) {
        if (state !== 'live') series.interrupt();
        listener.onState(state, reason);
      },
      onNews({ bars, eventMs }) {
        for (const bar of bars) series.take(bar, eventMs);
      },
    });
  }

  /** The listener, told nothing after it has left. One that throws must not take the stream with it. */
  #guarded(market: string, listener: FeedListener): FeedListener & { leave(): void } {
    let hasLeft = false;
    const tell = (say: () => void): void => {
      try {
        if (!hasLeft) say();
      } catch (error) {
        this.#options.log.warn({ err: error, market }, `a listener of ${this.#protocol.title}'s stream failed`);
      }
    };
    return {
      onState: (state, reason) => tell(() => listener.onState(state, reason)),
      onBar: (bar) => tell(() => listener.onBar(bar)),
      leave() {
        hasLeft = true;
      },
    };
  }
}

// A venue's feed out of its protocol: history in windows, streams that heal, and everything closed together.

import type { BarFeed, FeedListener, LiveBar } from '../../market-data/bar-feed.ts';
import type { Asker } from './asker.ts';
import { BarLine } from './bar-line.ts';
import { type FeedOptions, pacingOf } from './feed-options.ts';
import { ConnectGate, Follower } from './follower.ts';
import { collectBars, intervalOf } from './history.ts';
import { UpstreamError } from './upstream-error.ts';
import type { VenueProtocol } from './venue-protocol.ts';

/** A bar feed that also tells the last price. */
export interface VenueFeed extends BarFeed {
  /** The last trade's price as decimal text, asked for now. Rejects like `bars`. */
  lastPrice(market: string): Promise<string>;
}

/** Charts, scripts and paper trading share them; venues grow impatient with an address that has several hundred. */
const MAX_STREAMS = 250;

export function createVenueFeed(protocol: VenueProtocol, asker: Asker, options: FeedOptions): VenueFeed {
  const { nowMs, monotonicMs, random, log } = options;
  const { label, title } = protocol;
  const pacing = pacingOf(options);
  const gate = new ConnectGate(pacing, monotonicMs);
  const streams = new Set<{ close(): void }>();
  let isClosed = false;

  async function bars(market: string, timeframeMs: number, fromMs: number, toMs: number) {
    intervalOf(protocol, timeframeMs);
    const contract = await protocol.locate(market);
    return collectBars(protocol, { contract, timeframeMs, fromMs, toMs }, { nowMs, log });
  }

  function follow(market: string, timeframeMs: number, listener: FeedListener): { close(): void } {
    intervalOf(protocol, timeframeMs);
    if (isClosed) throw new UpstreamError(`the market data of ${title} is closed`);
    if (streams.size >= MAX_STREAMS)
      throw new UpstreamError(`${title}: at most ${MAX_STREAMS} streams at once; close one that nobody needs`);
    let isStopped = false;
    /** A listener that throws must not take the stream with it. */
    const tell = (say: () => void): void => {
      try {
        if (!isStopped) say();
      } catch (error) {
        log.warn({ err: error, market }, `a listener of ${title}'s stream failed`);
      }
    };
    const line = new BarLine({
      timeframeMs,
      pacing,
      nowMs,
      log,
      history: (fromMs, toMs) => bars(market, timeframeMs, fromMs, toMs),
      emit: (bar: LiveBar) => tell(() => listener.onBar(bar)),
    });
    const follower = new Follower({
      title,
      pacing,
      monotonicMs,
      random,
      log,
      admitMs: () => gate.admitMs(),
      plan: async () => protocol.stream(await protocol.locate(market), timeframeMs),
      onState(state, reason) {
        if (state !== 'live') line.interrupt();
        tell(() => listener.onState(state, reason));
      },
      onBars({ bars: frames, eventMs }) {
        for (const bar of frames) line.take(bar, eventMs);
      },
    });
    const stream = {
      close() {
        isStopped = true;
        follower.close();
        line.close();
        streams.delete(stream);
      },
    };
    streams.add(stream);
    return stream;
  }

  return {
    label,
    timeframesMs: [...protocol.intervals.keys()],
    bars,
    follow,
    lastPrice: async (market) => protocol.lastPrice(await protocol.locate(market)),
    close() {
      isClosed = true;
      for (const stream of [...streams]) stream.close();
      asker.close();
    },
  };
}

// The topics of the market-data stream: a market in one timeframe, followed once at the hub for all clients that subscribed.

import { createTokenBuckets } from '../../http/token-bucket.ts';
import type { FeedState } from '../../market-data/bar-feed.ts';
import type { BarHub, RefusalKind } from '../../market-data/bar-hub.ts';
import type { ScriptsErrorCode } from './errors.ts';
import type { FanOut, Seat } from './stream-fan-out.ts';
import { errorFrame, klineFrame, statusFrame, type Topic } from './stream-frames.ts';

/** Anybody may ask for any market, so some of the hub's places are left for live deployments. */
const MAX_TOPICS = 100;
/**
 * Each new market costs calls at the venue, which bans an address that makes too many, and trading with it. One client
 * flips through a few dozen charts; after a restart all of them come back at once.
 */
const OPENINGS_OF_ONE = { capacity: 30, refillPerMinute: 30 };
const OPENINGS_OF_ALL = { capacity: 100, refillPerMinute: 60 };
const MAX_ADDRESSES = 10_000;

const CODES: Readonly<Record<RefusalKind, ScriptsErrorCode>> = {
  market: 'INVALID_SYMBOL',
  timeframe: 'INVALID_INTERVAL',
  full: 'UNAVAILABLE',
};

export interface TopicSeat extends Seat {
  /** The market is followed no more: the seat is left, and the client was told why. */
  onEnded(): void;
}

interface FollowedTopic {
  readonly topic: Topic;
  /** Replaced, never changed: frames under way go to those who sat there when they were posted. */
  seats: readonly TopicSeat[];
  state: FeedState | undefined;
  /** The frame with the newest bar, which whoever joins gets first. */
  newest: Buffer | undefined;
}

export interface Topics {
  /** Sits down and hears the present state and the newest bar; otherwise the answer says why not, in words. */
  enter(topic: Topic, timeframeMs: number, seat: TopicSeat, address: string): string | undefined;
  leave(topic: Topic, seat: TopicSeat): void;
  readonly size: number;
}

export interface TopicsOptions {
  readonly hub: BarHub;
  readonly fanOut: FanOut;
  readonly monotonicMs: () => number;
  readonly maxTopics?: number;
}

export const topicName = ({ symbol, interval }: Topic): string => `${symbol} ${interval}`;

export function createTopics({ hub, fanOut, monotonicMs: nowMs, maxTopics = MAX_TOPICS }: TopicsOptions): Topics {
  const openingsOfOne = createTokenBuckets({ ...OPENINGS_OF_ONE, nowMs, maxKeys: MAX_ADDRESSES });
  const openingsOfAll = createTokenBuckets({ ...OPENINGS_OF_ALL, nowMs, maxKeys: 1 });
  const topics = new Map<string, { readonly followed: FollowedTopic; readonly handle: { close(): void } }>();

  const open = (topic: Topic, timeframeMs: number): FollowedTopic => {
    const followed: FollowedTopic = { topic, seats: [], state: undefined, newest: undefined };
    /** One for each bar: its changes replace each other while they wait, its end does not. */
    let forming = { time: Number.NaN };
    const handle = hub.follow(topic.symbol, timeframeMs, {
      onState(state) {
        followed.state = state;
        fanOut.post(followed.seats, statusFrame(state, topic));
      },
      onBar(bar) {
        if (bar.time !== forming.time) forming = { time: bar.time };
        followed.newest = klineFrame(topic, bar);
        fanOut.post(followed.seats, followed.newest, bar.closed ? undefined : forming);
      },
      onRefused(kind, message) {
        close(followed);
        const frame = errorFrame(CODES[kind], message, { symbol: topic.symbol, interval: topic.interval });
        for (const seat of followed.seats) {
          seat.send(frame);
          seat.isLeft = true;
          seat.onEnded();
        }
      },
    });
    topics.set(topicName(topic), { followed, handle });
    return followed;
  };

  const close = (followed: FollowedTopic): void => {
    const name = topicName(followed.topic);
    const open = topics.get(name);
    if (open?.followed !== followed) return;
    topics.delete(name);
    open.handle.close();
  };

  const faultOf = (address: string): string | undefined => {
    if (topics.size >= maxTopics) return 'Too many markets are followed already. Try again later.';
    const isSlow = openingsOfOne.take(address).allowed && openingsOfAll.take('all').allowed;
    return isSlow ? undefined : 'Too many new markets were asked for in a short time. Try again in a minute.';
  };

  return {
    get size() {
      return topics.size;
    },
    enter(topic, timeframeMs, seat, address) {
      const known = topics.get(topicName(topic))?.followed;
      const fault = known === undefined ? faultOf(address) : undefined;
      if (fault !== undefined) return fault;
      const followed = known ?? open(topic, timeframeMs);
      followed.seats = [...followed.seats, seat];
      if (followed.state !== undefined) seat.send(statusFrame(followed.state, topic));
      if (followed.newest !== undefined) seat.send(followed.newest);
      return undefined;
    },
    leave(topic, seat) {
      seat.isLeft = true;
      const followed = topics.get(topicName(topic))?.followed;
      if (followed === undefined) return;
      followed.seats = followed.seats.filter((other) => other !== seat);
      if (followed.seats.length === 0) close(followed);
    },
  };
}

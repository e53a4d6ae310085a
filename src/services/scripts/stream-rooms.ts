// The rooms of the market-data stream: all clients of one market and timeframe, served by one place at the hub.

import { createTokenBuckets } from '../../http/token-bucket.ts';
import type { FeedState } from '../../market-data/bar-feed.ts';
import type { BarHub, RefusalKind } from '../../market-data/bar-hub.ts';
import type { ScriptsErrorCode } from './errors.ts';
import type { FanOut, Seat } from './stream-fan-out.ts';
import { errorFrame, klineFrame, statusFrame, type Topic } from './stream-frames.ts';

/** Anybody may ask for any market, so some of the hub's places are left for live deployments. */
const MAX_ROOMS = 100;
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

export interface RoomSeat extends Seat {
  /** The room is no more: the seat is left, and the client was told why. */
  onEnded(): void;
}

interface Room {
  readonly topic: Topic;
  /** Replaced, never changed: frames under way go to those who sat there when they were posted. */
  seats: readonly RoomSeat[];
  state: FeedState | undefined;
  /** The frame with the newest bar, which whoever joins gets first. */
  newest: Buffer | undefined;
}

export interface Rooms {
  /** Sits down and hears the present state and the newest bar; otherwise the answer says why not, in words. */
  enter(topic: Topic, timeframeMs: number, seat: RoomSeat, address: string): string | undefined;
  leave(topic: Topic, seat: RoomSeat): void;
  readonly size: number;
}

export interface RoomsOptions {
  readonly hub: BarHub;
  readonly fanOut: FanOut;
  readonly monotonicMs: () => number;
  readonly maxRooms?: number;
}

export const topicName = ({ symbol, interval }: Topic): string => `${symbol} ${interval}`;

export function createRooms({ hub, fanOut, monotonicMs: nowMs, maxRooms = MAX_ROOMS }: RoomsOptions): Rooms {
  const openingsOfOne = createTokenBuckets({ ...OPENINGS_OF_ONE, nowMs, maxKeys: MAX_ADDRESSES });
  const openingsOfAll = createTokenBuckets({ ...OPENINGS_OF_ALL, nowMs, maxKeys: 1 });
  const rooms = new Map<string, { readonly room: Room; readonly handle: { close(): void } }>();

  const open = (topic: Topic, timeframeMs: number): Room => {
    const room: Room = { topic, seats: [], state: undefined, newest: undefined };
    /** One for each bar: its changes replace each other while they wait, its end does not. */
    let forming = { time: Number.NaN };
    const handle = hub.follow(topic.symbol, timeframeMs, {
      onState(state) {
        room.state = state;
        fanOut.post(room.seats, statusFrame(state, topic));
      },
      onBar(bar) {
        if (bar.time !== forming.time) forming = { time: bar.time };
        room.newest = klineFrame(topic, bar);
        fanOut.post(room.seats, room.newest, bar.closed ? undefined : forming);
      },
      onRefused(kind, message) {
        close(room);
        const frame = errorFrame(CODES[kind], message, { symbol: topic.symbol, interval: topic.interval });
        for (const seat of room.seats) {
          seat.send(frame);
          seat.isLeft = true;
          seat.onEnded();
        }
      },
    });
    rooms.set(topicName(topic), { room, handle });
    return room;
  };

  const close = (room: Room): void => {
    const name = topicName(room.topic);
    const open = rooms.get(name);
    if (open?.room !== room) return;
    rooms.delete(name);
    open.handle.close();
  };

  const faultOf = (address: string): string | undefined => {
    if (rooms.size >= maxRooms) return 'Too many markets are followed already. Try again later.';
    const isSlow = openingsOfOne.take(address).allowed && openingsOfAll.take('all').allowed;
    return isSlow ? undefined : 'Too many new markets were asked for in a short time. Try again in a minute.';
  };

  return {
    get size() {
      return rooms.size;
    },
    enter(topic, timeframeMs, seat, address) {
      const known = rooms.get(topicName(topic))?.room;
      const fault = known === undefined ? faultOf(address) : undefined;
      if (fault !== undefined) return fault;
      const room = known ?? open(topic, timeframeMs);
      room.seats = [...room.seats, seat];
      if (room.state !== undefined) seat.send(statusFrame(room.state, topic));
      if (room.newest !== undefined) seat.send(room.newest);
      return undefined;
    },
    leave(topic, seat) {
      seat.isLeft = true;
      const room = rooms.get(topicName(topic))?.room;
      if (room === undefined) return;
      room.seats = room.seats.filter((other) => other !== seat);
      if (room.seats.length === 0) close(room);
    },
  };
}

// Wraps a venue and a feed of market data: their alarms end as soon as they answer again, and those of the feed are raised.

import { UpstreamError } from '../adapters/market-data/upstream-error.ts';
import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import { venueAlarm } from '../trading/notifications/alarm.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { type Venue, VenueError } from '../trading/venue.ts';
import { overrideVenue } from './override-venue.ts';

/** The answer to an order is the proof: a paper venue knows its markets and positions also while nobody knows a price. */
export function endVenueAlarms<V extends Venue>(venue: V, alarms: Pick<RaisedAlarms, 'over'>): V {
  const placeOrder: Venue['placeOrder'] = async (request) => {
    try {
      const report = await venue.placeOrder(request);
      alarms.over(venueAlarm(venue.exchange));
      return report;
    } catch (error) {
      const hasAnswered =
        error instanceof VenueError && (error.failure === 'rejected' || error.failure === 'duplicate');
      if (hasAnswered) alarms.over(venueAlarm(venue.exchange));
      throw error;
    }
  };
  return overrideVenue(venue, { placeOrder });
}

/** How alarms speak of a feed. Feeds of several venues are there at once: each has alarms of its own. */
export interface FeedWords {
  readonly kind: string;
  /** Whose market data it is. */
  readonly venue: string;
}

/** Requests share one alarm; each stream has its own, since one may be lost while the others live. */
export function watchFeed(feed: VenueFeed, alarms: RaisedAlarms, { kind: requests, venue }: FeedWords): VenueFeed {
  const heard = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      const answer = await asked;
      alarms.over(requests);
      return answer;
    } catch (error) {
      if (error instanceof UpstreamError)
        alarms.raise(requests, `The market data of ${venue} does not answer: ${error.message}`);
      throw error;
    }
  };
  return {
    label: feed.label,
    timeframesMs: feed.timeframesMs,
    close: () => feed.close(),
    marketNames: () => heard(feed.marketNames()),
    markets: () => heard(feed.markets()),
    lastPrice: (market) => heard(feed.lastPrice(market)),
    lastPrices: () => heard(feed.lastPrices()),
    maxSinglePrices: feed.maxSinglePrices,
    bars: (market, timeframeMs, fromMs, toMs) => heard(feed.bars(market, timeframeMs, fromMs, toMs)),
    follow(market, timeframeMs, listener) {
      const kind = `${requests} stream ${market}`;
      const stream = feed.follow(market, timeframeMs, {
        onBar: (bar) => listener.onBar(bar),
        onState(state, reason) {
          if (state === 'reconnecting')
            alarms.raise(kind, `The live stream of ${market} at ${venue} is lost: ${reason ?? 'no reason given'}`);
          if (state === 'live') alarms.over(kind);
          listener.onState(state, reason);
        },
      });
      return {
        close() {
          alarms.over(kind);
          stream.close();
        },
      };
    },
  };
}

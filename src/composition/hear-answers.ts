// Ends the alarms about a venue and about market data as soon as they answer again, and raises those about market data.

import { UpstreamError } from '../adapters/market-data/upstream-error.ts';
import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import { venueAlarm } from '../trading/notifications/alarm.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { type Venue, VenueError } from '../trading/venue.ts';

/** The answer to an order is the proof: a paper venue knows its markets and positions also while nobody knows a price. */
export function hearAnswers<V extends Venue>(venue: V, alarms: RaisedAlarms): V {
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
  return { ...venue, placeOrder };
}

const REQUESTS = 'market data';

/** Requests share one alarm; each stream has its own, since one may be lost while the others live. */
export function watchFeed(feed: VenueFeed, alarms: RaisedAlarms): VenueFeed {
  const heard = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      const answer = await asked;
      alarms.over(REQUESTS);
      return answer;
    } catch (error) {
      if (error instanceof UpstreamError)
        alarms.raise(REQUESTS, `The market data of ${feed.label} does not answer: ${error.message}`);
      throw error;
    }
  };
  return {
    ...feed,
    lastPrice: (market) => heard(feed.lastPrice(market)),
    bars: (market, timeframeMs, fromMs, toMs) => heard(feed.bars(market, timeframeMs, fromMs, toMs)),
    follow(market, timeframeMs, listener) {
      const kind = `market data stream ${market}`;
      const stream = feed.follow(market, timeframeMs, {
        onBar: (bar) => listener.onBar(bar),
        onState(state, reason) {
          if (state === 'reconnecting')
            alarms.raise(kind, `The live stream of ${market} at ${feed.label} is lost: ${reason ?? 'no reason given'}`);
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

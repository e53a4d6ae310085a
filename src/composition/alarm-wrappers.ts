// Wraps a venue and a feed of market data: their alarms end as soon as they answer again, and those of the feed are raised.

import { UpstreamError } from '../adapters/market-data/upstream-error.ts';
import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import type { PaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import { venueAlarm } from '../trading/notifications/alarm.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { type Venue, VenueError } from '../trading/venue.ts';

/** The answer to an order is the proof: a paper venue knows its markets and positions also while nobody knows a price. */
export function endVenueAlarms(venue: PaperVenue, alarms: RaisedAlarms): PaperVenue {
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
  // Passed on one by one: a spread would lose the methods of a class, and `this` with them.
  return {
    exchange: venue.exchange,
    mode: venue.mode,
    account: venue.account,
    summary: () => venue.summary(),
    market: (symbol) => venue.market(symbol),
    unlisted: (market) => venue.unlisted(market),
    tickOf: (market) => venue.tickOf(market),
    positionMode: () => venue.positionMode(),
    positions: (market) => venue.positions(market),
    ensureLeverage: (market, leverage) => venue.ensureLeverage(market, leverage),
    placeOrder,
    findOrder: (market, clientOrderId) => venue.findOrder(market, clientOrderId),
    openOrders: (market) => venue.openOrders(market),
    cancelOrder: (market, clientOrderId) => venue.cancelOrder(market, clientOrderId),
    forcedOrders: () => venue.forcedOrders(),
    funding: (fromMs, toMs) => venue.funding(fromMs, toMs),
    fundingTotal: () => venue.fundingTotal(),
    watchOrders: (listener) => venue.watchOrders(listener),
    matchNow: () => venue.matchNow(),
    close: () => venue.close(),
  };
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
    label: feed.label,
    timeframesMs: feed.timeframesMs,
    close: () => feed.close(),
    marketNames: () => heard(feed.marketNames()),
    markets: () => heard(feed.markets()),
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

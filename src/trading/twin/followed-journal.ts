// The journal of the live desk, listened to: what it accepts, sends and ends is told to the twins, and never waits for them.

import type { Journal } from '../books/journal.ts';
import type { TwinFollower } from './twin-follower.ts';

type Listener = Pick<TwinFollower, 'accepted' | 'sending' | 'ended'>;

export function followedJournal(journal: Journal, listeners: readonly Listener[]): Journal {
  // Passed on one by one: a spread would lose the methods of a class, and `this` with them.
  return {
    async accept(trade, windowMs, further = []) {
      const acceptance = await journal.accept(trade, windowMs, further);
      if (acceptance.accepted)
        for (const listener of listeners) listener.accepted([trade, ...further], acceptance, windowMs);
      return acceptance;
    },
    sending(step) {
      for (const listener of listeners) listener.sending(step);
      return journal.sending(step);
    },
    async record(step, mayHold) {
      const recorded = await journal.record(step, mayHold);
      const { order } = step;
      if (order?.state === 'canceled' || order?.state === 'expired')
        for (const listener of listeners) listener.ended(order.clientOrderId);
      return recorded;
    },
    claimant: (idempotencyKey, afterMs) => journal.claimant(idempotencyKey, afterMs),
    duplicateOf: (trade, windowMs) => journal.duplicateOf(trade, windowMs),
    adopt: (adoption, mayHold) => journal.adopt(adoption, mayHold),
    guardResend: (bodyDigest, requestId, untilMs) => journal.guardResend(bodyDigest, requestId, untilMs),
    guardUnanswered: (receivedSinceMs, untilMs) => journal.guardUnanswered(receivedSinceMs, untilMs),
    unfinished: () => journal.unfinished(),
    trade: (requestId) => journal.trade(requestId),
    trades: (filter) => journal.trades(filter),
    fillsOf: (trades) => journal.fillsOf(trades),
    orders: (filter) => journal.orders(filter),
    positions: () => journal.positions(),
    strategyBooks: () => journal.strategyBooks(),
    probe: () => journal.probe(),
  };
}

// Stops that have acted at their venue: the order each has sent becomes a trade of the journal, of the strategy whose share it closes.
//
// The request id of the trade is the id of the stop, so however often it is found, by us or by a later process, it is booked once.

import { isFinal, type Journal, type NewTrade } from '../books/journal.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import type { Dispatcher } from '../execution/dispatch.ts';
import type { RestingOrders } from '../execution/resting-orders.ts';
import type { StartLook } from '../execution/start-look.ts';
import { type AcceptedSignal, acceptedSignals } from '../intake/accepted-signal.ts';
import type { OrderReport, Venue } from '../venue.ts';
import { LABEL } from './close-position.ts';
import type { StoredStop } from './venue-stop-store.ts';

export interface ActedStopParts {
  readonly journal: Pick<Journal, 'accept' | 'trade'>;
  readonly dispatcher: Pick<Dispatcher, 'bookInLane'>;
  readonly resting: Pick<RestingOrders, 'apply'>;
  readonly nowMs: () => number;
  /** Told once of each that has acted. */
  readonly onActed: (stop: StoredStop) => void;
}

/** `unseen`: the venue does not show its order yet. `open`: it may still fill. `ended`: all of it is in our books. */
export type Booking = 'unseen' | 'open' | 'ended';

export class ActedStops {
  readonly #parts: ActedStopParts;

  constructor(parts: ActedStopParts) {
    this.#parts = parts;
  }

  /** Runs in the lane. */
  async book(venue: Venue, stop: StoredStop): Promise<Booking> {
    const { journal, dispatcher, resting } = this.#parts;
    const lookup = await venue.findOrder(stop.share.market, stop.clientStopId);
    if (!lookup.found) return 'unseen';
    const accepted = await this.#accept(stop, lookup.order);
    if (accepted) await dispatcher.bookInLane(accepted);
    else if (!(await this.#isBooked(stop))) await resting.apply(lookup.order);
    const booked = await journal.trade(stop.clientStopId);
    return booked !== undefined && isFinal(booked.trade.state) ? 'ended' : 'open';
  }

  /** Takes back what its order has not filled. It may fill first: what is booked is the venue's last word on it. */
  async withdraw(venue: Venue, stop: StoredStop): Promise<Booking> {
    await venue.cancelOrder(stop.share.market, stop.clientStopId);
    return this.book(venue, stop);
  }

  /** Before the lanes are at work: writes it into the journal, where recovery finds it. */
  async lookUp(venue: Venue, stop: StoredStop, look: StartLook): Promise<void> {
    const lookup = await venue.findOrder(stop.share.market, stop.clientStopId);
    if (lookup.found) await look.write(() => this.#accept(stop, lookup.order));
  }

  async #isBooked({ clientStopId }: StoredStop): Promise<boolean> {
    const found = await this.#parts.journal.trade(clientStopId);
    return found !== undefined && isFinal(found.trade.state);
  }

  /** Undefined where it is known already. */
  async #accept(stop: StoredStop, { quantity }: OrderReport): Promise<AcceptedSignal | undefined> {
    const { journal, nowMs, onActed } = this.#parts;
    if (await journal.trade(stop.clientStopId)) return undefined;
    const { exchange, mode, account, market, side, strategy } = stop.share;
    const action = side === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT';
    const trade: NewTrade = {
      ...{ requestId: stop.clientStopId, receivedAtMs: nowMs(), source: stop.by, keyLabel: LABEL, mode, account },
      order: {
        ...{ exchange, action, symbol: market, market, quantity },
        ...(strategy !== NAMELESS && { strategy }),
      },
    };
    const acceptance = await journal.accept(trade, 0);
    if (!acceptance.accepted) return undefined;
    onActed(stop);
    return acceptedSignals([trade], acceptance)[0];
  }
}

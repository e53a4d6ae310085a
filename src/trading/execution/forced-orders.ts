// Orders that a venue places itself, such as liquidations: each becomes a trade of the journal, like one that was sent, so that
// positions, shares, profits and notices follow from its fills.
//
// Its request id is its client order id, which the venue's adapter makes from the venue's own number of it: however often a venue
// tells of an order, it is taken up once. After a crash the
// orders of the time in between are found by asking, before our positions are compared with the venue's; and the venue is asked
// again and again, because an order that could not be written down when the venue told of it is told of no second time.

import { accountInWords, accountOfRealMoney } from '../accounts.ts';
import { isFinal, type Journal, type NewTrade } from '../books/journal.ts';
import { toText } from '../decimal.ts';
import { type AcceptedSignal, acceptedSignals } from '../intake/accepted-signal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import { LIQUIDATION } from '../signal.ts';
import { CLIENT_ORDER_PREFIX, type OrderReport, type Venue } from '../venue.ts';
import type { Dispatcher } from './dispatch.ts';
import type { StartLook } from './start-look.ts';

export interface ForcedOrderParts {
  readonly journal: Pick<Journal, 'accept' | 'trade'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'bookInLane'>;
  readonly venues: readonly Venue[];
  readonly nowMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Nobody but the venue sent it. */
export const isForced = ({ clientOrderId }: OrderReport): boolean => !clientOrderId.startsWith(CLIENT_ORDER_PREFIX);

/** An order of ours is booked by its own trade, whatever a venue calls it. */
const forcedOrdersOf = async (venue: Venue): Promise<readonly OrderReport[]> =>
  ((await venue.forcedOrders?.()) ?? []).filter(isForced);

export class ForcedOrders {
  readonly #parts: ForcedOrderParts;
  /** Being taken up: a venue may tell of an order twice within a moment. */
  readonly #underWay = new Set<string>();

  constructor(parts: ForcedOrderParts) {
    this.#parts = parts;
  }

  /** Writes what venues did while nobody listened into the journal, where recovery finds it. */
  async lookUp(look: StartLook): Promise<void> {
    await this.#atEachVenue(async (venue) => {
      for (const report of await forcedOrdersOf(venue)) await look.write(() => this.#accept(venue, report));
    });
  }

  /** Whether an order of the venue's own in this market is not booked yet. */
  async isBehind(venue: Venue, market: string): Promise<boolean> {
    const orders = await forcedOrdersOf(venue);
    const trades = await Promise.all(
      orders.filter((order) => order.market === market).map((order) => this.#tradeFor(order)),
    );
    return trades.some((found) => found === undefined || !isFinal(found.trade.state));
  }

  /** Books what was missed in one market; runs in its lane. What stands in the lane already is booked in its turn. */
  async bookInLane(venue: Venue, market: string): Promise<void> {
    for (const report of await forcedOrdersOf(venue)) {
      const accepted = report.market === market && (await this.#accept(venue, report));
      if (accepted) await this.#parts.dispatcher.bookInLane(accepted);
    }
  }

  /** Takes up what was missed in this process. */
  async takeUpMissed(): Promise<void> {
    await this.#atEachVenue((venue) => this.takeUpMissedAt(venue));
  }

  async takeUpMissedAt(venue: Venue): Promise<void> {
    for (const report of await forcedOrdersOf(venue)) await this.takeUp(venue, report);
  }

  async takeUp(venue: Venue, report: OrderReport): Promise<void> {
    const accepted = await this.#accept(venue, report);
    if (accepted) await this.#parts.dispatcher.dispatch(accepted, 'async');
  }

  /** No venue waits for another, and what fails at one is told and fails at no other. */
  async #atEachVenue(work: (venue: Venue) => Promise<void>): Promise<void> {
    const { venues, onTrouble } = this.#parts;
    await Promise.all(venues.map((venue) => work(venue).catch((error) => onTrouble(unread(venue), error))));
  }

  /** Undefined where it is not in the journal, under none of its names. */
  async #tradeFor({ clientOrderId, formerId, orderId, market }: OrderReport): ReturnType<Journal['trade']> {
    const { journal } = this.#parts;
    const found = await journal.trade(clientOrderId);
    if (found !== undefined || formerId === undefined) return found;
    const former = await journal.trade(formerId);
    // Many may have had that name; one without an order id is still being asked about.
    const isSame = former?.trade.order.market === market && (former.trade.orderId ?? orderId) === orderId;
    return isSame ? former : undefined;
  }

  /** Undefined where it is known already. */
  async #accept(venue: Venue, report: OrderReport): Promise<AcceptedSignal | undefined> {
    const { journal, onAlarm } = this.#parts;
    const { clientOrderId: requestId } = report;
    if (this.#underWay.has(requestId)) return undefined;
    this.#underWay.add(requestId);
    try {
      if (await this.#tradeFor(report)) return undefined;
      const trade = this.#tradeOf(venue, report);
      const acceptance = await journal.accept(trade, 0);
      if (!acceptance.accepted) return undefined;
      onAlarm?.(`liquidation ${requestId}`, inWords(venue, report));
      return acceptedSignals([trade], acceptance)[0];
    } finally {
      this.#underWay.delete(requestId);
    }
  }

  #tradeOf(
    { exchange, mode, account }: Venue,
    { clientOrderId, market, positionSide, quantity }: OrderReport,
  ): NewTrade {
    const action = positionSide === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT';
    return {
      requestId: clientOrderId,
      receivedAtMs: this.#parts.nowMs(),
      source: LIQUIDATION,
      keyLabel: LIQUIDATION,
      mode,
      account,
      order: { exchange, action, symbol: market, market, quantity },
    };
  }
}

const unread = (venue: Venue): string => `orders of ${accountInWords(venue)} itself cannot be looked up`;

function inWords(venue: Venue, { positionSide, market, quantity, averagePrice }: OrderReport): string {
  const at = averagePrice === undefined ? '' : ` at ${toText(averagePrice)}`;
  return `${accountOfRealMoney(venue)} was liquidated: ${positionSide} ${toText(quantity)} ${market}${at}. The account could no longer carry its positions; look at GET /account before you trade on`;
}

// Settles what a look at an account has found in one market, in that market's lane: nothing of ours is under way there, so what still
// differs was done by somebody else.

import { accountInWords } from '../accounts.ts';
import { isFinal } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import { toText, ZERO } from '../decimal.ts';
import { type OnAlarm, orderAlarm } from '../notifications/alarm.ts';
import { type OrderReport, type PositionSide, UnknownMarket, type Venue } from '../venue.ts';
import type { Dispatcher } from './dispatch.ts';
import type { AccountLook } from './look-at-account.ts';
import type { Difference } from './reconciliation.ts';
import type { RestingOrders } from './resting-orders.ts';
import { laneNamed } from './trade-run.ts';

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

export interface SettlementParts {
  readonly book: Pick<PositionBook, 'get' | 'watch'>;
  readonly resting: Pick<RestingOrders, 'get' | 'apply'>;
  readonly dispatcher: Pick<Dispatcher, 'compare'>;
  readonly onAlarm?: OnAlarm | undefined;
  readonly monotonicMs: () => number;
  /** A venue may tell a position later than the fill that made it: so long after one, a difference is not believed. */
  readonly quietMs: number;
}

export class MarketSettlement {
  readonly #parts: SettlementParts;
  /** When our books of a market last changed, by lane. */
  readonly #changedMs = new Map<string, number>();

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    parts.book.watch(({ position, shares }) => {
      for (const changed of [position, ...shares])
        if (changed) this.#changedMs.set(laneNamed(changed, changed.market), parts.monotonicMs());
    });
  }

  /** Runs in the market's lane. Throws when the venue cannot be asked. */
  async settle(venue: Venue, market: string, look: AccountLook): Promise<readonly Difference[]> {
    const differences: Difference[] = [];
    for (const id of namesIn(look.missing, market)) differences.push(...(await this.#settleMissing(venue, market, id)));
    if (look.differing.has(market)) differences.push(...(await this.#settlePosition(venue, market)));
    for (const id of namesIn(look.unknown, market)) differences.push(...(await this.#tellUnknown(venue, market, id)));
    return differences;
  }

  /** Its last word is booked like any report, so that a missed fill is a fill. */
  async #settleMissing(venue: Venue, market: string, id: string): Promise<readonly Difference[]> {
    const { resting, onAlarm } = this.#parts;
    // Its report came while this waited for its turn.
    if (resting.get(id) === undefined) return [];
    const lookup = await venue.findOrder(market, id);
    if (lookup.found) {
      await resting.apply(lookup.order);
      if (!isFinal(lookup.order.status)) return [];
      const detail = `order ${id} rested in our books, and ${accountInWords(venue)} has it as ${endInWords(lookup.order)}; it is booked`;
      // Whoever watches what rests tells of one that was canceled there.
      if (lookup.order.status !== 'canceled') onAlarm?.(orderAlarm(id), `${detail}. Signalbox had not heard of it`);
      return [{ kind: 'order-ended', outcome: 'adopted', market, detail }];
    }
    if (!lookup.certain) return [];
    const detail = `order ${id} rests in our books, and ${accountInWords(venue)} does not have it any more; look at its history there, and cancel the order here`;
    return [{ kind: 'order-ended', outcome: 'told', market, detail }];
  }

  async #settlePosition(venue: Venue, market: string): Promise<readonly Difference[]> {
    const { monotonicMs, quietMs } = this.#parts;
    const open = (detail: string): readonly Difference[] => [{ kind: 'position', outcome: 'open', market, detail }];
    const changedMs = this.#changedMs.get(laneNamed(venue, market)) ?? Number.NEGATIVE_INFINITY;
    if (monotonicMs() - changedMs < quietMs)
      return (await this.#agrees(venue, market)) ? [] : open(`${market} was traded a moment ago`);
    try {
      const compared = await this.#parts.dispatcher.compare(venue, market);
      if (compared.outcome !== 'settled') return open(compared.detail);
      return compared.adopted.map((detail) => ({ kind: 'position', outcome: 'adopted', market, detail }));
    } catch (error) {
      if (!(error instanceof UnknownMarket)) throw error;
      const detail = `${accountInWords(venue)} holds a position in ${market}, which Signalbox cannot trade; close it at the venue`;
      return [{ kind: 'position', outcome: 'told', market, detail }];
    }
  }

  async #agrees(venue: Venue, market: string): Promise<boolean> {
    const { exchange, mode, account } = venue;
    const theirs = await venue.positions(market);
    return SIDES.every((side) => {
      const ours = this.#parts.book.get({ exchange, mode, account, market, side })?.quantity ?? ZERO;
      return ours === (theirs.find((position) => position.side === side)?.quantity ?? ZERO);
    });
  }

  /** Never canceled: it may belong to another Signalbox on the same account, or to books that were lost. */
  async #tellUnknown(venue: Venue, market: string, id: string): Promise<readonly Difference[]> {
    if (this.#parts.resting.get(id) !== undefined) return [];
    const lookup = await venue.findOrder(market, id);
    if (!lookup.found || isFinal(lookup.order.status)) return [];
    const { side, quantity } = lookup.order;
    const detail = `${accountInWords(venue)} has a resting order with Signalbox's prefix that our books do not have: ${side} ${toText(quantity)} ${market} (${id}). Another Signalbox trades on this account, or has left it: stop one of the two, or give it a sub-account with a key of its own; cancel the order at the venue if nobody needs it`;
    return [{ kind: 'order-unknown', outcome: 'told', market, detail }];
  }
}

const namesIn = (names: ReadonlyMap<string, string>, market: string): readonly string[] =>
  [...names].flatMap(([name, of]) => (of === market ? [name] : []));

const endInWords = ({ status, executedQuantity, averagePrice }: OrderReport): string =>
  averagePrice === undefined ? status : `${status}, with ${toText(executedQuantity)} filled at ${toText(averagePrice)}`;

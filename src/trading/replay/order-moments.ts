// At which moment an order of a replay reaches its venue: at that of the same order in the past, so that it meets the same price.
//
// The orders of a signal, of the owner and of a kill switch have the ids they had. Those of stops get new ones: they are
// known by their account, market and side, and by following soon.

import { OWNER } from '../signal.ts';
import type { OrderRequest, Venue } from '../venue.ts';
import type { RecordedOrder, RecordedPast } from './recorded-past.ts';
import { isOwnDecision } from './timeline.ts';

interface Unnamed {
  readonly place: string;
  readonly placedAtMs: number;
}

/** A close that the desk decided is sent as soon as its decision is on disk; a disk that hangs takes longer, but not so long. */
const SOON_MS = 60_000;

export class OrderMoments {
  readonly #byId = new Map<string, number>();
  /** Those of stops, oldest first; each is taken once. */
  readonly #unnamed: Unnamed[] = [];

  constructor({ trades }: Pick<RecordedPast, 'trades'>) {
    for (const { trade, orders } of trades) {
      for (const order of orders) {
        if (order.placedAtMs === undefined) continue;
        if (!isOwnDecision(trade) || trade.source === OWNER) this.#byId.set(order.clientOrderId, order.placedAtMs);
        else
          this.#unnamed.push({
            place: placeOf(trade.order.exchange, trade.account, trade.order.market, order),
            placedAtMs: order.placedAtMs,
          });
      }
    }
    this.#unnamed.sort((a, b) => a.placedAtMs - b.placedAtMs);
  }

  /** Now, where the past has no such order. */
  of({ exchange, account }: Pick<Venue, 'exchange' | 'account'>, request: OrderRequest, nowMs: number): number {
    const known = this.#byId.get(request.clientOrderId);
    if (known !== undefined) return known;
    const place = placeOf(exchange, account, request.market, request);
    const found = this.#unnamed.findIndex(
      (each) => each.place === place && each.placedAtMs >= nowMs && each.placedAtMs <= nowMs + SOON_MS,
    );
    return found < 0 ? nowMs : (this.#unnamed.splice(found, 1)[0] as Unnamed).placedAtMs;
  }
}

const placeOf = (
  exchange: string,
  account: string,
  market: string,
  { positionSide, reduceOnly }: Pick<RecordedOrder, 'positionSide' | 'reduceOnly'>,
): string => `${exchange} ${account} ${market} ${positionSide} ${reduceOnly}`;

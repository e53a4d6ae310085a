// MEXC's plan orders: orders that are placed when a price is reached, and that die after a day or a week of waiting.
//
// Certain: the fields, the numbers for trigger types, cycles, trends and states, and the codes 3001 to 3004.
// Assumed: a trigger that is reached already is 3004. What has waited too long is taken away when the venue is asked next.

import { toNumber, ZERO } from '../../../../src/trading/decimal.ts';
import type { StopOrder, StopStatus } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { inMexcCodes } from './order-entry.ts';
import type { OrderRequests } from './order-request.ts';
import { closes, idOf, type OrderNote } from './order-row.ts';
import { type Parameters, pageOf, periodOf } from './parameters.ts';

const HOUR_MS = 3_600_000;
/** Hours to wait, by the number of the cycle. */
const CYCLES: Readonly<Record<number, number>> = { 1: 24, 2: 168 };
const STATES: Readonly<Record<StopStatus, number>> = {
  NEW: 1,
  TRIGGERING: 1,
  CANCELED: 2,
  TRIGGERED: 3,
  FINISHED: 3,
  EXPIRED: 4,
  REJECTED: 5,
};
export const PLAN = 'plan';

interface PlanNote extends OrderNote {
  readonly hours: number;
  readonly trend: number;
}

export class PlanOrders {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #requests: OrderRequests;
  readonly #notes = new Map<number, PlanNote>();
  #next: PlanNote | undefined;

  constructor(market: MatchingMarket, contracts: Contracts, requests: OrderRequests) {
    this.#market = market;
    this.#contracts = contracts;
    this.#requests = requests;
    market.listen((event) => {
      if (this.#next === undefined || event.type !== 'stop') return;
      this.#notes.set(event.stop.stopId, this.#next);
      this.#next = undefined;
    });
  }

  place(parameters: Parameters): string {
    const request = inMexcCodes(() => this.#requests.read(parameters, 'orderType'));
    const { clientOrderId, ...rest } = request.order;
    const triggerPrice = parameters.amount('triggerPrice') ?? ZERO;
    if (triggerPrice <= ZERO) throw new MexcRefusal(3004);
    if (triggerPrice % this.#market.spec(rest.symbol).tickSize !== 0n) throw new MexcRefusal(2015);
    const trend = parameters.integer('trend') ?? 0;
    if (![1, 2, 3].includes(trend)) throw new MexcRefusal(3001);
    const triggerType = parameters.integer('triggerType');
    if (triggerType !== 1 && triggerType !== 2) throw new MexcRefusal(3002);
    const hours = CYCLES[parameters.integer('executeCycle') ?? 0];
    if (hours === undefined) throw new MexcRefusal(3003);
    if (!closes(request.note.side)) this.#requests.checkAgainstHeld(request);
    this.#next = { ...request.note, hours, trend };
    try {
      const stop = inMexcCodes(() =>
        this.#market.placeStop({
          ...rest,
          clientStopId: clientOrderId,
          triggerPrice,
          triggerBy: trend === 1 ? 'LAST' : 'MARK',
          waitsFor: triggerType === 1 ? 'rise' : 'fall',
          venueType: PLAN,
        }),
      );
      return idOf(stop.stopId);
    } finally {
      this.#next = undefined;
    }
  }

  /** Those that have waited as long as they may. */
  expire(): void {
    for (const stop of this.#waiting())
      if (this.#market.nowMs() >= stop.createdMs + (this.#notes.get(stop.stopId)?.hours ?? 0) * HOUR_MS)
        this.#market.stops.cancel(stop, 'EXPIRED');
  }

  #waiting(): StopOrder[] {
    return this.#market.stops.waiting().filter(({ venueType }) => venueType === PLAN);
  }

  /** A list of `{ symbol, orderId }`, or of ids. */
  cancel(parameters: Parameters): null {
    const ids = parameters.list.map((entry) =>
      typeof entry === 'object' && entry !== null && 'orderId' in entry ? String(entry.orderId) : String(entry),
    );
    if (ids.length === 0) throw new MexcRefusal(600);
    const found = ids.map((id) => this.#waiting().find(({ stopId }) => idOf(stopId) === id));
    if (found.includes(undefined)) throw new MexcRefusal(2040);
    for (const stop of found) this.#market.stops.cancel(stop!);
    return null;
  }

  cancelAll(parameters: Parameters): null {
    const name = parameters.text('symbol');
    for (const stop of this.#waiting())
      if (name === undefined || this.#contracts.nameOf(stop.symbol) === name) this.#market.stops.cancel(stop);
    return null;
  }

  list(parameters: Parameters): object[] {
    const { fromMs, toMs } = periodOf(parameters, this.#market.nowMs());
    const name = parameters.text('symbol');
    const states = parameters.text('states')?.split(',');
    const rows = this.#market.stops.all
      .filter(({ venueType, createdMs }) => venueType === PLAN && fromMs <= createdMs && createdMs <= toMs)
      .filter(({ symbol }) => name === undefined || this.#contracts.nameOf(symbol) === name)
      .filter(({ status }) => states === undefined || states.includes(String(STATES[status])))
      .reverse();
    return pageOf(rows, parameters).map((stop) => this.row(stop));
  }

  row(stop: StopOrder): object {
    const note = this.#notes.get(stop.stopId);
    return {
      id: idOf(stop.stopId),
      symbol: this.#contracts.nameOf(stop.symbol),
      leverage: note?.leverage ?? 0,
      side: note?.side ?? 0,
      triggerPrice: toNumber(stop.triggerPrice),
      price: toNumber(stop.price ?? ZERO),
      vol: this.#contracts.volumeOf(stop.symbol, stop.quantity ?? ZERO),
      openType: note?.openType ?? 0,
      triggerType: stop.waitsFor === 'rise' ? 1 : 2,
      state: STATES[stop.status],
      executeCycle: note?.hours ?? 0,
      trend: note?.trend ?? 1,
      orderType: note?.type ?? 5,
      errorCode: stop.status === 'REJECTED' ? 2009 : 0,
      orderId: stop.order === undefined ? '0' : idOf(stop.order.orderId),
      createTime: stop.createdMs,
      updateTime: stop.updatedMs,
    };
  }
}

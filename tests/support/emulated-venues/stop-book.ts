// The stops of an emulated market: they wait for a price, follow it where they trail, and then place an order.

import { type Decimal, decimal, minus, plus, times, ZERO } from '../../../src/trading/decimal.ts';
import {
  type FuturesOrder,
  isOpen,
  type MarketEvent,
  type NewOrder,
  type NewStop,
  Refusal,
  type StopOrder,
  type StopStatus,
} from './futures-order.ts';

/** What the stops need of their market. */
interface Surroundings {
  readonly idsFrom: number;
  nowMs(): number;
  prices(symbol: string): { readonly last: Decimal; readonly mark: Decimal };
  place(request: NewOrder, origin: { stopId: number }): FuturesOrder;
  cancel(order: FuturesOrder): void;
  openOrders(symbol: string): FuturesOrder[];
  reduces(order: NewOrder): boolean;
  reducible(order: Pick<NewOrder, 'symbol' | 'positionSide' | 'side'>): Decimal;
  emit(event: MarketEvent): void;
}

export class StopBook {
  /** Every stop there was, oldest first. */
  readonly all: StopOrder[] = [];
  readonly #market: Surroundings;
  /** The stops that have had a position to close; one that was placed before there was any still waits for it. */
  readonly #covering = new Set<StopOrder>();

  constructor(market: Surroundings) {
    this.#market = market;
  }

  waiting(symbol?: string): StopOrder[] {
    return this.all.filter((stop) => stop.status === 'NEW' && (symbol === undefined || stop.symbol === symbol));
  }

  /** Refuses a stop whose price has been reached already. */
  place(request: NewStop): StopOrder {
    if (request.callbackRate === undefined && this.#isReached(request)) throw new Refusal('would-trigger');
    const nowMs = this.#market.nowMs();
    const stop: StopOrder = {
      ...request,
      stopId: 3_000_000_001 + this.#market.idsFrom + this.all.length,
      createdMs: nowMs,
      updatedMs: nowMs,
      triggeredMs: 0,
      status: 'NEW',
      order: undefined,
      reason: '',
      peak: undefined,
    };
    this.all.push(stop);
    this.#market.emit({ type: 'stop', stop });
    this.#follow(stop);
    if (this.#market.reducible(stop) > ZERO) this.#covering.add(stop);
    return stop;
  }

  cancel(stop: StopOrder, status: 'CANCELED' | 'EXPIRED' = 'CANCELED'): void {
    if (stop.status === 'NEW') this.#set(stop, status);
  }

  pricesMoved(symbol: string): void {
    for (const stop of this.waiting(symbol)) {
      this.#follow(stop);
      const isDue = stop.callbackRate === undefined ? this.#isReached(stop) : this.#hasTurned(stop);
      // An earlier stop of the same round may have closed the position, and this one with it.
      if (isDue && stop.status === 'NEW') this.#trigger(stop);
    }
  }

  /** Its stop has done its work. */
  orderEnded(order: FuturesOrder): void {
    const stop = this.all.find(({ stopId }) => stopId === order.stopId);
    if (stop?.status === 'TRIGGERED') this.#set(stop, 'FINISHED');
  }

  /** A stop that closes a whole position goes with it. */
  positionChanged(symbol: string): void {
    for (const stop of this.waiting(symbol))
      if (this.#market.reducible(stop) > ZERO) this.#covering.add(stop);
      else if (stop.quantity === undefined && this.#covering.has(stop)) this.cancel(stop, 'EXPIRED');
  }

  #watched({ symbol, triggerBy }: NewStop): Decimal {
    const { mark, last } = this.#market.prices(symbol);
    return triggerBy === 'MARK' ? mark : last;
  }

  #isReached(stop: NewStop): boolean {
    const price = this.#watched(stop);
    return stop.waitsFor === 'rise' ? price >= stop.triggerPrice : price <= stop.triggerPrice;
  }

  /** A trailing sell becomes active when the price has risen to its activation price, a trailing buy when it has fallen. */
  #follow(stop: StopOrder): void {
    if (stop.callbackRate === undefined) return;
    const price = this.#watched(stop);
    const isSell = stop.side === 'SELL';
    const isActive = stop.peak !== undefined || (isSell ? price >= stop.triggerPrice : price <= stop.triggerPrice);
    if (!isActive) return;
    if (stop.peak === undefined || (isSell ? price > stop.peak : price < stop.peak)) stop.peak = price;
  }

  #hasTurned({ peak, callbackRate, side, ...stop }: StopOrder): boolean {
    if (peak === undefined || callbackRate === undefined) return false;
    const price = this.#watched({ side, ...stop });
    const one = decimal(1);
    return side === 'SELL'
      ? price <= times(peak, minus(one, callbackRate))
      : price >= times(peak, plus(one, callbackRate));
  }

  #trigger(stop: StopOrder): void {
    stop.triggeredMs = this.#market.nowMs();
    const quantity = stop.quantity ?? this.#market.reducible(stop);
    if (quantity === ZERO) {
      this.#set(stop, 'EXPIRED');
      return;
    }
    const { symbol, side, positionSide, timeInForce, price } = stop;
    const reduceOnly = positionSide === 'BOTH' && (stop.reduceOnly || stop.quantity === undefined);
    const common = { clientOrderId: stop.clientStopId, symbol, side, positionSide, quantity, reduceOnly };
    const request: NewOrder = { ...common, timeInForce, ...(price === undefined ? {} : { price }) };
    if (stop.quantity === undefined) this.#makeRoom(request);
    this.#set(stop, 'TRIGGERING');
    try {
      stop.order = this.#market.place(request, { stopId: stop.stopId });
      this.#set(stop, 'TRIGGERED');
      if (!isOpen(stop.order)) this.#set(stop, 'FINISHED');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stop.reason = error.reason;
      this.#set(stop, 'REJECTED');
    }
  }

  /** What closes a whole position does so even where other orders wait to reduce it. */
  #makeRoom(request: NewOrder): void {
    for (const order of this.#market.openOrders(request.symbol))
      if (this.#market.reduces(order) && order.side === request.side && order.positionSide === request.positionSide)
        this.#market.cancel(order);
  }

  #set(stop: StopOrder, status: StopStatus): void {
    stop.status = status;
    stop.updatedMs = this.#market.nowMs();
    this.#market.emit({ type: 'stop', stop });
  }
}

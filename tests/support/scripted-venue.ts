// A venue whose every answer a test can script: it fills at 100 unless told to fail, hang, or hide an order.

import type { Exchange } from '../../src/exchanges/exchange.ts';
import { foregroundTimers, type Timers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { type Decimal, decimal, minus, plus, ZERO } from '../../src/trading/decimal.ts';
import {
  type Fill,
  type OrderReport,
  type OrderRequest,
  type PositionSide,
  type Venue,
  VenueError,
  type VenueFailure,
} from '../../src/trading/venue.ts';

export type Script =
  | {
      readonly fail: VenueFailure;
      readonly message?: string /** The order is taken all the same. */;
      readonly taken?: boolean;
    }
  | { readonly rest: true }
  /** So much of it fills at once, and the rest expires. */
  | { readonly part: string }
  /** It answers so much later. */
  | { readonly waitMs: number; readonly thenFail?: VenueFailure };

export interface ScriptedVenue extends Venue {
  /** What the next orders meet, first in first out; after that they fill. */
  readonly script: Script[];
  /** Every order that was sent, also the failed ones. */
  readonly sent: OrderRequest[];
  /** Looks that answer "not found, but not certain" before an order shows. */
  hiddenLooks: number;
  /** While set, every call but placeOrder fails like this. */
  down: VenueFailure | undefined;
  certain: boolean;
  hold(side: PositionSide, quantity: string): void;
  /** Fills a resting order and reports it. */
  fill(clientOrderId: string): void;
  /** Says this of an order that it has, whatever became of it. */
  tell(clientOrderId: string, changes: Partial<OrderReport>): void;
  readonly leverages: number[];
}

export function createScriptedVenue(
  exchange: Exchange = 'binance',
  positionMode: 'one-way' | 'hedge' = 'one-way',
  timers: Timers = foregroundTimers,
  account = 'main',
): ScriptedVenue {
  const orders = new Map<string, OrderReport>();
  const held = new Map<PositionSide, Decimal>();
  const listeners = new Set<(report: OrderReport) => void>();
  const price = decimal('100');
  let orderNumber = 0;

  const book = (request: OrderRequest, filled: boolean): OrderReport => {
    orderNumber++;
    const before = held.get(request.positionSide) ?? ZERO;
    const opens = !request.reduceOnly;
    if (filled)
      held.set(request.positionSide, opens ? plus(before, request.quantity) : minus(before, request.quantity));
    const fill: Fill = { fillId: `f${orderNumber}`, quantity: request.quantity, price, fee: ZERO, atMs: Date.now() };
    const report: OrderReport = {
      ...request,
      orderId: `order-${orderNumber}`,
      status: filled ? 'filled' : 'submitted',
      executedQuantity: filled ? request.quantity : ZERO,
      averagePrice: filled ? price : undefined,
      fills: filled ? [fill] : [],
    };
    orders.set(request.clientOrderId, report);
    return report;
  };
  const reach = (): void => {
    if (venue.down) throw new VenueError(venue.down, 'the scripted venue is down');
  };

  const venue: ScriptedVenue = {
    exchange,
    account,
    mode: 'paper',
    summary: async () => {
      reach();
      return { balance: price, unrealizedPnl: ZERO, equity: price, marginInUse: ZERO, available: price };
    },
    script: [],
    sent: [],
    hiddenLooks: 0,
    down: undefined,
    certain: false,
    leverages: [],
    hold: (side, quantity) => void held.set(side, decimal(quantity)),
    fill(clientOrderId) {
      const resting = orders.get(clientOrderId) as OrderReport & OrderRequest;
      const report = book(resting, true);
      for (const listener of listeners) listener(report);
    },
    tell(clientOrderId, changes) {
      const order = orders.get(clientOrderId) as OrderReport;
      for (const listener of listeners) listener({ ...order, ...changes });
    },
    async market(symbol) {
      reach();
      const [tickSize, stepSize] = [decimal('0.1'), decimal('0.001')];
      return { symbol, tickSize, stepSize, minQuantity: stepSize, minNotional: decimal('0.5'), maxLeverage: 50 };
    },
    tickOf: () => decimal('0.1'),
    async positionMode() {
      return positionMode;
    },
    async positions(market) {
      reach();
      return [...held]
        .filter(([, quantity]) => quantity > ZERO)
        .map(([side, quantity]) => ({ market, side, quantity, entryPrice: price }));
    },
    async ensureLeverage(_market, leverage) {
      reach();
      venue.leverages.push(leverage);
    },
    async placeOrder(request) {
      venue.sent.push(request);
      if (orders.has(request.clientOrderId)) throw new VenueError('duplicate', 'this client order id exists');
      const next = venue.script.shift();
      if (next === undefined) return book(request, true);
      if ('rest' in next) return book(request, false);
      if ('part' in next) {
        const report = { ...book({ ...request, quantity: decimal(next.part) }, true), quantity: request.quantity };
        const expired: OrderReport = { ...report, status: 'expired', reason: 'the market could not fill the rest' };
        orders.set(request.clientOrderId, expired);
        return expired;
      }
      if ('waitMs' in next) {
        await wait(next.waitMs, { timers });
        if (next.thenFail !== undefined) throw new VenueError(next.thenFail, `scripted ${next.thenFail}, late`);
        return book(request, true);
      }
      if (next.taken) book(request, true);
      throw new VenueError(next.fail, next.message ?? `scripted ${next.fail}`);
    },
    async findOrder(_market, clientOrderId) {
      reach();
      if (venue.hiddenLooks > 0) {
        venue.hiddenLooks--;
        return { found: false, certain: false };
      }
      const order = orders.get(clientOrderId);
      return order ? { found: true, order } : { found: false, certain: venue.certain };
    },
    async openOrders(market) {
      reach();
      return [...orders.values()].filter((order) => order.market === market && order.status === 'submitted');
    },
    async cancelOrder(_market, clientOrderId) {
      reach();
      const canceled: OrderReport = { ...(orders.get(clientOrderId) as OrderReport), status: 'canceled' };
      orders.set(clientOrderId, canceled);
      return canceled;
    },
    watchOrders(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {},
  };
  return venue;
}

// A venue that outlives the processes that trade on it: one-way positions per market, answers that take a while, orders that
// either arrived before their sender's death or never do, and limit orders that rest until the test fills them.

import { type Decimal, decimal, minus, plus, smaller, times, ZERO } from '../decimal.ts';
import { type OrderReport, type OrderRequest, type PositionSide, type Venue, VenueError } from '../venue.ts';
import { turn } from './hurry.ts';

export interface SurvivingVenue {
  connect(): Venue;
  die(): void;
  /** As `LONG 3`, or empty. */
  held(market: string): string;
  /** The orders that rest, oldest first. */
  resting(): readonly OrderReport[];
  /** Fills a resting order as far as it can be, at its price; whoever is connected hears of it a while later. */
  fill(clientOrderId: string, quantity: Decimal): void;
  /**
   * The venue itself sends a closing order, of a stop that waited there, and fills at most so much of it. Whoever is connected hears
   * of it a while later, unless it is quiet.
   */
  send(request: OrderRequest, most: Decimal, isQuiet: boolean): void;
  /** Everything that was ever placed, by its last word. */
  orders(): readonly OrderReport[];
  readonly faults: string[];
}

interface Held {
  readonly side: PositionSide;
  readonly quantity: Decimal;
}

/** Of what a fill is worth. */
const FEE = decimal('0.001');
const PRICE = decimal('100');

export function createSurvivingVenue(answerTurns: () => number, account = 'main'): SurvivingVenue {
  const orders = new Map<string, OrderReport>();
  const limits = new Map<string, Decimal>();
  const positions = new Map<string, Held>();
  const listeners = new Set<(report: OrderReport) => void>();
  const faults: string[] = [];
  let generation = 0;
  let fills = 0;

  /** What of it can be executed now; a closing order never more than is held. */
  const execute = (order: OrderReport, quantity: Decimal, price: Decimal): OrderReport => {
    const { clientOrderId, market, positionSide: side, reduceOnly } = order;
    const before = positions.get(market);
    if (before && before.side !== side) faults.push(`${clientOrderId} is ${side} against a ${before.side} position`);
    const held = before?.quantity ?? ZERO;
    const executed = reduceOnly ? smaller(held, quantity) : quantity;
    const after = reduceOnly ? minus(held, executed) : plus(held, executed);
    if (after === ZERO) positions.delete(market);
    else positions.set(market, { side, quantity: after });
    const fee = times(times(executed, price), FEE);
    const fill = { fillId: `f${fills++}`, quantity: executed, price, fee, atMs: 0 };
    return {
      ...order,
      executedQuantity: plus(order.executedQuantity, executed),
      averagePrice: price,
      fills: executed === ZERO ? order.fills : [...order.fills, fill],
    };
  };

  const place = (request: OrderRequest): OrderReport => {
    const { clientOrderId, price, quantity } = request;
    if (orders.has(clientOrderId)) faults.push(`${clientOrderId} was sent twice`);
    const answer = { orderId: `o${orders.size}`, executedQuantity: ZERO, averagePrice: undefined, fills: [] };
    const order: OrderReport = { ...request, ...answer, status: 'submitted' };
    const placed: OrderReport = price === undefined ? { ...execute(order, quantity, PRICE), status: 'filled' } : order;
    orders.set(clientOrderId, placed);
    if (price !== undefined) limits.set(clientOrderId, price);
    return placed;
  };

  const end = (clientOrderId: string, ended: OrderReport): OrderReport => {
    limits.delete(clientOrderId);
    orders.set(clientOrderId, ended);
    return ended;
  };

  const cancel = (clientOrderId: string): OrderReport => {
    const order = orders.get(clientOrderId);
    if (!order) throw new VenueError('rejected', 'there is no such order');
    return limits.has(clientOrderId) ? end(clientOrderId, { ...order, status: 'canceled' }) : order;
  };

  const fill: SurvivingVenue['fill'] = (clientOrderId, quantity) => {
    const [order, price] = [orders.get(clientOrderId), limits.get(clientOrderId)];
    if (!order || price === undefined) return;
    const left = minus(order.quantity, order.executedQuantity);
    const after = execute(order, smaller(left, quantity), price);
    const isFilled = after.executedQuantity === order.quantity;
    // A closing order that finds nothing to close is taken off the book, as real venues do.
    const isVoid = after.executedQuantity === order.executedQuantity;
    if (isFilled || isVoid) end(clientOrderId, { ...after, status: isFilled ? 'filled' : 'expired' });
    else orders.set(clientOrderId, { ...after, status: 'partially_filled' });
    for (const listener of listeners) listener(orders.get(clientOrderId) as OrderReport);
  };

  const send: SurvivingVenue['send'] = (request, most, isQuiet) => {
    const { clientOrderId, market, positionSide, quantity } = request;
    if (orders.has(clientOrderId)) faults.push(`${clientOrderId} has acted twice`);
    const answer = { orderId: `o${orders.size}`, executedQuantity: ZERO, averagePrice: undefined, fills: [] };
    const order: OrderReport = { ...request, ...answer, status: 'canceled' };
    const finds = positions.get(market)?.side === positionSide ? smaller(quantity, most) : ZERO;
    const sent = finds === ZERO ? order : execute(order, finds, PRICE);
    orders.set(clientOrderId, sent.executedQuantity === quantity ? { ...sent, status: 'filled' } : sent);
    if (!isQuiet) for (const listener of listeners) listener(orders.get(clientOrderId) as OrderReport);
  };

  const connect = (): Venue => {
    const mine = generation;
    /** The way there and the way back; whoever dies on the way never gets there, or never hears. */
    const travel = async (): Promise<void> => {
      for (let turns = answerTurns(); turns > 0; turns--) await turn();
      if (mine !== generation) await new Promise<never>(() => {});
    };
    const reach = async <T>(work: () => T): Promise<T> => {
      await travel();
      const result = work();
      await travel();
      return result;
    };
    const one = decimal('1');
    return {
      exchange: 'binance',
      account,
      mode: 'paper',
      summary: () => Promise.reject(new Error('nobody asks what it is worth')),
      market: async (symbol) => ({
        ...{ symbol, tickSize: one, stepSize: one, minQuantity: one, minNotional: ZERO, maxLeverage: 50 },
      }),
      positionMode: async () => 'one-way',
      tickOf: () => undefined,
      positions: (market) =>
        reach(() => {
          const held = positions.get(market);
          return held ? [{ market, ...held, entryPrice: PRICE }] : [];
        }),
      ensureLeverage: async () => undefined,
      placeOrder: (request) => reach(() => place(request)),
      findOrder: (_, clientOrderId) =>
        reach(() => {
          const order = orders.get(clientOrderId);
          return order ? { found: true, order } : { found: false, certain: true };
        }),
      openOrders: (market) => reach(() => resting().filter((order) => order.market === market)),
      cancelOrder: (_, clientOrderId) => reach(() => cancel(clientOrderId)),
      watchOrders(listener) {
        const hear = (report: OrderReport): void => void travel().then(() => listener(report));
        listeners.add(hear);
        return () => void listeners.delete(hear);
      },
      close: async () => undefined,
    };
  };

  const resting = (): readonly OrderReport[] => [...orders.values()].filter((order) => limits.has(order.clientOrderId));
  return {
    connect,
    die() {
      generation++;
      listeners.clear();
    },
    held(market) {
      const held = positions.get(market);
      return held ? `${held.side} ${Number(held.quantity) / 1e12}` : '';
    },
    resting,
    fill,
    send,
    orders: () => [...orders.values()],
    faults,
  };
}

// A venue that outlives the processes that trade on it: one-way positions per market, answers that take a while, and
// orders that either arrived before their sender's death or never do.

import { type Decimal, decimal, minus, plus, smaller, ZERO } from '../decimal.ts';
import type { OrderReport, OrderRequest, PositionSide, Venue } from '../venue.ts';
import { turn } from './hurry.ts';

export interface SurvivingVenue {
  connect(): Venue;
  die(): void;
  /** As `LONG 3`, or empty. */
  held(market: string): string;
  readonly faults: string[];
}

interface Held {
  readonly side: PositionSide;
  readonly quantity: Decimal;
}

export function createSurvivingVenue(answerTurns: () => number, account = 'main'): SurvivingVenue {
  const orders = new Map<string, OrderReport>();
  const positions = new Map<string, Held>();
  const faults: string[] = [];
  const price = decimal('100');
  let generation = 0;

  const execute = (request: OrderRequest): OrderReport => {
    const { clientOrderId, market, positionSide: side, quantity, reduceOnly } = request;
    if (orders.has(clientOrderId)) faults.push(`${clientOrderId} was sent twice`);
    const before = positions.get(market);
    if (before && before.side !== side) faults.push(`${clientOrderId} is ${side} against a ${before.side} position`);
    const held = before?.quantity ?? ZERO;
    const executed = reduceOnly ? smaller(held, quantity) : quantity;
    const after = reduceOnly ? minus(held, executed) : plus(held, executed);
    if (after === ZERO) positions.delete(market);
    else positions.set(market, { side, quantity: after });
    const fill = { fillId: `f${orders.size}`, quantity: executed, price, fee: ZERO, atMs: 0 };
    const answer = { orderId: `o${orders.size}`, executedQuantity: executed, averagePrice: price, fills: [fill] };
    const report: OrderReport = { ...request, ...answer, status: 'filled' };
    orders.set(clientOrderId, report);
    return report;
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
          return held ? [{ market, ...held, entryPrice: price }] : [];
        }),
      ensureLeverage: async () => undefined,
      placeOrder: (request) => reach(() => execute(request)),
      findOrder: (_, clientOrderId) =>
        reach(() => {
          const order = orders.get(clientOrderId);
          return order ? { found: true, order } : { found: false, certain: true };
        }),
      openOrders: async () => [],
      cancelOrder: () => Promise.reject(new Error('nothing rests here')),
      watchOrders: () => () => undefined,
      close: async () => undefined,
    };
  };

  return {
    connect,
    die: () => void generation++,
    held(market) {
      const held = positions.get(market);
      return held ? `${held.side} ${Number(held.quantity) / 1e12}` : '';
    },
    faults,
  };
}

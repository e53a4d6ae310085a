// Position arithmetic: replaying fills gives the sums, and profit plus value is what went in and out.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextRequestId, orderOf, START_MS } from '../../../tests/ports/sample-trades.ts';
import { type Decimal, decimal, minus, plus, times, toText, ZERO } from '../decimal.ts';
import type { Fill, OrderReport, OrderSide, PositionSide } from '../venue.ts';
import { heldAt } from './holding.ts';
import type { Trade } from './journal.ts';
import { applyFill, emptyPosition, type Position, unrealizedPnl, withHolding } from './position.ts';
import { PositionBook } from './position-book.ts';

const OF = { exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT' } as const;
const empty = (side: PositionSide): Position => emptyPosition({ ...OF, side });
let fillNumber = 0;
const fill = (quantity: string | Decimal, price: string | Decimal, fee: string | Decimal = '0'): Fill => {
  const value = (input: string | Decimal): Decimal => (typeof input === 'string' ? decimal(input) : input);
  return {
    fillId: `f${++fillNumber}`,
    quantity: value(quantity),
    price: value(price),
    fee: value(fee),
    atMs: START_MS,
  };
};
const texts = ({ quantity, entryPrice, realizedPnl, fees }: Position): string[] =>
  [quantity, entryPrice, realizedPnl, fees].map(toText);

describe('a position', () => {
  test('averages what is added and keeps the average when reduced', () => {
    const first = applyFill(empty('LONG'), 'BUY', fill('1', '100', '0.1'));
    const second = applyFill(first.position, 'BUY', fill('3', '200', '0.2'));
    expect(texts(second.position)).toEqual(['4', '175', '0', '0.3']);
    const third = applyFill(second.position, 'SELL', fill('1', '200', '0.1'));
    expect(texts(third.position)).toEqual(['3', '175', '25', '0.4']);
    expect(toText(third.realizedPnl)).toBe('25');
  });

  test('that is short earns when the price falls', () => {
    const opened = applyFill(empty('SHORT'), 'SELL', fill('2', '100'));
    const closed = applyFill(opened.position, 'BUY', fill('2', '90'));
    expect(texts(closed.position)).toEqual(['0', '0', '20', '0']);
    expect(toText(unrealizedPnl(opened.position, decimal('110')))).toBe('-20');
  });

  test('forgets its entry price when flat, and keeps its profit and fees', () => {
    const opened = applyFill(empty('LONG'), 'BUY', fill('1', '100', '1'));
    const flat = applyFill(opened.position, 'SELL', fill('1', '150', '1'));
    expect(texts(flat.position)).toEqual(['0', '0', '50', '2']);
    expect(texts(applyFill(flat.position, 'BUY', fill('1', '10')).position)).toEqual(['1', '10', '50', '2']);
  });

  test('never flips: what exceeds it counts for nothing', () => {
    const opened = applyFill(empty('LONG'), 'BUY', fill('1', '100'));
    const closed = applyFill(opened.position, 'SELL', fill('5', '110'));
    expect(texts(closed.position)).toEqual(['0', '0', '10', '0']);
    expect(texts(applyFill(empty('SHORT'), 'BUY', fill('1', '100', '1')).position)).toEqual(['0', '0', '0', '1']);
  });
});

describe('replaying fills', () => {
  const UNIT = 10n ** 12n;
  /** Quantities on a step of 0.001 and prices on a tick of 0.01: products are exact, so only averages round. */
  const quantities = fc.bigInt({ min: 1n, max: 10_000n }).map((steps) => (steps * (UNIT / 1000n)) as Decimal);
  const prices = fc.bigInt({ min: 1n, max: 10_000_000n }).map((ticks) => (ticks * (UNIT / 100n)) as Decimal);
  const moves = fc.array(fc.record({ adds: fc.boolean(), quantity: quantities, price: prices, fee: prices }), {
    maxLength: 40,
  });

  test('gives the sums: quantity, fees, and profit as money out minus money in plus what is left', () => {
    fc.assert(
      fc.property(fc.constantFrom<PositionSide>('LONG', 'SHORT'), moves, prices, (side, steps, mark) => {
        let position = empty(side);
        let [held, fees, cash, realized] = [ZERO, ZERO, ZERO, ZERO];
        for (const { adds, quantity, price, fee } of steps) {
          if (!adds && quantity > held) continue;
          const orderSide: OrderSide = adds === (side === 'LONG') ? 'BUY' : 'SELL';
          const applied = applyFill(position, orderSide, fill(quantity, price, fee));
          position = applied.position;
          realized = plus(realized, applied.realizedPnl);
          held = adds ? plus(held, quantity) : minus(held, quantity);
          fees = plus(fees, fee);
          const money = times(quantity, price);
          cash = orderSide === 'BUY' ? minus(cash, money) : plus(cash, money);
        }
        expect(position.quantity).toBe(held);
        expect(position.fees).toBe(fees);
        expect(position.realizedPnl).toBe(realized);
        const worth = side === 'LONG' ? times(held, mark) : minus(ZERO, times(held, mark));
        const total = plus(position.realizedPnl, unrealizedPnl(position, mark));
        const difference = minus(total, plus(cash, worth));
        // Each of at most 41 profits is rounded once, by half a unit of the twelfth place; nothing else is.
        expect(difference <= 21n && difference >= -21n).toBe(true);
      }),
    );
  });

  test('of whole rounds leaves exactly nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(quantities, prices, prices), { maxLength: 20 }), (rounds) => {
        let position = empty('LONG');
        let expected = ZERO;
        for (const [quantity, bought, sold] of rounds) {
          position = applyFill(position, 'BUY', fill(quantity, bought)).position;
          position = applyFill(position, 'SELL', fill(quantity, sold)).position;
          expected = plus(expected, minus(times(quantity, sold), times(quantity, bought)));
        }
        expect([position.quantity, position.entryPrice]).toEqual([ZERO, ZERO]);
        expect(position.realizedPnl).toBe(expected);
      }),
    );
  });
});

describe('the position book', () => {
  const TRADE: Trade = {
    requestId: nextRequestId(),
    receivedAtMs: START_MS,
    source: 'webhook',
    keyLabel: 'k',
    mode: 'paper',
    account: 'main',
    order: orderOf(),
    seq: 1,
    state: 'sending',
    executedQuantity: ZERO,
  };
  const report = (fills: readonly Fill[], changes: Partial<OrderReport> = {}): OrderReport => ({
    clientOrderId: 'sbx1',
    orderId: 'o1',
    market: 'BTCUSDT',
    side: 'BUY',
    positionSide: 'LONG',
    reduceOnly: false,
    status: 'filled',
    quantity: decimal('1'),
    executedQuantity: decimal('1'),
    averagePrice: decimal('100'),
    fills,
    ...changes,
  });

  test('books each fill once, however often and however grown the report comes', () => {
    const book = new PositionBook([]);
    const booked = new Set<string>();
    const [first, second] = [fill('1', '100'), fill('2', '100')];
    expect(book.apply(TRADE, report([first]), booked, true).positions[0]?.quantity).toBe(decimal('1'));
    expect(book.apply(TRADE, report([first]), booked, true)).toEqual({ fills: [], positions: [], books: [] });
    const grown = book.apply(TRADE, report([first, second]), booked, true);
    expect(grown.fills.map(({ fillId }) => fillId)).toEqual([second.fillId]);
    expect(grown.positions[0]?.quantity).toBe(decimal('3'));
    expect(booked.size).toBe(2);
  });

  test('goes on from stored positions and keeps sides and markets apart', () => {
    const stored = withHolding(empty('LONG'), heldAt(decimal('5'), decimal('10')));
    const book = new PositionBook([stored]);
    const same = book.apply(TRADE, report([fill('5', '20')]), new Set(), true);
    expect(same.positions.map(texts)).toEqual([['10', '15', '0', '0']]);
    const other = book.apply(TRADE, report([fill('1', '20')], { market: 'ETHUSDT' }), new Set(), true);
    expect(other.positions[0]?.quantity).toBe(decimal('1'));
    const short = book.apply(
      TRADE,
      report([fill('1', '20')], { positionSide: 'SHORT', side: 'SELL' }),
      new Set(),
      false,
    );
    expect(short.positions).toMatchObject([{ side: 'SHORT', quantity: decimal('1') }]);
    const live = book.apply({ ...TRADE, account: 'live' }, report([fill('1', '20')]), new Set(), true);
    expect(live.positions[0]?.quantity).toBe(decimal('1'));
  });
});

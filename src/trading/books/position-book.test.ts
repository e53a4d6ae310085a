// Positions in our books: what fills on both sides of a netted account make of them, and profits as the venue counts them.

import { expect, test } from 'vitest';
import { newTrade } from '../../../tests/ports/sample-trades.ts';
import { decimal, toText, ZERO } from '../decimal.ts';
import { OWNER } from '../signal.ts';
import type { OrderReport } from '../venue.ts';
import type { Trade } from './journal.ts';
import { PositionBook } from './position-book.ts';

const trade: Trade = { ...newTrade({}), seq: 1, state: 'sending', executedQuantity: ZERO };
const report = (side: 'BUY' | 'SELL', price: string, realizedPnl?: string): OrderReport => ({
  ...{ clientOrderId: `sbx${side}`, orderId: side, market: trade.order.market, side, positionSide: 'LONG' },
  ...{ reduceOnly: side === 'SELL', status: 'filled', quantity: decimal('1'), executedQuantity: decimal('1') },
  averagePrice: decimal(price),
  fills: [
    {
      ...{ fillId: 'f', quantity: decimal('1'), price: decimal(price), fee: ZERO, atMs: 1 },
      ...(realizedPnl !== undefined && { realizedPnl: decimal(realizedPnl) }),
    },
  ],
});

test.each([
  ['as the venue counts it', '9.87', '9.87'],
  ['as we count it where the venue does not tell', undefined, '10'],
])('a close has earned %s', (_, told, expected) => {
  const book = new PositionBook([]);
  // What an order that opens is said to have earned counts for nothing.
  book.apply(trade, report('BUY', '100', told), new Set(), true);
  const { fills, positions } = book.apply(trade, report('SELL', '110', told), new Set(), true);
  expect(fills.map(({ realizedPnl }) => toText(realizedPnl))).toEqual([expected]);
  expect(positions.map((position) => toText(position.realizedPnl))).toEqual([expected]);
});

/** Opens a short beside a long, as two resting orders of both sides do that fill one after the other. */
function openBothSides(bought: string, sold: string, netted: boolean) {
  const book = new PositionBook([]);
  const opening = (side: 'BUY' | 'SELL', quantity: string, price: string): OrderReport => ({
    ...{ ...report(side, price), positionSide: side === 'BUY' ? 'LONG' : 'SHORT', reduceOnly: false },
    fills: [{ fillId: 'f', quantity: decimal(quantity), price: decimal(price), fee: decimal('1'), atMs: 1 }],
  });
  book.apply(trade, opening('BUY', bought, '100'), new Set(), netted);
  const told: string[] = [];
  const inWords = ({ side, quantity }: { side: string; quantity: typeof ZERO }) => `${side} ${toText(quantity)}`;
  book.watch(({ position, shares, by }) => {
    told.push(`${position && inWords(position)}${by ? ' by its fills' : ''}: ${shares.map(inWords).join(', ')}`);
  });
  const { fills, positions } = book.apply(trade, opening('SELL', sold, '110'), new Set(), netted);
  const written = positions.map(
    (each) => `${inWords(each)} earned ${toText(each.realizedPnl)} fees ${toText(each.fees)}`,
  );
  return { written, told, earned: fills.map(({ realizedPnl }) => toText(realizedPnl)).join() };
}

test.each([
  ['less than is held', '3', '2', ['LONG 1 earned 20 fees 2'], '20'],
  ['as much as is held', '2', '2', ['LONG 0 earned 20 fees 2'], '20'],
  ['more than is held', '2', '3', ['LONG 0 earned 20 fees 2', 'SHORT 1 earned 0 fees 0'], '20'],
])('on a netted account an order that opens the other side takes %s away first', (_, bought, sold, written, earned) => {
  expect(openBothSides(bought, sold, true)).toMatchObject({ written, earned });
});

test('whoever follows a netted account hears of both sides', () => {
  expect(openBothSides('2', '3', true).told).toEqual(['SHORT 1 by its fills: LONG 0, SHORT 1', 'LONG 0: ']);
  expect(openBothSides('3', '2', true).told).toEqual(['SHORT 0 by its fills: LONG 1', 'LONG 1: ']);
});

test('a hedge account holds both sides', () => {
  const { written, told, earned } = openBothSides('3', '2', false);
  expect(written).toEqual(['SHORT 2 earned 0 fees 1']);
  expect(told).toEqual(['SHORT 2 by its fills: SHORT 2']);
  expect(earned).toBe('0');
});

test('a fill of a netted account that is told after a later one makes the same position', () => {
  const order = (id: string, side: 'BUY' | 'SELL', quantity: string, reduceOnly: boolean): OrderReport => ({
    ...{ ...report(side, '100'), clientOrderId: id, reduceOnly },
    positionSide: (side === 'BUY') === reduceOnly ? 'SHORT' : 'LONG',
    fills: [{ fillId: 'f', quantity: decimal(quantity), price: decimal('100'), fee: ZERO, atMs: 1 }],
  });
  const rested = order('sbx1', 'SELL', '6', false);
  const [entered, closed, opened] = [
    order('sbx2', 'SELL', '3', false),
    order('sbx3', 'BUY', '9', true),
    order('sbx4', 'BUY', '2', false),
  ];
  const heldAfter = (reports: readonly OrderReport[], source = trade.source): readonly string[] => {
    const book = new PositionBook([]);
    for (const each of reports) book.apply({ ...trade, source }, each, new Set(), true);
    return book.all().flatMap(({ side, quantity }) => (quantity === ZERO ? [] : [`${side} ${toText(quantity)}`]));
  };
  expect(heldAfter([rested, entered, closed, opened])).toEqual(['LONG 2']);
  expect(heldAfter([entered, closed, rested, opened])).toEqual(['LONG 2']);
  expect(heldAfter([entered, closed, opened, rested])).toEqual(['LONG 2']);
  // What the owner closes may have been opened beside us: it never opens the other side in our books.
  expect(heldAfter([closed], OWNER)).toEqual([]);
});

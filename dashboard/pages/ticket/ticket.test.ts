// What is sent of an order as it is typed, and what an order of a position begins with.

import { describe, expect, test } from 'vitest';
import type { Position } from '../../server/answers.ts';
import { BLANK, type TypedTicket, ticketFor, ticketOf, withAction } from './ticket.ts';

const WHERE = { exchange: 'binance', account: 'main' };
const typed = (fields: Partial<TypedTicket>): TypedTicket => ({ ...BLANK, market: 'btcusdt', size: '0.01', ...fields });
const bodyOf = (fields: Partial<TypedTicket>) => ticketOf(typed(fields), WHERE).body;

describe('the order', () => {
  test('has what was typed and nothing else', () => {
    const plain = { exchange: 'binance', account: 'main', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    expect(bodyOf({})).toEqual(plain);
    expect(bodyOf({ sizeUnit: 'quote', size: '500', strategy: ' trend ', comment: 'why', leverage: '3' })).toEqual({
      ...{ ...plain, quantity: 500, quantityType: 'quote', strategy: 'trend', comment: 'why', leverage: 3 },
    });
  });

  test('of a limit has its terms, one at the market none', () => {
    const terms = { price: '60000', isPostOnly: true, cancelAfter: '5' } as const;
    const waiting = bodyOf({ kind: 'limit', ...terms });
    expect(waiting).toMatchObject({ price: 60_000, postOnly: true, cancelAfterSeconds: 300 });
    expect(Object.keys(waiting ?? {})).not.toContain('timeInForce');
    expect(bodyOf(terms)).toEqual(bodyOf({}));
  });

  test.each(['IOC', 'FOK'] as const)(
    'of a limit that never waits (%s) has no terms of one that does',
    (timeInForce) => {
      const limit = { kind: 'limit', price: '60000', timeInForce } as const;
      const body = bodyOf({ ...limit, isPostOnly: true, cancelAfter: 'x' });
      expect(body).toEqual({ ...bodyOf({}), price: 60_000, timeInForce });
    },
  );

  test('brings its stops and targets along, a close does not', () => {
    const protection = {
      ...BLANK.protection,
      stopLoss: { value: '2', unit: 'percent' },
      targets: [
        { value: '2', unit: 'percent', share: '50' },
        { value: '4', unit: 'percent', share: '30' },
      ],
      breakEvenAfter: '1',
    } as const;
    expect(bodyOf({ protection })).toMatchObject({
      stopLoss: { percent: 2 },
      targets: [
        { percent: 2, share: 0.5 },
        { percent: 4, share: 0.3 },
      ],
      breakEvenAfter: 1,
    });
    expect(Object.keys(bodyOf({ protection, action: 'CLOSE_LONG' }) ?? {})).not.toContain('stopLoss');
  });

  test.each<[string, Partial<TypedTicket>]>([
    ['a market', { market: ' ' }],
    ['a size', { size: '' }],
    ['the price of a limit', { kind: 'limit' }],
  ])('is not sent without %s', (_, fields) => {
    expect(bodyOf(fields)).toBeUndefined();
  });

  test('is not sent with what is no number, which is named', () => {
    const { body, faults } = ticketOf(typed({ size: '-1', leverage: 'x' }), WHERE);
    expect(body).toBeUndefined();
    expect(faults).toMatchObject({ size: 'is no number above 0', leverage: 'is no number above 0' });
  });

  test.each(['0,5', '1.000,5', '1,000', '1 000', '1’000.5'])(
    'is not sent with %s, which says how to write it',
    (size) => {
      const { body, faults } = ticketOf(typed({ size }), WHERE);
      expect(body).toBeUndefined();
      expect(faults.size).toMatch(/^is not clear: .*such as 1000\.5$/);
    },
  );
});

test('another action takes only a size that it knows', () => {
  expect(withAction(typed({ sizeUnit: 'risk_percent' }), 'CLOSE_LONG')).toMatchObject({
    ...{ action: 'CLOSE_LONG', sizeUnit: 'percent_position', size: '' },
  });
  expect(withAction(typed({}), 'CLOSE_LONG')).toMatchObject({ sizeUnit: 'base', size: '0.01' });
});

describe('from a position', () => {
  const share = (strategy: string, quantity: number) => ({ strategy, quantity, side: 'SHORT' });
  const position = {
    ...{ key: 'bybit:scalp:ETHUSDT:SHORT', exchange: 'bybit', account: 'scalp', market: 'ETHUSDT', side: 'SHORT' },
    ...{ strategies: [share('a', 1), share('b', 2)], protections: [] },
  } as unknown as Position;
  const where = { account: 'bybit:scalp', market: 'ETHUSDT', strategy: 'b' };

  test('more is another entry of who holds most', () => {
    expect(ticketFor(position, 'add')).toMatchObject({ ...where, action: 'SHORT', size: '' });
  });

  test('less is a part of what is held', () => {
    expect(ticketFor(position, 'reduce')).toMatchObject({
      ...{ ...where, action: 'CLOSE_SHORT', size: '50', sizeUnit: 'percent_position' },
    });
  });
});

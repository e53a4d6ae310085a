// Signals of trades and refusals: one list, what was kept of a refused one, and what a filter asks for.

import { describe, expect, test } from 'vitest';
import type { Refusal, Trade } from '../../server/answers.ts';
import { askedOf, latestSignals } from './signal.ts';
import { filtersOf } from './signal-filters.ts';

const trade = (fields: Partial<Trade>): Trade =>
  ({
    ...{ requestId: 'a', receivedAt: 1, source: 'webhook', keyLabel: 'default', exchange: 'binance', mode: 'paper' },
    ...{ account: 'main', action: 'LONG', symbol: 'BTCUSDT', market: 'BTCUSDT', quantity: 1, price: null },
    ...{ strategy: null, status: 'Filled', averagePrice: 100, error: null, ...fields },
  }) as Trade;

const refusal = (fields: Partial<Refusal>): Refusal => ({
  ...{ id: 'r', receivedAt: 1, door: '/webhook', key: 'default', address: null, status: 422, code: 'UNKNOWN_SYMBOL' },
  ...{ error: 'no such market', faults: [], body: '', alertId: null, resendable: true, resentAs: null, ...fields },
});

describe('the newest signals', () => {
  test('stand by their times, and a trade that the venue refused is one of them, not two', () => {
    const signals = latestSignals(
      [trade({ requestId: 'a', receivedAt: 3, status: 'Rejected', error: 'too small' }), trade({ requestId: 'b' })],
      [refusal({ id: 'a', receivedAt: 3 }), refusal({ id: 'c', receivedAt: 2 })],
      10,
    );
    expect(signals.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'refused'],
      ['c', 'refused'],
      ['b', 'filled'],
    ]);
    expect(signals[0]).toMatchObject({ isTrade: true, refusal: { id: 'a' }, why: 'too small' });
  });

  test('are no more than asked for, and a stop is none', () => {
    const trades = [
      trade({ requestId: 'a', source: 'stop-loss' }),
      trade({ requestId: 'b' }),
      trade({ requestId: 'c' }),
    ];
    expect(latestSignals(trades, [], 1)).toHaveLength(1);
    expect(latestSignals(trades, [], 9).map(({ id }) => id)).toEqual(['b', 'c']);
  });
});

describe('what a refused signal asked for', () => {
  test('is read from what was kept of it', () => {
    const body = JSON.stringify({ exchange: 'BINANCE', ticker: 'BTCUSDT', contracts: '0.5', action: 'buy' });
    expect(askedOf({ body })).toMatchObject({ exchange: 'binance', market: 'BTCUSDT', quantity: 0.5, action: 'buy' });
  });

  test.each(['', 'no JSON', '[]', 'null', '{"symbol":"***","quantity":"***","strategy":7}'])(
    'is nothing where it is %j',
    (body) => {
      expect(Object.values(askedOf({ body })).filter((value) => value !== undefined)).toEqual([]);
    },
  );
});

describe('a filter', () => {
  const filters = (query: string) => filtersOf(new URLSearchParams(query));

  test('is asked of what traded and of what was refused alike', () => {
    const { trades, refusals } = filters('market=BTCUSDT&key=tv&search=abc&account=main');
    const both = { symbol: 'BTCUSDT', key: 'tv', search: 'abc', account: 'main' };
    expect(trades).toMatchObject({ ...both, status: undefined, source: 'webhook,tradingview,email,script,ticket' });
    expect(refusals).toMatchObject({ ...both, code: undefined });
  });

  test.each([
    ['refused', 'Rejected', undefined, true],
    ['duplicate', undefined, 'DUPLICATE_SIGNAL', false],
    ['Filled', 'Filled', undefined, false],
  ])('by the outcome %s', (outcome, status, code, isWithoutDuplicates) => {
    const { trades, refusals, ...rest } = filters(`outcome=${outcome}`);
    expect([trades?.status, refusals?.code, rest.isWithoutDuplicates]).toEqual([status, code, isWithoutDuplicates]);
    expect([trades === undefined, refusals === undefined]).toEqual([outcome === 'duplicate', outcome === 'Filled']);
  });
});

// Market names: every spelling that charts and venues use becomes one plain name.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { marketOf, SYMBOL_PATTERN } from './market-symbol.ts';

describe('marketOf', () => {
  test.each([
    'BTCUSDT',
    'btcusdt',
    'BTC/USDT',
    'BTC-USDT',
    'BTC_USDT',
    'BTC/USDT:USDT',
    'BINANCE:BTCUSDT',
    'BINANCE:BTCUSDT.P',
    'BYBIT:BTCUSDT.P',
    'MEXC:BTC_USDT',
    'MEXC:BTC/USDT',
    'MEXC:BTC/USDT:USDT',
    'BTCUSDT.P',
    'BTCUSDT-PERP',
    'BTCUSDT_PERP',
    'BTC-USDT-SWAP',
    'BTC/USDT-PERP',
  ])('reads %s as BTCUSDT', (symbol) => {
    expect(symbol).toMatch(SYMBOL_PATTERN);
    expect(marketOf(symbol)).toBe('BTCUSDT');
  });

  test.each([
    ['1000PEPEUSDT.P', '1000PEPEUSDT'],
    ['BRK.B', 'BRK.B'],
    ['NASDAQ:AAPL', 'AAPL'],
    ['PERPUSDT', 'PERPUSDT'],
    ['SWAPUSDT', 'SWAPUSDT'],
    ['P', 'P'],
  ])('reads %s as %s', (symbol, market) => {
    expect(marketOf(symbol)).toBe(market);
  });

  test.each([
    '',
    ':',
    '.',
    '.P',
    '-',
    '/',
    'BTCUSDT:',
    ':BTCUSDT',
    'BTC//USDT',
    '-BTC',
    'BTC-',
    'A:B:C',
    'BTC/USDT:',
    'BTC USDT',
  ])('finds no market in %j', (symbol) => {
    expect(marketOf(symbol)).toBeUndefined();
  });

  test('gives a plain name or nothing, and a plain name is its own plain name', () => {
    const letters = fc.constantFrom(...'ABPERSWTUDC01.._-:/'.split(''), '.P', '-PERP', 'USDT');
    fc.assert(
      fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 12 }), (symbol) => {
        const market = marketOf(symbol);
        if (market === undefined) return;
        expect(market).toMatch(/^[A-Z0-9]+(\.[A-Z0-9]+)*$/);
        expect(marketOf(market)).toBe(market);
        expect(marketOf(symbol.toLowerCase())).toBe(market);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('SYMBOL_PATTERN', () => {
  test('takes 1 to 20 of its characters', () => {
    expect('').not.toMatch(SYMBOL_PATTERN);
    expect('A').toMatch(SYMBOL_PATTERN);
    expect('A'.repeat(20)).toMatch(SYMBOL_PATTERN);
    expect('A'.repeat(21)).not.toMatch(SYMBOL_PATTERN);
    for (const bad of ['BTC USDT', 'BTCUSDT\n', 'BTC;', 'BTC%', 'Ä', 'BTC\0']) expect(bad).not.toMatch(SYMBOL_PATTERN);
  });
});

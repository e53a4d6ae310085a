// SIMULATED_SYMBOLS: what is taken, and the sentence for everything else, at its bounds.

import { describe, expect, test } from 'vitest';
import { simulatedSymbols } from './simulated-symbols.ts';

describe('is taken', () => {
  test.each<[string, readonly [string, number][]]>([
    ['', []],
    ['NEWUSDT=0.5', [['NEWUSDT', 0.5]]],
    [
      'NEWUSDT=0.5, OTHERUSDT=120',
      [
        ['NEWUSDT', 0.5],
        ['OTHERUSDT', 120],
      ],
    ],
    [
      'AB=0.0000001,ABCDEFGHIJKLMNOPQRST=10000000',
      [
        ['AB', 1e-7],
        ['ABCDEFGHIJKLMNOPQRST', 1e7],
      ],
    ],
    ['1000NEWUSDT=3', [['1000NEWUSDT', 3]]],
  ])('%j', (text, symbols) => {
    expect(simulatedSymbols(text)).toEqual(symbols.map(([market, price]) => ({ market, price })));
  });

  test('a list of 200 markets', () => {
    const names = Array.from({ length: 201 }, (_, index) => `N${index}USDT=1`);
    expect(simulatedSymbols(names.slice(1).join())).toHaveLength(200);
    expect(() => simulatedSymbols(names.join())).toThrow(/more than 200 markets; shorten the list/);
  });
});

describe('is refused', () => {
  test.each([
    ['NEWUSDT', /"NEWUSDT" is no market; write it like NEWUSDT=0\.5/],
    ['=5', /has no name for a market; use 2 to 20 capital letters and digits/],
    ['A=5', /has no name for a market/],
    ['ABCDEFGHIJKLMNOPQRSTU=5', /has no name for a market/],
    ['newusdt=5', /has no name for a market/],
    ['NEW-USDT=5', /has no name for a market/],
    ['NEWUSDT=0.00000009', /a price is at least 0\.0000001 and at most 10000000/],
    ['NEWUSDT=10000000.1', /a price is at least 0\.0000001 and at most 10000000/],
    ['NEWUSDT=1,NEWUSDT=2', /NEWUSDT is named twice; give it one price/],
  ])('%j', (text, sentence) => {
    expect(() => simulatedSymbols(text)).toThrow(sentence);
  });

  test.each(['NEWUSDT=', 'NEWUSDT=abc', 'NEWUSDT=-1', 'NEWUSDT=0', 'NEWUSDT=1=2', 'NEWUSDT=1e3'])('%j', (text) => {
    expect(() => simulatedSymbols(text)).toThrow();
  });
});

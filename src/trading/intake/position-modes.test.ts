// When an account must stay hedge, and how its owner hears of it.

import { expect, it } from 'vitest';
import { keptHedgeInWords, type MarketSide, twoSidedMarkets } from './position-modes.ts';

const at = (market: string, ...sides: readonly MarketSide['side'][]): MarketSide[] =>
  sides.map((side) => ({ market, side }));

it('a market with positions on both sides needs hedge, whatever the account was', () => {
  const positions = [...at('SOLUSDT', 'LONG', 'SHORT'), ...at('ETHUSDT', 'LONG'), ...at('BTCUSDT', 'SHORT', 'LONG')];
  for (const known of ['hedge', 'one-way', undefined] as const)
    expect(twoSidedMarkets(known, { positions, entries: [] })).toEqual(['BTCUSDT', 'SOLUSDT']);
});

it('the sides of different markets do not meet', () => {
  const positions = [...at('SOLUSDT', 'LONG'), ...at('ETHUSDT', 'SHORT')];
  expect(twoSidedMarkets('hedge', { positions, entries: at('BTCUSDT', 'LONG') })).toEqual([]);
});

it('an entry that waits counts as a side where the account was hedge: one-way accounts may have such entries too', () => {
  const against = { positions: at('SOLUSDT', 'LONG'), entries: at('SOLUSDT', 'SHORT') };
  const waiting = { positions: [], entries: at('SOLUSDT', 'LONG', 'SHORT') };
  for (const books of [against, waiting]) {
    expect(twoSidedMarkets('hedge', books)).toEqual(['SOLUSDT']);
    expect(twoSidedMarkets('one-way', books)).toEqual([]);
    expect(twoSidedMarkets(undefined, books)).toEqual([]);
  }
});

it('three markets are named, others are counted', () => {
  const words = (...markets: string[]) => keptHedgeInWords({ exchange: 'binance', account: 'main' }, markets);
  expect(words('A', 'B', 'C')).toContain('at the start A, B, C had positions');
  expect(words('A', 'B', 'C', 'D')).toContain('at the start A, B, C and 1 more had positions');
});

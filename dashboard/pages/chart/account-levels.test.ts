// Tests of the account's lines on the chart.

import { expect, it } from 'vitest';
import type { Position } from '../../server/answers.ts';
import { levelsOf, profitAt, roundedTo } from './account-levels.ts';

const guard = {
  ...{
    key: 'binance:BTCUSDT:LONG',
    side: 'LONG',
    entryPrice: 64_000,
    strategy: null,
    status: 'active',
    trail: null,
    targets: [],
    takeProfit: null,
  },
  stopLoss: { price: 60_000, asked: { price: 60_000 }, isBreakEven: false },
};
const position = {
  ...{ key: 'binance:BTCUSDT:LONG', market: 'BTCUSDT', side: 'LONG', quantity: 0.5, entryPrice: 64_000 },
  ...{ protections: [guard], strategies: [], exchange: 'binance', account: 'main', mode: 'paper' },
} as unknown as Position;
const levels = (protections: readonly object[]) =>
  levelsOf([{ ...position, protections } as unknown as Position]).map(({ kind, price, title, canMove }) => [
    ...[kind, price, title, canMove],
  ]);

it('has the entry, and stops and targets that can be moved', () => {
  expect(levels([guard, { ...guard, strategy: 'ema', stopLoss: null, takeProfit: { price: 70_000 } }])).toEqual([
    ['entry', 64_000, 'LONG 0.5 · binance PAPER', false],
    ['stop', 60_000, 'stop', true],
    ['target', 70_000, 'target · ema', true],
  ]);
});

it('shows what cannot be moved: a trailing stop, several targets, and what is being closed', () => {
  const trailing = {
    ...guard,
    stopLoss: null,
    trail: { stopPrice: 61_000 },
    targets: [
      { price: 65_000, isHit: true },
      { price: 66_000, isHit: false },
    ],
  };
  expect(levels([trailing, { ...guard, status: 'closing' }]).slice(1)).toEqual([
    ['stop', 61_000, 'trailing stop', false],
    ['target', 66_000, 'target 2', false],
    ['stop', 60_000, 'stop', false],
  ]);
});

it('keeps the stop of what is held apart from that of an entry of the same strategy that waits, which is not moved here', () => {
  const waiting = {
    ...{ ...guard, status: 'waiting for the fill', requestId: 'an-entry', entryPrice: null },
    stopLoss: { price: 50_000, asked: { price: 50_000 }, isBreakEven: false },
  };
  const [, held, first, second] = levelsOf([
    { ...position, protections: [guard, waiting, { ...waiting, requestId: 'another' }] } as unknown as Position,
  ]);
  expect([held?.title, held?.price, held?.canMove]).toEqual(['stop', 60_000, true]);
  expect([first?.title, first?.price, first?.canMove]).toEqual(['stop (after the fill)', 50_000, false]);
  // Lines are known by their ids.
  expect(new Set([held?.id, first?.id, second?.id]).size).toBe(3);
});

it('gives a stop the share of its own side', () => {
  const strategies = [
    { strategy: 'ema', side: 'SHORT', quantity: 0.2, entryPrice: 66_000 },
    { strategy: 'ema', side: 'LONG', quantity: 0.7, entryPrice: 63_000 },
  ];
  const protections = [{ ...guard, strategy: 'ema' }];
  const [, stop] = levelsOf([{ ...position, strategies, protections } as unknown as Position]);
  expect(stop?.guarded).toMatchObject({ side: 'LONG', quantity: 0.7 });
});

it('says of every line where it is and with which money, where that is not one and the same', () => {
  const live = { ...position, account: 'scalp', mode: 'live' } as Position;
  expect(levelsOf([position, live]).map(({ title }) => title)).toEqual([
    ...['LONG 0.5 · binance PAPER', 'stop · binance PAPER'],
    ...['LONG 0.5 · binance:scalp LIVE', 'stop · binance:scalp LIVE'],
  ]);
});

it('says nothing of a level without a price', () => {
  expect(levels([{ ...guard, stopLoss: { ...guard.stopLoss, price: null } }])).toHaveLength(1);
});

it('prices are multiples of the tick, without dust', () => {
  expect([roundedTo(60_123.4567, 0.1), roundedTo(0.123456, 0.0001), roundedTo(60_123.4567, undefined)]).toEqual([
    60_123.5, 0.1235, 60_123.457,
  ]);
});

it('profit is what the side makes of it', () => {
  expect(profitAt(position, 60_000)).toBe(-2000);
  expect(profitAt({ ...position, side: 'SHORT' }, 60_000)).toBe(2000);
});

it('a stop of a strategy guards its share: its quantity, its entry, and its side', () => {
  const strategies = [
    { strategy: 'ema', side: 'LONG', quantity: 0.7, entryPrice: 63_000 },
    { strategy: 'mean', side: 'SHORT', quantity: 0.2, entryPrice: 66_000 },
  ];
  const protections = [
    { ...guard, strategy: 'ema' },
    { ...guard, strategy: 'mean', side: 'SHORT', key: 'binance:BTCUSDT:SHORT' },
  ];
  const [, ema, mean] = levelsOf([{ ...position, strategies, protections } as unknown as Position]);
  expect(ema?.guarded).toMatchObject({ key: 'binance:BTCUSDT:LONG', quantity: 0.7, entryPrice: 63_000 });
  expect(mean?.guarded).toMatchObject({ key: 'binance:BTCUSDT:SHORT', side: 'SHORT', quantity: 0.2 });
  expect(profitAt(mean!.guarded, 60_000)).toBe(1200);
});

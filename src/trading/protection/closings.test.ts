// What the owner is told when a level is reached: its price is one that the market can trade at.

import { expect, it } from 'vitest';
import { decimal } from '../decimal.ts';
import type { Levels } from '../fixed-levels.ts';
import type { PositionSide } from '../venue.ts';
import { askedLike, lookAfter, openStopWorld, tradePrices } from './testing/stop-world.ts';

const percent = { trail: { percent: decimal('2') } };

/** The market's tick is 0.01. */
it.each<[told: string, side: PositionSide, levels: Levels, price: number]>([
  ['trailing stop at 98.78', 'LONG', { trail: { percent: decimal('1.21507') } }, 98],
  ['trailing stop at 101.22', 'SHORT', { trail: { percent: decimal('1.21507') } }, 102],
  ['trailing stop at 98', 'LONG', percent, 98],
  ['stop loss at 97.12', 'LONG', { stopLoss: decimal('97.123456') }, 97],
  ['stop loss at 103.13', 'SHORT', { stopLoss: decimal('103.123456') }, 104],
  ['take profit at 103.13', 'LONG', { takeProfit: decimal('103.123456') }, 104],
  ['take profit at 97.12', 'SHORT', { takeProfit: decimal('97.123456') }, 97],
])('the alarm says %s (%s)', async (told, side, levels, price) => {
  const world = await openStopWorld(side);
  tradePrices(world, 100, price);
  await world.protections.set({ exchange: 'binance', account: 'main', market: 'BTCUSDT', side }, askedLike(levels));
  await lookAfter(world, 2);
  expect(world.alarms).toEqual([`BTCUSDT ${side} on binance (paper) reached its ${told} and is being closed`]);
});

it('an alarm of a stop is over when its position is closed, and stands while it could not be', async () => {
  const world = await openStopWorld('LONG');
  tradePrices(world, 100, 97);
  const where = { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
  await world.protections.set(where, askedLike({ stopLoss: decimal('98') }));
  world.fate = 'refused';
  await lookAfter(world, 2);
  await lookAfter(world, 1);
  expect(world.alarms.at(-1)).toContain('could NOT be closed');
  expect(world.standing.size).toBe(2);
  await lookAfter(world, 10);
  expect(world.standing.size).toBe(2);
  world.settleTrades();
  expect(world.standing).toEqual(new Set());
});

it('an alarm of a target is over when its part is closed', async () => {
  const world = await openStopWorld('LONG');
  tradePrices(world, 100, 103);
  const where = { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
  await world.protections.set(where, askedLike({ targets: [{ level: decimal('102'), share: decimal('0.5') }] }));
  await lookAfter(world, 2);
  expect(world.standing.size).toBe(1);
  world.settleTrades();
  expect(world.standing.size).toBe(1);
  await lookAfter(world, 1);
  expect(world.standing).toEqual(new Set());
});

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

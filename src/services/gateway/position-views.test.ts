// Open positions while their venue takes questions and never answers: what our own books know is shown all the same, and soon.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Position } from '../../trading/books/position.ts';
import { decimal, product, ZERO } from '../../trading/decimal.ts';
import type { Venue, VenuePosition } from '../../trading/venue.ts';
import { openPositions, type PositionDeps, positionSchema } from './position-views.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HELD: Position = {
  ...{ exchange: 'binance', mode: 'live', account: 'main', market: 'BTCUSDT', side: 'LONG', quantity: decimal('0.5') },
  ...{
    entryPrice: decimal('50000'),
    cost: product(decimal('0.5'), decimal('50000')),
    realizedPnl: ZERO,
    fees: ZERO,
    updatedAtMs: 1,
  },
};
const never = <T>(): Promise<T> => new Promise(() => {});

function shown(positions: () => Promise<readonly VenuePosition[]>, lastPrice: () => Promise<string>) {
  const venue = { mode: 'live', positions } as Partial<Venue> as Venue;
  const deps: PositionDeps = {
    journal: { positions: async () => [HELD, { ...HELD, side: 'SHORT' }], strategyBooks: async () => [] },
    accounts: { find: () => venue },
    protections: { list: () => [], waiting: async () => [], waitingOf: () => undefined },
    pricesOf: () => ({ label: 'binance', lastPrice }),
    tickOf: () => undefined,
  };
  return openPositions(deps).then((views) => views.map((view) => positionSchema.parse(view)));
}

it('within seconds, whatever is not answered', async () => {
  const views = shown(never, never);
  await vi.advanceTimersByTimeAsync(3_000);
  const unknown = { quantity: 0.5, entryPrice: 50_000, markPrice: null, unrealizedPnl: null, margin: null };
  expect(await views).toEqual([expect.objectContaining(unknown), expect.objectContaining(unknown)]);
});

it('with what one of the two has answered', async () => {
  const views = shown(never, async () => '51000');
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await views)[0]).toMatchObject({ markPrice: 51_000, unrealizedPnl: 500, leverage: null });
  const there = {
    market: 'BTCUSDT',
    side: 'LONG',
    quantity: decimal('0.5'),
    entryPrice: decimal('50000'),
    leverage: 3,
  };
  const told = shown(async () => [there as VenuePosition], never);
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await told)[0]).toMatchObject({ markPrice: null, leverage: 3 });
});

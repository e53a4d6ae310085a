// A reversal under limits: refused whole or not at all. What its own first order did never stops its second one.

import { describe, expect, test } from 'vitest';
import { nextRequestId, orderOf, positionOf, START_MS } from '../../../tests/ports/sample-trades.ts';
import { foregroundTimers } from '../../timing/timers.ts';
import type { Trade, TradeOrder } from '../books/journal.ts';
import type { LimitFacts } from '../books/limit-facts.ts';
import { PositionBook } from '../books/position-book.ts';
import { type Decimal, decimal, ZERO } from '../decimal.ts';
import type { LimitRefusal } from '../intake/limit-rules.ts';
import type { Restriction, TradeLimits } from '../intake/restrictions.ts';
import type { Market } from '../venue.ts';
import { EntryLimits } from './entry-limits.ts';
import { leverageRefusal } from './market-limits.ts';
import { TradeRun } from './trade-run.ts';

const MARKET: Market = {
  ...{ symbol: 'BTCUSDT', tickSize: decimal('0.1'), stepSize: decimal('0.001'), minQuantity: decimal('0.001') },
  ...{ minNotional: decimal('5'), maxLeverage: 50, lastPrice: decimal('50000') },
};

/** Asks for a short of 0.01 just after a long was closed at a loss of 50, while nobody knows the best prices. */
function ask(
  limits: TradeLimits,
  flattened: readonly Pick<TradeOrder, 'state'>[],
  mode: Trade['mode'] = 'paper',
): LimitRefusal | undefined {
  const row: Restriction = { kind: 'account', name: 'binance:main', limits };
  const book = new PositionBook([positionOf({ quantity: ZERO, updatedAtMs: START_MS })]);
  const facts = {
    ...{ isLoaded: true, entriesToday: () => 0, addEntry: () => {}, stopsIn: () => [START_MS] },
    resultToday: (): Decimal => decimal('-50'),
  } as unknown as LimitFacts;
  const limiting = new EntryLimits({
    restrictions: { of: () => [row], list: () => [row], watch: () => {} },
    ...{ facts, book, resting: { entries: () => [] }, accounts: { has: () => true }, nowMs: () => START_MS + 1000 },
    ...{ monotonicMs: () => 0, timers: foregroundTimers },
    liveGuards: { priceThroughPercent: 20, spreadPercent: 5 },
  });
  const trade: Trade = {
    ...{ requestId: nextRequestId(), receivedAtMs: START_MS, source: 'webhook', keyLabel: 'k', mode },
    ...{
      account: 'main',
      order: orderOf({ action: 'SHORT', leverage: 9 }),
      seq: 9,
      state: 'sending',
      executedQuantity: ZERO,
    },
  };
  const orders = flattened.map(
    ({ state }): TradeOrder => ({
      ...{ clientOrderId: 'sbx1', market: 'BTCUSDT', leg: 'flatten', side: 'SELL', positionSide: 'LONG', netted: true },
      ...{ reduceOnly: true, quantity: decimal('0.5'), executedQuantity: decimal('0.5'), givenUp: ZERO, state },
    }),
  );
  const parts = { laneJournal: { record: async () => ({}) }, book, nowMs: () => START_MS + 1000 };
  const run = new TradeRun({ trade, orders, fills: [] }, parts, undefined);
  const quantity = decimal('0.01');
  const entry = {
    market: MARKET,
    positionSide: 'SHORT',
    quantity,
    orders: [],
    net: ZERO,
    own: ZERO,
    leverage: 9,
  } as const;
  return limiting.claim(run, entry);
}

describe.each([
  [{ cooldownSeconds: 600 }, 'LIMIT_COOLDOWN'],
  [{ dailyLoss: 50 }, 'LIMIT_DAILY_LOSS'],
  [{ lockAfterStops: { stops: 1, seconds: 600 } }, 'LIMIT_LOCKED_AFTER_STOPS'],
  [{ largestOrder: 499 }, 'LIMIT_LARGEST_ORDER'],
  [{ leverage: 8 }, 'LIMIT_LEVERAGE'],
  [{ spreadPercent: 1 }, 'LIMIT_SPREAD'],
] as const)('under %j', (limits, code) => {
  test('an entry after the close of another trade is refused', () => {
    expect(ask(limits, [])?.code).toBe(code);
  });

  test('so is one whose first order never reached the venue', () => {
    expect(ask(limits, [{ state: 'accepted' }])?.code).toBe(code);
  });

  test('a reversal whose first order was filled goes on, also after a crash between the two', () => {
    expect(ask(limits, [{ state: 'filled' }])).toBeUndefined();
  });
});

describe('what guards a live account', () => {
  test('refuses an entry that cannot be compared with the market', () => {
    expect(ask({}, [], 'live')).toMatchObject({
      code: 'LIMIT_SPREAD',
      message: expect.stringMatching(/^MAX_SPREAD_PERCENT: /),
    });
  });

  test('lets a reversal go on whose first order was filled', () => {
    expect(ask({}, [{ state: 'filled' }], 'live')).toBeUndefined();
  });

  test('is nothing to a paper account', () => {
    expect(ask({}, [])).toBeUndefined();
  });
});

test('a leverage that nobody names and the venue does not tell passes no limit of it, and one at the limit does', () => {
  const row: Restriction = { kind: 'account', name: 'binance:main', limits: { leverage: 8 } };
  const asked = (leverage: number | undefined) => leverageRefusal(row, { leverage, market: MARKET }, orderOf({}));
  expect([asked(undefined)?.code, asked(9)?.code, asked(8)]).toEqual(['LIMIT_LEVERAGE', 'LIMIT_LEVERAGE', undefined]);
  expect(asked(undefined)?.message).toContain('binance does not tell what BTCUSDT is set to; send 8 or less');
});

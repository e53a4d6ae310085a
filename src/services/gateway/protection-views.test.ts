// How answers show which stops stand at the exchange.

import { expect, it } from 'vitest';
import { decimal } from '../../trading/decimal.ts';
import type { Protection } from '../../trading/protection/protection.ts';
import type { ShownStop } from '../../trading/protection/venue-stop-store.ts';
import { protectionSchema, protectionViews } from './protection-views.ts';

const GUARD: Protection = {
  ...{ exchange: 'binance', mode: 'live', account: 'main', market: 'BTCUSDT', side: 'LONG', strategy: '' },
  ...{ createdAtMs: 0, seenUntilMs: 0, closeRequestId: 'x', stopLoss: decimal('49000') },
};
const STOP: ShownStop = {
  ...{ clientStopId: 'sbx1s', share: GUARD, kind: 'stop', by: 'stop-loss', createdAtMs: 0 },
  ...{ quantity: decimal('0.5'), triggerPrice: decimal('49000'), isKnown: true },
};
const shown = async (stops: readonly ShownStop[] | undefined) => {
  const sights = {
    list: () => [GUARD],
    waiting: async () => [],
    waitingOf: () => undefined,
    stopsAtVenue: () => stops,
  };
  const [view] = await protectionViews(sights, () => undefined);
  return protectionSchema.parse(view).atVenue;
};

it('names each with its id, its price and its quantity', async () => {
  expect(await shown([STOP])).toEqual([{ id: 'sbx1s', kind: 'stop', price: 49000, quantity: 0.5, isKnown: true }]);
});

it('tells an exchange that has none now from one that keeps none', async () => {
  expect([await shown([]), await shown(undefined)]).toEqual([[], undefined]);
});

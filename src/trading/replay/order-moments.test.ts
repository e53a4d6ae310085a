// The moment of an order: by its id, by its place for what the desk decided by itself, and now for what the past does not have.

import { expect, test } from 'vitest';
import { decimal } from '../decimal.ts';
import type { OrderRequest } from '../venue.ts';
import { OrderMoments } from './order-moments.ts';
import { recordedOrder, recordedTrade } from './testing/recorded.ts';

const VENUE = { exchange: 'binance', account: 'main' } as const;
const request = (clientOrderId: string, more: Partial<OrderRequest> = {}): OrderRequest => ({
  ...{ clientOrderId, market: 'BTCUSDT', side: 'SELL', positionSide: 'LONG', reduceOnly: true, quantity: decimal('1') },
  ...more,
});
const close = (id: string, placedAtMs: number) =>
  recordedTrade({ source: 'stop-loss' }, [recordedOrder({ clientOrderId: id, placedAtMs, reduceOnly: true })]);

test('an order of a signal has the moment of its id, whatever the clock says', () => {
  const moments = new OrderMoments({
    trades: [recordedTrade({}, [recordedOrder({ clientOrderId: 'a', placedAtMs: 5 })])],
  });
  expect(moments.of(VENUE, request('a'), 900)).toBe(5);
  expect(moments.of(VENUE, request('b'), 900)).toBe(900);
});

test('the close of a stop has the next moment of its position, and each moment once', () => {
  const moments = new OrderMoments({ trades: [close('later', 2_000), close('sooner', 1_000)] });
  expect(moments.of(VENUE, request('new-1'), 990)).toBe(1_000);
  expect(moments.of(VENUE, request('new-2'), 990)).toBe(2_000);
  expect(moments.of(VENUE, request('new-3'), 990)).toBe(990);
});

test('a moment that is past, a minute away, of another side, account or market is not its own', () => {
  const moments = new OrderMoments({ trades: [close('a', 100_000)] });
  expect(moments.of(VENUE, request('late'), 100_001)).toBe(100_001);
  expect(moments.of(VENUE, request('early'), 39_999)).toBe(39_999);
  expect(moments.of(VENUE, request('side', { positionSide: 'SHORT' }), 99_000)).toBe(99_000);
  expect(moments.of(VENUE, request('market', { market: 'ETHUSDT' }), 99_000)).toBe(99_000);
  expect(moments.of({ ...VENUE, account: 'scalp' }, request('account'), 99_000)).toBe(99_000);
  expect(moments.of(VENUE, request('own'), 40_000)).toBe(100_000);
});

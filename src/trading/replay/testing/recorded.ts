// Trades and orders of a past that a test makes up.

import type { Trade } from '../../books/journal.ts';
import { decimal, ZERO } from '../../decimal.ts';
import type { RecordedOrder, RecordedPast, RecordedTrade } from '../recorded-past.ts';

export const recordedOrder = (more: Partial<RecordedOrder> = {}): RecordedOrder => ({
  ...{ clientOrderId: 'order', leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, netted: true },
  ...{ givenUp: ZERO, quantity: decimal('1'), state: 'filled', executedQuantity: decimal('1') },
  ...{ createdAtMs: 0, updatedAtMs: 0, fills: [] },
  ...more,
});

export const recordedTrade = (
  { order, ...more }: Partial<Omit<Trade, 'order'>> & { readonly order?: Partial<Trade['order']> } = {},
  orders: readonly RecordedOrder[] = [],
  rest: Partial<RecordedTrade> = {},
): RecordedTrade => ({
  trade: {
    ...{ seq: 1, requestId: 'request', receivedAtMs: 0, source: 'webhook', keyLabel: 'key', mode: 'paper' },
    ...{ account: 'main', state: 'filled', executedQuantity: decimal('1') },
    ...more,
    order: {
      ...{ exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', market: 'BTCUSDT', quantity: decimal('1') },
      ...order,
    },
  },
  orders,
  cancels: [],
  updatedAtMs: 0,
  ...rest,
});

export const recordedPast = (more: Partial<RecordedPast> = {}): RecordedPast => ({
  ...{ trades: [], refusals: [], audit: [], stopChanges: [], accounts: [], positions: [], books: [] },
  ...more,
});

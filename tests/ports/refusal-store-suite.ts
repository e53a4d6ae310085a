// What every refusal store must do: keep refusals exactly and so many of each kind, and find them by what they asked for, read or not.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import type { RefusalFilter, RefusalStore, RefusedSignal } from '../../src/trading/intake/refusals.ts';
import { orderOf, START_MS } from './sample-trades.ts';

export interface OpenRefusalStore {
  readonly store: RefusalStore;
  reopen(): Promise<RefusalStore>;
  close(): Promise<void>;
}

const BOUNDS = { maxOthers: 1000, maxOfKeys: 1000 };

const refusal = (id: string, more: Partial<RefusedSignal> = {}): RefusedSignal => ({
  ...{ id, receivedAtMs: START_MS, door: '/webhook', keyLabel: 'mine', address: '203.0.113.7', status: 400 },
  ...{ code: 'INVALID_PARAMS', error: 'no', faults: ['quantity: missing'], body: '' },
  ...{ signal: undefined, resentAs: undefined },
  ...more,
});
const readable = (id: string, order: Parameters<typeof orderOf>[0] = {}, more: Partial<RefusedSignal> = {}) =>
  refusal(id, { signal: { keyId: 'k', source: 'webhook', order: orderOf(order), bodyDigest: undefined }, ...more });

export function describeRefusalStore(name: string, open: () => Promise<OpenRefusalStore>): void {
  describe(name, () => {
    let opened: OpenRefusalStore;
    let store: RefusalStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const ids = async (filter: Partial<RefusalFilter> = {}) =>
      (await store.list({ limit: 99, ...filter }))?.map(({ id }) => id);

    test('a refusal comes back exactly after a restart, with everything that could be read of it', async () => {
      const whole = refusal('a', {
        body: '{"comment":"Größe 🚂"}',
        signal: {
          ...{
            keyId: 'k',
            source: 'tradingview',
            unmapped: 'place',
            bodyDigest: Uint8Array.from({ length: 32 }, (_, i) => i),
          },
          order: orderOf({
            quantity: decimal('99999999999999999999.999999999999'),
            price: decimal('0.000000000001'),
            protect: { stopLoss: { unit: 'percent', value: decimal('2.5') } },
          }),
        },
      });
      const bare = refusal('b', { keyLabel: undefined, address: undefined });
      await store.add([whole, bare], BOUNDS);
      const again = await opened.reopen();
      expect(await again.find('a')).toEqual(whole);
      expect(await again.list({ limit: 9 })).toEqual([bare, whole]);
      expect(await again.find('c')).toBeUndefined();
    });

    test('one that is written twice is one', async () => {
      await store.add([refusal('a')], BOUNDS);
      await store.add([refusal('a', { error: 'later' }), refusal('b')], BOUNDS);
      expect(await ids()).toEqual(['b', 'a']);
      expect((await store.find('a'))?.error).toBe('no');
    });

    test('pages go on after the last one seen, and an unknown one is told', async () => {
      await store.add(
        ['a', 'b', 'c', 'd'].map((id) => refusal(id)),
        BOUNDS,
      );
      expect(await ids({ limit: 2 })).toEqual(['d', 'c']);
      expect(await ids({ limit: 2, beforeId: 'c' })).toEqual(['b', 'a']);
      expect(await ids({ beforeId: 'nobody' })).toBeUndefined();
    });

    test('of those under no known key so many are kept, and of those under one as many and as long as is told', async () => {
      const bounds = { maxOthers: 2, maxOfKeys: 2 };
      const others = ['a', 'b', 'c'].map((id) => refusal(id, { keyLabel: undefined }));
      const ofKeys = ['d', 'e', 'f', 'g'].map((id, index) => refusal(id, { receivedAtMs: START_MS + index }));
      await store.add([...others, ...ofKeys], bounds);
      expect(await ids()).toEqual(['g', 'f', 'e', 'd', 'c', 'b']);
      await store.add([], { ...bounds, keptAfterMs: START_MS + 1 });
      expect(await ids()).toEqual(['g', 'f', 'c', 'b']);
      await store.add([], { ...bounds, maxOfKeys: 100, keptAfterMs: START_MS + 3 });
      expect(await ids()).toEqual(['g', 'c', 'b']);
    });

    test('they are found by code, key, door, source, moment and letters', async () => {
      await store.add(
        [
          readable('a', {}, { code: 'LIMIT', keyLabel: 'one', door: 'smtp' }),
          refusal('b', { receivedAtMs: START_MS + 5, error: 'Too Much', faults: ['Ünï'] }),
        ],
        BOUNDS,
      );
      expect(await ids({ code: 'LIMIT' })).toEqual(['a']);
      expect(await ids({ keyLabel: 'one' })).toEqual(['a']);
      expect(await ids({ door: 'smtp' })).toEqual(['a']);
      expect(await ids({ source: 'script,webhook' })).toEqual(['a']);
      expect(await ids({ fromMs: START_MS + 5 })).toEqual(['b']);
      expect(await ids({ toMs: START_MS + 5 })).toEqual(['a']);
      expect(await ids({ search: 'tOO m' })).toEqual(['b']);
      // Of A to Z in any case, of other letters as they are stored.
      expect(await ids({ search: 'ÜNï' })).toEqual(['b']);
    });

    test('they are found by what could be read of their order', async () => {
      await store.add(
        [
          readable('a', {
            exchange: 'bybit',
            account: 'scalp',
            market: 'ETHUSDT',
            symbol: 'ETH/USDT',
            strategy: 'trend',
          }),
          readable('b', { action: 'CLOSE_LONG' }),
        ],
        BOUNDS,
      );
      expect(await ids({ exchange: 'bybit' })).toEqual(['a']);
      expect(await ids({ account: 'scalp' })).toEqual(['a']);
      expect(await ids({ account: 'main' })).toEqual(['b']);
      expect(await ids({ market: 'ETHUSDT' })).toEqual(['a']);
      expect(await ids({ strategy: 'trend' })).toEqual(['a']);
      expect(await ids({ action: 'CLOSE_LONG' })).toEqual(['b']);
    });

    test('where the order could not be read, what stood in the body is looked at, as its sender spelled it', async () => {
      await store.add(
        [
          refusal('a', {
            body: '{"exchange":"Bybit","symbol":"BINANCE:eth/usdt.P","account":"scalp","strategy":"trend"}',
          }),
          refusal('b', { body: '{"ticker":"BTC_USDT","action":"LONG","exchange":7,"account":null}' }),
          refusal('c', { body: 'LONG BTCUSDT' }),
          refusal('d', { body: '["BTCUSDT"]' }),
        ],
        BOUNDS,
      );
      expect(await ids({ exchange: 'bybit' })).toEqual(['a']);
      expect(await ids({ account: 'scalp' })).toEqual(['a']);
      expect(await ids({ account: 'main' })).toEqual(['d', 'c', 'b']);
      expect(await ids({ market: 'ETHUSDT' })).toEqual(['a']);
      expect(await ids({ market: 'BTCUSDT' })).toEqual(['b']);
      expect(await ids({ strategy: 'trend' })).toEqual(['a']);
      // An action is one only where it was read.
      expect(await ids({ action: 'LONG' })).toEqual([]);
    });
  });
}

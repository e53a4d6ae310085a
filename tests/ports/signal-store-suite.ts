// What every signal store must do: keep each record once and exactly, beside the records the journal writes.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/trading/journal.ts';
import type { SignalRecord, SignalStore } from '../../src/trading/signal-store.ts';
import { StorageError } from '../../src/trading/storage-error.ts';
import { DAY_MS, newTrade, nextRequestId, START_MS } from './sample-trades.ts';

export interface OpenSignalStore {
  readonly signals: SignalStore;
  /** The journal over the same storage: it records what it accepts. */
  readonly journal: Journal;
  /** Every record, in the order of arrival, read past the port: it cannot list. */
  stored(): Promise<readonly SignalRecord[]>;
  close(): Promise<void>;
}

const record = (changes: Partial<SignalRecord> = {}): SignalRecord => ({
  signalId: nextRequestId(),
  timestampMs: START_MS,
  symbol: 'BTCUSDT',
  signalType: 'LONG',
  source: 'webhook',
  decision: 'RATE_LIMITED',
  ...changes,
});

export function describeSignalStore(name: string, open: () => Promise<OpenSignalStore>): void {
  describe(name, () => {
    let opened: OpenSignalStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    test('keeps records exactly and in order', async () => {
      const records = [record(), record({ symbol: 'BINANCE:BTCUSDT.P', source: 'email' }), record({ timestampMs: 0 })];
      for (const each of records) await opened.signals.add(each);
      expect(await opened.stored()).toEqual(records);
    });

    test('refuses a signal id that exists and keeps the first', async () => {
      const first = record();
      await opened.signals.add(first);
      await expect(opened.signals.add({ ...first, symbol: 'OTHER' })).rejects.toBeInstanceOf(StorageError);
      expect(await opened.stored()).toEqual([first]);
    });

    test('has the signals the journal accepted and those it refused as duplicates', async () => {
      const idempotencyKey = '6f1c0f7e-58b7-4b30-9d5a-2c8a3a4d9b10';
      const [first, second] = [newTrade({ order: { idempotencyKey } }), newTrade({ order: { idempotencyKey } })];
      await opened.journal.accept(first, DAY_MS);
      await opened.journal.accept(second, DAY_MS);
      expect(await opened.stored()).toEqual([
        record({ signalId: first.requestId, decision: 'accepted' }),
        record({ signalId: second.requestId, decision: 'DUPLICATE_SIGNAL' }),
      ]);
    });
  });
}

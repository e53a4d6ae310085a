// What every signal store must do: keep each record once and exactly, beside the records the journal writes, and list them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Journal } from '../../src/trading/books/journal.ts';
import type { SignalFilter, SignalRecord, SignalStore } from '../../src/trading/books/signal-store.ts';
import { DAY_MS, newTrade, nextRequestId, START_MS } from './sample-trades.ts';

export interface OpenSignalStore {
  readonly signals: SignalStore;
  /** The journal over the same storage: it records what it accepts. */
  readonly journal: Journal;
  reopen(): Promise<SignalStore>;
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

    const stored = () => opened.signals.list({ limit: 100 });

    test('finds signals by letters: of A to Z in any case, of others as they are stored', async () => {
      const [named, other] = [record({ decision: 'ПОКУПКА Übel' }), record()];
      for (const each of [named, other]) await opened.signals.add(each);
      expect(await opened.signals.list({ limit: 10, search: 'ПОКУПКА ÜBEL' })).toEqual([named]);
    });

    test('refuses a signal id that exists and keeps the first', async () => {
      const first = record();
      await opened.signals.add(first);
      await expect(opened.signals.add({ ...first, symbol: 'OTHER' })).rejects.toBeInstanceOf(StorageError);
      expect(await stored()).toEqual([first]);
    });

    test('has the signals the journal accepted and those it refused as duplicates', async () => {
      const idempotencyKey = '6f1c0f7e-58b7-4b30-9d5a-2c8a3a4d9b10';
      const [first, second] = [newTrade({ order: { idempotencyKey } }), newTrade({ order: { idempotencyKey } })];
      await opened.journal.accept(first, DAY_MS);
      await opened.journal.accept(second, DAY_MS);
      expect(await stored()).toEqual([
        record({ signalId: second.requestId, decision: 'DUPLICATE_SIGNAL' }),
        record({ signalId: first.requestId, decision: 'accepted' }),
      ]);
    });

    test('has everything again after a restart', async () => {
      const records = [record(), record({ timestampMs: 0 }), record({ symbol: 'BTC/USDT', source: 'email' })];
      for (const each of records) await opened.signals.add(each);
      const before = await stored();
      expect(before).toHaveLength(3);
      expect(await (await opened.reopen()).list({ limit: 100 })).toEqual(before);
    });

    describeList(() => opened);
  });
}

function describeList(opened: () => OpenSignalStore): void {
  const add = async (...changes: Partial<SignalRecord>[]): Promise<SignalRecord[]> => {
    const records = changes.map(record);
    // Not one after the other: the order they are handed over in is the order they are stored in.
    await Promise.all(records.map((each) => opened().signals.add(each)));
    return records;
  };
  const list = (filter: Partial<SignalFilter> = {}) => opened().signals.list({ limit: 100, ...filter });
  const pick = (records: readonly SignalRecord[], ...positions: number[]) => positions.map((at) => records[at]);

  async function pages(limit: number, filter: Partial<SignalFilter> = {}): Promise<SignalRecord[]> {
    const seen: SignalRecord[] = [];
    for (;;) {
      const page = await list({ limit, ...filter, beforeSignalId: seen.at(-1)?.signalId });
      seen.push(...(page ?? []));
      if (page === undefined || page.length < limit) return seen;
    }
  }

  describe('the list', () => {
    test('is empty at first', async () => {
      expect(await list()).toEqual([]);
    });

    test('gives every field back, at both ends of time', async () => {
      const text = { symbol: 'BINANCE:BTCUSDT.P', signalType: 'A_z9', source: 'Büro 🚂 "x" %_', decision: 'stored' };
      const records = await add({ ...text, timestampMs: 0 }, { ...text, timestampMs: 253_402_300_799_999 });
      expect(await list()).toEqual(pick(records, 1, 0));
    });

    test('is newest first, and of one instant the later stored first', async () => {
      const records = await add(...[2, 3, 1, 3, 2].map((timestampMs) => ({ timestampMs })));
      expect(await list()).toEqual(pick(records, 3, 1, 4, 0, 2));
      expect(await list({ limit: 2 })).toEqual(pick(records, 3, 1));
    });

    test('has what was acknowledged a moment ago, from either door', async () => {
      for (let round = 0; round < 20; round++) {
        const trade = newTrade({ receivedAtMs: START_MS + 2 * round });
        await opened().journal.accept(trade, DAY_MS);
        expect((await list({ limit: 1 }))?.[0]).toMatchObject({ signalId: trade.requestId, decision: 'accepted' });
        const [stored] = await add({ timestampMs: START_MS + 2 * round + 1 });
        expect(await list({ limit: 1, source: 'webhook' })).toEqual([stored]);
      }
    });

    test('narrows to a source, spelled exactly', async () => {
      const records = await add(
        { source: 'api' },
        { source: 'API' },
        { source: 'ap' },
        { source: '%' },
        { source: '_' },
      );
      expect(await list({ source: 'api' })).toEqual(pick(records, 0));
      expect(await list({ source: '%' })).toEqual(pick(records, 3));
      expect(await list({ source: 'a%' })).toEqual([]);
    });

    test('narrows to a market however it is spelled', async () => {
      const spellings = ['BTCUSDT', 'BTC/USDT', 'binance:btcusdt.p', 'BTC_USDT', 'BTC-USDT-SWAP', 'BTC/USDT:USDT'];
      const others = ['XBTCUSDT', 'BTCUSDT2', 'ETHUSDT', 'BTCUSD', 'B.T.C.U.S.D.T', ':', '-', 'B:TCUSDT'];
      const records = await add(...[...spellings, ...others].map((symbol) => ({ symbol })));
      for (const symbol of spellings) expect(await list({ symbol })).toEqual(pick(records, 5, 4, 3, 2, 1, 0));
      for (const [at, symbol] of others.entries()) {
        expect(await list({ symbol })).toEqual(pick(records, spellings.length + at));
      }
    });

    test('narrows to both at once', async () => {
      const records = await add({ source: 'api' }, { symbol: 'ETHUSDT', source: 'api' }, { symbol: 'ETH/USDT' });
      expect(await list({ symbol: 'ETHUSDT', source: 'api' })).toEqual(pick(records, 1));
      expect(await list({ symbol: 'ETHUSDT', source: 'nobody' })).toEqual([]);
    });

    test('finds a market behind many whose names only look like it', async () => {
      const wanted = await add({ timestampMs: 1 }, { timestampMs: 2 });
      await add(...Array.from({ length: 3000 }, (_, at) => ({ symbol: 'BTCUSDTX', timestampMs: 3 + (at % 7) })));
      expect(await list({ symbol: 'BTCUSDT', limit: 2 })).toEqual(pick(wanted, 1, 0));
      expect(await list({ symbol: 'BTCUSDT', limit: 1, beforeSignalId: wanted[1]?.signalId })).toEqual(pick(wanted, 0));
    });

    test.each([1, 2, 3, 7, 100])('comes whole in pages of %i, with every instant in many records', async (limit) => {
      await add(
        ...Array.from({ length: 41 }, (_, at) => ({
          timestampMs: (at * 5) % 4,
          symbol: at % 3 === 0 ? 'ETHUSDT' : 'BTC/USDT',
          source: at % 2 === 0 ? 'api' : 'webhook',
        })),
      );
      const whole = (await list()) ?? [];
      expect(whole).toHaveLength(41);
      expect(await pages(limit)).toEqual(whole);
      const narrow = whole.filter(({ symbol, source }) => symbol === 'BTC/USDT' && source === 'api');
      expect(await pages(limit, { symbol: 'BTCUSDT', source: 'api' })).toEqual(narrow);
    });

    test('goes on after a record that the filter leaves out', async () => {
      const records = await add(
        { source: 'api', timestampMs: 1 },
        { timestampMs: 2 },
        { source: 'api', timestampMs: 3 },
      );
      expect(await list({ source: 'api', beforeSignalId: records[1]?.signalId })).toEqual(pick(records, 0));
    });

    test('is empty after the oldest record, and undefined after one that nobody knows', async () => {
      const [only] = await add({});
      expect(await list({ beforeSignalId: only?.signalId })).toEqual([]);
      expect(await list({ beforeSignalId: nextRequestId() })).toBeUndefined();
      expect(await list({ beforeSignalId: nextRequestId(), source: 'webhook' })).toBeUndefined();
    });

    test('does not move under a reader while others write', async () => {
      const old = await add(...Array.from({ length: 20 }, (_, at) => ({ timestampMs: at })));
      const first = (await list({ limit: 5 })) ?? [];
      await add(...Array.from({ length: 20 }, () => ({ timestampMs: 100 })));
      const rest = await pages(5, {}).then((all) => all.slice(20));
      expect(await list({ beforeSignalId: first.at(-1)?.signalId })).toEqual([...old].reverse().slice(5));
      expect(rest).toEqual([...old].reverse());
    });

    test('answers many questions at once', async () => {
      const records = await add({ source: 'api' }, { source: 'webhook' });
      const asked = Array.from({ length: 32 }, (_, at) => list(at % 2 === 0 ? { source: 'api' } : {}));
      for (const [at, found] of (await Promise.all(asked)).entries())
        expect(found).toEqual(at % 2 === 0 ? pick(records, 0) : pick(records, 1, 0));
    });
  });
}

// What every store of kept runs must do: keep them whole, each user's apart, and make room where there are too many.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_KEPT_RUNS } from '../../src/library/runs/kept-run.ts';
import type { RunStore, StoredRun } from '../../src/library/runs/run-store.ts';

export interface OpenRunStore {
  readonly store: RunStore;
  reopen(): Promise<RunStore>;
  close(): Promise<void>;
}

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);

const run = (id: string, note = ''): StoredRun => ({
  ...{ id, atMs: 5, note, engine: '0.2.0', inputs: { Ünï: [1, null, 'x'] }, settings: { initial_capital: 2500.5 } },
  script: { title: 'Größe 🚂', name: 's', revision: 3, digest: 'd', libraries: [{ name: 'me/Tools/1', digest: 'e' }] },
  market: {
    ...{ symbol: 'BTC/USDT', timeframe: '1m', fromMs: -60_000, toMs: 60_000, bars: 3, digest: 'f', infoDigest: null },
    others: [],
  },
  repaint: { status: 'not_checked', bars_compared: 0, lines: [], reason: 'nobody asked' },
  metrics: {} as StoredRun['metrics'],
  tradeCount: 1,
  trades: [
    {
      ...{ direction: 'long', entryTimeMs: 1, entryPrice: 0.1, exitTimeMs: null, exitPrice: null, quantity: 1e-9 },
      profit: null,
    },
  ],
  resultDigest: 'r',
  asked: {
    ...{ market: 'BTCUSDT', timeframeMs: 60_000, fromMs: -60_000, toMs: 60_000, symbol: 'BTC/USDT', interval: '1m' },
    checksRepaint: false,
  },
});

export function describeRunStore(name: string, open: () => Promise<OpenRunStore>): void {
  describe(name, () => {
    let opened: OpenRunStore;
    let store: RunStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('a run comes back whole after a restart, and is listed without its trades, newest first', async () => {
      await store.add(ANN, run('a'));
      await store.add(ANN, run('b', 'kept'));
      const again = await opened.reopen();
      expect(await again.read(ANN, 'a')).toEqual(run('a'));
      const { trades: _, ...summary } = run('b', 'kept');
      expect((await again.list(ANN))[0]).toEqual(summary);
      expect((await again.list(ANN)).map(({ id }) => id)).toEqual(['b', 'a']);
    });

    test('a note is changed and a run removed, once, and by nobody else', async () => {
      await store.add(ANN, run('a'));
      expect([await store.note(BOB, 'a', 'x'), await store.remove(BOB, 'a')]).toEqual([false, false]);
      expect([await store.read(BOB, 'a'), await store.list(BOB)]).toEqual([undefined, []]);
      expect(await store.note(ANN, 'a', 'x')).toBe(true);
      expect((await store.read(ANN, 'a'))?.note).toBe('x');
      expect([await store.remove(ANN, 'a'), await store.remove(ANN, 'a')]).toEqual([true, false]);
      expect(await store.read(ANN, 'a')).toBeUndefined();
    });

    test(`of ${MAX_KEPT_RUNS} the oldest without a note makes room, and where all have one there is none`, async () => {
      await store.add(BOB, run('other'));
      for (let place = 0; place < MAX_KEPT_RUNS; place += 1)
        await store.add(ANN, run(`r${place}`, place === 1 ? '' : 'x'));
      expect(await store.add(ANN, run('next', 'x'))).toBe('added');
      expect([await store.read(ANN, 'r0'), await store.read(ANN, 'r1')]).toEqual([run('r0', 'x'), undefined]);
      expect(await store.add(ANN, run('more'))).toBe('full');
      expect(await store.list(ANN)).toHaveLength(MAX_KEPT_RUNS);
      expect(await store.list(BOB)).toHaveLength(1);
    });
  });
}

// What every restriction store must do: keep one row for each subject, exactly, and each change with its audit entry or not at all.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { AuditEntry, SettingsStore } from '../../src/trading/intake/controls.ts';
import { type Restriction, type RestrictionStore, subjectInWords } from '../../src/trading/intake/restrictions.ts';
import { START_MS } from './sample-trades.ts';

export interface OwnerStores {
  readonly restrictions: RestrictionStore;
  /** With the audit. */
  readonly settings: Pick<SettingsStore, 'audit'>;
}

export interface OpenRestrictionStore extends OwnerStores {
  reopen(): Promise<OwnerStores>;
  close(): Promise<void>;
}

const ENTRY: AuditEntry = { atMs: START_MS, actor: 'cli', setting: 'restriction', before: null, after: '{}' };
const BROKEN = { ...ENTRY, atMs: Number.NaN };
const bare = (name: string): Restriction => ({ kind: 'strategy', name, limits: { rate: 3 } });
const full: Restriction = {
  kind: 'account',
  name: 'binance:main',
  limits: { symbols: ['BTCUSDT'], largestOrder: 0.00000001, lockAfterStops: { stops: 2, seconds: 60 } },
  pause: { sinceMs: START_MS, reason: 'Größe 🚂 "quoted"\n', cancelEntries: true },
  killSwitch: { active: true, scope: 'entries', flatten: false, reason: 'storm' },
};

export function describeRestrictionStore(name: string, open: () => Promise<OpenRestrictionStore>): void {
  describe(name, () => {
    let opened: OpenRestrictionStore;
    let store: RestrictionStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.restrictions;
    });
    afterEach(() => opened.close());
    const kept = (rows = store.list()) => [...rows].sort((a, b) => (subjectInWords(a) < subjectInWords(b) ? -1 : 1));

    test('is empty at first', () => {
      expect(store.list()).toEqual([]);
    });

    test('keeps bare and full rows exactly, over a restart', async () => {
      for (const row of [bare('ema'), full, bare('Ema')]) await store.put(row, ENTRY);
      const all = [full, bare('Ema'), bare('ema')];
      expect(kept()).toEqual(all);
      const again = await opened.reopen();
      expect(kept(again.restrictions.list())).toEqual(all);
      expect(await again.settings.audit(10)).toEqual([ENTRY, ENTRY, ENTRY]);
    });

    test('come in the order of kind and name, whenever they were made or changed', async () => {
      const rows = [bare('b'), bare('Ä'), { ...bare('z'), kind: 'key' as const }, bare('a'), bare('C')];
      for (const row of [...rows, bare('a')]) await store.put(row, ENTRY);
      const inOrder = ['z', 'C', 'a', 'b', 'Ä'];
      expect(store.list().map(({ name }) => name)).toEqual(inOrder);
      expect((await opened.reopen()).restrictions.list().map(({ name }) => name)).toEqual(inOrder);
    });

    test('a row replaces that of its kind and name, whole, and no other', async () => {
      const plain: Restriction = { kind: full.kind, name: full.name, limits: {} };
      const namesake: Restriction = { ...bare('binance:main'), kind: 'symbol' };
      for (const row of [full, namesake, plain]) await store.put(row, ENTRY);
      expect(kept()).toEqual([plain, namesake]);
    });

    test('one is removed, and no other; one that is not there is no fault', async () => {
      for (const row of [bare('ema'), bare('sma')]) await store.put(row, ENTRY);
      await store.remove({ kind: 'strategy', name: 'ema' }, { ...ENTRY, before: '{}', after: null });
      await store.remove({ kind: 'symbol', name: 'sma' }, ENTRY);
      expect(kept()).toEqual([bare('sma')]);
      expect((await opened.settings.audit(10)).map(({ after }) => after)).toEqual(['{}', null, '{}', '{}']);
    });

    test('a change whose audit entry cannot be written does not happen', async () => {
      await store.put(bare('ema'), ENTRY);
      await expect(store.put({ ...bare('ema'), limits: {} }, BROKEN)).rejects.toThrow(StorageError);
      await expect(store.put(full, BROKEN)).rejects.toThrow(StorageError);
      await expect(store.remove(bare('ema'), BROKEN)).rejects.toThrow(StorageError);
      expect(kept()).toEqual([bare('ema')]);
      expect(await opened.settings.audit(10)).toHaveLength(1);
    });

    test('changes that are made at the same moment are all there, the last of each subject', async () => {
      const rates = Array.from({ length: 10 }, (_, rate) => rate + 1);
      const changes = rates.flatMap((rate) => ['ema', 'sma'].map((of) => ({ ...bare(of), limits: { rate } })));
      await Promise.all(changes.map((row) => store.put(row, ENTRY)));
      expect(kept()).toEqual(['ema', 'sma'].map((of) => ({ ...bare(of), limits: { rate: 10 } })));
    });
  });
}

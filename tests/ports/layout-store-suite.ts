// What every layout store must do: keep what was saved exactly, number each save anew, and change in whole steps.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Layout, LayoutStore, LayoutSummary } from '../../src/library/layouts.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenLayoutStore {
  readonly layouts: LayoutStore;
  reopen(): Promise<LayoutStore>;
  close(): Promise<void>;
}

const layout = (changes: Partial<Layout> = {}): Layout => ({
  kind: 'layout',
  name: 'Größe 🚂 "quoted"',
  about: 'BTCUSDT 1h',
  content: '{"symbol":"BTCUSDT"}',
  revision: 1,
  updatedAtMs: START_MS,
  ...changes,
});

const summary = ({ content: _, ...rest }: Layout): LayoutSummary => rest;

export function describeLayoutStore(name: string, open: () => Promise<OpenLayoutStore>): void {
  describe(name, () => {
    let opened: OpenLayoutStore;
    let store: LayoutStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.layouts;
    });
    afterEach(() => opened.close());

    test('is empty at first', async () => {
      expect(await store.list()).toEqual([]);
      expect(await store.find(layout())).toBeUndefined();
    });

    test('keeps what was saved exactly, over a restart; its list is without the content', async () => {
      await store.change((rows) => rows.put(layout()));
      store = await opened.reopen();
      expect(await store.find(layout())).toEqual(layout());
      expect(await store.list()).toEqual([summary(layout())]);
    });

    test('lists by kind, then by name; one name may be of every kind, and names of two cases are two', async () => {
      const saved = [
        layout({ kind: 'template', name: 'a' }),
        layout({ kind: 'query', name: 'a' }),
        layout({ name: 'b' }),
        layout({ name: 'a' }),
        layout({ name: 'B' }),
      ];
      await store.change((rows) => {
        for (const each of saved) rows.put(each);
      });
      expect((await store.list()).map(({ kind, name }) => [kind, name])).toEqual([
        ['layout', 'B'],
        ['layout', 'a'],
        ['layout', 'b'],
        ['query', 'a'],
        ['template', 'a'],
      ]);
    });

    test('a second save replaces all of that one and nothing of another; a removal takes that one alone', async () => {
      const other = layout({ kind: 'template' });
      await store.change((rows) => {
        rows.put(layout());
        rows.put(other);
      });
      const later = layout({ about: '', content: '[]', revision: 7, updatedAtMs: START_MS + 1 });
      await store.change((rows) => rows.put(later));
      expect([await store.find(later), await store.find(other)]).toEqual([later, other]);
      await store.change((rows) => rows.remove(later));
      expect(await store.list()).toEqual([summary(other)]);
      await store.change((rows) => rows.remove(later));
      expect(await store.list()).toEqual([summary(other)]);
    });

    test('no revision is given twice: not after a removal, not after a restart, not in one step', async () => {
      const give = () => store.change((rows) => [rows.nextRevision(), rows.nextRevision()]);
      const given = await give();
      await store.change((rows) => rows.put(layout({ revision: given[1] as number })));
      await store.change((rows) => rows.remove(layout()));
      given.push(...(await give()));
      store = await opened.reopen();
      given.push(...(await give()));
      expect(given).toEqual([...new Set(given)].sort((a, b) => a - b));
      expect(given).toHaveLength(6);
    });

    test('a step reads what it has written, and gives back what it comes to', async () => {
      const found = await store.change((rows) => {
        rows.put(layout());
        return [rows.find(layout()), rows.list()];
      });
      expect(found).toEqual([summary(layout()), [summary(layout())]]);
    });

    test('a step that fails leaves nothing behind, and the next one goes on', async () => {
      const broken = layout({ name: 'broken', updatedAtMs: Number.NaN });
      await expect(
        store.change((rows) => {
          rows.put(layout());
          rows.put(broken);
        }),
      ).rejects.toThrow(StorageError);
      expect(await store.list()).toEqual([]);
      await store.change((rows) => rows.put(layout()));
      expect(await store.list()).toEqual([summary(layout())]);
    });

    test('steps that come at the same moment see each what the others have left', async () => {
      const add = (number: number) =>
        store.change((rows) => {
          const { length } = rows.list();
          rows.put(layout({ name: `layout ${number}`, revision: rows.nextRevision() }));
          return length;
        });
      const counts = await Promise.all(Array.from({ length: 10 }, (_, number) => add(number)));
      expect([...counts].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(new Set((await store.list()).map(({ revision }) => revision)).size).toBe(10);
    });
  });
}

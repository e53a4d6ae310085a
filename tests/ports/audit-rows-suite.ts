// What the rows of the audit must do for whoever copies them: come in their order, and be told of when they are there.

import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SettingsStorage } from '../../src/adapters/storage/sql/owner/settings.ts';
import { StorageError } from '../../src/errors/storage-error.ts';

type AuditStores = Pick<SettingsStorage, 'settings' | 'auditRows'>;

export interface OpenAuditRows extends AuditStores {
  /** The same data, opened once more beside it. */
  beside(): Promise<AuditStores>;
  close(): Promise<void>;
}

const ENTRY = { atMs: 1, actor: 'test', setting: 'killSwitch', before: null, after: '1' };

export function describeAuditRows(name: string, open: () => Promise<OpenAuditRows>): void {
  describe(name, () => {
    let opened: OpenAuditRows;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    test('are read in their order, after a number, no more than asked for', async () => {
      const { settings, auditRows } = opened;
      expect([await auditRows.newest(), await auditRows.after(0, 10)]).toEqual([0, []]);
      for (const after of ['1', '2', '3']) await settings.appendAudit({ ...ENTRY, after });
      const all = await auditRows.after(0, 10);
      expect(all.map(({ seq: _, ...entry }) => entry)).toEqual(['1', '2', '3'].map((after) => ({ ...ENTRY, after })));
      const [first, second, third] = all.map(({ seq }) => seq) as [number, number, number];
      expect([first < second, second < third, await auditRows.newest()]).toEqual([true, true, third]);
      expect(await auditRows.after(first, 1)).toEqual([{ ...ENTRY, after: '2', seq: second }]);
      expect(await auditRows.after(third, 10)).toEqual([]);
    });

    test('are found by letters in any case and page by page, newest first', async () => {
      const { settings, auditRows } = opened;
      for (const after of ['1', '"Spring"', '"spring 2"'])
        await settings.appendAudit({ ...ENTRY, actor: after === '1' ? 'the Chat' : 'cli', after });
      const found = async (wanted: Parameters<typeof auditRows.find>[0]) =>
        (await auditRows.find(wanted)).map(({ after }) => after);
      expect(await found({ limit: 10 })).toEqual(['"spring 2"', '"Spring"', '1']);
      expect(await found({ limit: 10, search: 'SPRING' })).toEqual(['"spring 2"', '"Spring"']);
      expect(await found({ limit: 10, search: 'chat' })).toEqual(['1']);
      expect(await found({ limit: 10, search: '%' })).toEqual([]);
      const [newest] = await auditRows.find({ limit: 1 });
      expect(await found({ limit: 1, before: newest?.seq })).toEqual(['"Spring"']);
      expect(newest).toEqual({ ...ENTRY, actor: 'cli', after: '"spring 2"', seq: await auditRows.newest() });
    });

    test('are found by letters beyond A to Z as they are stored', async () => {
      const { settings, auditRows } = opened;
      await settings.appendAudit({ ...ENTRY, after: '"Änderung ПОКУПКА"' });
      const found = async (search: string) => (await auditRows.find({ limit: 10, search })).length;
      expect([await found('ÄNDERUNG'), await found('ПОКУПКА'), await found('änderung')]).toEqual([1, 1, 0]);
    });

    test('are told of when a change is stored, and of none that failed', async () => {
      const { settings, auditRows } = opened;
      const beside = await opened.beside();
      const seen: Promise<number>[] = [];
      auditRows.watch(() => seen.push(beside.auditRows.after(0, 10).then(({ length }) => length)));
      await expect(settings.appendAudit({ ...ENTRY, atMs: Number.NaN })).rejects.toThrow(StorageError);
      await settings.appendAudit(ENTRY);
      await setImmediate();
      expect(await Promise.all(seen)).toEqual([1]);
      await settings.set('killSwitch', '"second"', ENTRY);
      await setImmediate();
      expect(await Promise.all(seen)).toEqual([1, 2]);
    });
  });
}

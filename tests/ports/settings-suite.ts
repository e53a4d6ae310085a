// What every settings store must do: durable values, and an audit entry with each change or no change at all.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { AuditEntry, SettingsStore } from '../../src/trading/intake/controls.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenSettings {
  readonly settings: SettingsStore;
  reopen(): Promise<SettingsStore>;
  close(): Promise<void>;
}

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  atMs: START_MS,
  actor: 'admin api',
  setting: 'queueMode',
  before: '"direct"',
  after: '"async"',
  ...changes,
});

export function describeSettings(name: string, open: () => Promise<OpenSettings>): void {
  describe(name, () => {
    let opened: OpenSettings;
    let settings: SettingsStore;
    beforeEach(async () => {
      opened = await open();
      settings = opened.settings;
    });
    afterEach(() => opened.close());

    test('a value nobody set is undefined', async () => {
      expect(settings.get('queueMode')).toBeUndefined();
      expect(await settings.audit(10)).toEqual([]);
    });

    test('the last value holds, over a restart, exactly', async () => {
      const value = JSON.stringify({ reason: 'Größe 🚂 "quoted"\n' });
      await settings.set('killSwitch', '"first"', entry());
      await settings.set('killSwitch', value, entry());
      await settings.set('other', '', entry());
      expect(settings.get('killSwitch')).toBe(value);
      const again = await opened.reopen();
      expect(again.get('killSwitch')).toBe(value);
      expect(again.get('other')).toBe('');
    });

    test('audit entries are newest first, with nulls, no more than asked for, over a restart', async () => {
      const entries = [entry(), entry({ setting: 'keys', before: null }), entry({ after: null, actor: 'cli' })];
      await settings.set('queueMode', '"async"', entries[0] as AuditEntry);
      for (const each of entries.slice(1)) await settings.appendAudit(each);
      const newestFirst = entries.reverse();
      expect(await settings.audit(10)).toEqual(newestFirst);
      expect(await settings.audit(2)).toEqual(newestFirst.slice(0, 2));
      expect(await (await opened.reopen()).audit(10)).toEqual(newestFirst);
    });

    test('a change whose audit entry cannot be written does not happen', async () => {
      await settings.set('queueMode', '"direct"', entry());
      const broken = entry({ atMs: Number.NaN });
      await expect(settings.set('queueMode', '"async"', broken)).rejects.toThrow(StorageError);
      expect(settings.get('queueMode')).toBe('"direct"');
      expect(await settings.audit(10)).toHaveLength(1);
    });

    test('changes that are made at the same moment are all there, in the order in which they were made', async () => {
      const values = Array.from({ length: 20 }, (_, number) => String(number));
      await Promise.all(values.map((value) => settings.set('queueMode', value, entry({ after: value }))));
      expect(settings.get('queueMode')).toBe('19');
      expect((await settings.audit(100)).map(({ after }) => after)).toEqual(values.toReversed());
    });

    test('goes on after a failed change', async () => {
      await expect(settings.appendAudit(entry({ atMs: Number.NaN }))).rejects.toThrow(StorageError);
      await settings.set('queueMode', '"async"', entry());
      expect(settings.get('queueMode')).toBe('"async"');
    });
  });
}

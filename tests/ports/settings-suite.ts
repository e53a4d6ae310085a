// What every settings store must do: durable values, and an audit entry with each change or no change at all.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { AuditEntry, SettingsStore } from '../../src/trading/intake/controls.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenSettings {
  readonly settings: SettingsStore;
  reopen(): SettingsStore;
  close(): void;
}

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  atMs: START_MS,
  actor: 'admin api',
  setting: 'queueMode',
  before: '"direct"',
  after: '"async"',
  ...changes,
});

export function describeSettings(name: string, open: () => OpenSettings): void {
  describe(name, () => {
    let opened: OpenSettings;
    let settings: SettingsStore;
    beforeEach(() => {
      opened = open();
      settings = opened.settings;
    });
    afterEach(() => opened.close());

    test('a value nobody set is undefined', () => {
      expect(settings.get('queueMode')).toBeUndefined();
      expect(settings.audit(10)).toEqual([]);
    });

    test('the last value holds, over a restart, exactly', () => {
      const value = JSON.stringify({ reason: 'Größe 🚂 "quoted"\n' });
      settings.set('killSwitch', '"first"', entry());
      settings.set('killSwitch', value, entry());
      settings.set('other', '', entry());
      expect(settings.get('killSwitch')).toBe(value);
      const again = opened.reopen();
      expect(again.get('killSwitch')).toBe(value);
      expect(again.get('other')).toBe('');
    });

    test('audit entries are newest first, with nulls, no more than asked for, over a restart', () => {
      const entries = [entry(), entry({ setting: 'keys', before: null }), entry({ after: null, actor: 'cli' })];
      settings.set('queueMode', '"async"', entries[0] as AuditEntry);
      for (const each of entries.slice(1)) settings.appendAudit(each);
      const newestFirst = entries.reverse();
      expect(settings.audit(10)).toEqual(newestFirst);
      expect(settings.audit(2)).toEqual(newestFirst.slice(0, 2));
      expect(opened.reopen().audit(10)).toEqual(newestFirst);
    });

    test('a change whose audit entry cannot be written does not happen', () => {
      settings.set('queueMode', '"direct"', entry());
      const broken = entry({ atMs: Number.NaN });
      expect(() => settings.set('queueMode', '"async"', broken)).toThrow(StorageError);
      expect(settings.get('queueMode')).toBe('"direct"');
      expect(settings.audit(10)).toHaveLength(1);
    });

    test('goes on after a failed change', () => {
      expect(() => settings.appendAudit(entry({ atMs: Number.NaN }))).toThrow(StorageError);
      settings.set('queueMode', '"async"', entry());
      expect(settings.get('queueMode')).toBe('"async"');
    });
  });
}

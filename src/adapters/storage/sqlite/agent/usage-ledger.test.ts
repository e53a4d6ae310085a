// The usage ledger on SQLite keeps the promises of its port, in the owner's database, pruned, and failing in words.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeUsageLedger, USAGE_ENTRY as ENTRY } from '../../../../../tests/ports/usage-ledger-suite.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { UsageStorage } from '../../sql/owner/usage-ledger.ts';
import { openUsageStorage } from './usage-ledger.ts';

let dataDir: string;
let storage: UsageStorage;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
  storage = openUsageStorage({ dataDir });
});
afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const rows = (): unknown[] => {
  const db = new DatabaseSync(storage.path, { readOnly: true });
  const all = db.prepare('SELECT * FROM model_calls').all();
  db.close();
  return all;
};

describeUsageLedger('the usage ledger on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
  let opened = openUsageStorage({ dataDir: folder });
  return {
    ledger: opened.ledger,
    async reopen() {
      await opened.close();
      opened = openUsageStorage({ dataDir: folder });
      return opened.ledger;
    },
    async close() {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describe('the file of the usage ledger', () => {
  test('is the owner’s, with every field of a call', async () => {
    await storage.ledger.add(ENTRY);
    await storage.ledger.add({ ...ENTRY, costNanoUsd: null, estimated: true, outcome: 'timeout' });
    expect(basename(storage.path)).toBe('settings.db');
    await storage.close();
    storage = openUsageStorage({ dataDir });
    expect(rows()).toMatchObject([
      {
        at: 1000,
        request_id: 'r',
        door: 'chat',
        provider: 'openai',
        model: 'm',
        outcome: 'ok',
        tokens_in: 3,
        tokens_out: 4,
        cost_nano: 5,
        estimated: 0,
        ms: 6,
      },
      { cost_nano: null, estimated: 1, outcome: 'timeout' },
    ]);
  });

  test('keeps so many calls and no more, whatever the clock says', async () => {
    await storage.close();
    storage = openUsageStorage({ dataDir, keptCalls: 3 });
    for (const atMs of [5, 4, 9_999_999_999_999, 3, 2]) await storage.ledger.add({ ...ENTRY, atMs });
    expect(rows()).toMatchObject([{ at: 9_999_999_999_999 }, { at: 3 }, { at: 2 }]);
  });

  test('a file that was moved away is refused with the remedy, and works when it is back', async () => {
    renameSync(storage.path, `${storage.path}.moved`);
    await expect(storage.ledger.add(ENTRY)).rejects.toThrow(/moved, replaced or deleted.*put it back/);
    await expect(storage.probe()).rejects.toThrow(StorageError);
    renameSync(`${storage.path}.moved`, storage.path);
    await storage.ledger.add(ENTRY);
    await storage.probe();
    expect(rows()).toHaveLength(1);
  });

  test('a damaged file is refused and left as it is; a closed one fails in words', async () => {
    await storage.close();
    await expect(storage.ledger.usage(0)).rejects.toThrow(StorageError);
    await expect(storage.ledger.add(ENTRY)).rejects.toThrow(StorageError);
    writeFileSync(storage.path, 'no database at all, but long enough to look at '.repeat(100));
    expect(() => openUsageStorage({ dataDir })).toThrow(/not a SQLite database; it was left untouched/);
  });
});

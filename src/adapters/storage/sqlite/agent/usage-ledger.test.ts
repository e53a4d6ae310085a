// The usage ledger on SQLite: durable, in the owner's database, pruned, and failing in words.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UsageEntry } from '../../../../agent/usage-ledger.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import { openUsageStorage, type UsageStorage } from './usage-ledger.ts';

const ENTRY: UsageEntry = {
  ...{ atMs: 1000, requestId: 'r', door: 'chat', provider: 'openai', model: 'm', outcome: 'ok' },
  ...{ tokensIn: 3, tokensOut: 4, costNanoUsd: 5, estimated: false, ms: 6 },
};
let dataDir: string;
let storage: UsageStorage;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
  storage = openUsageStorage({ dataDir });
});
afterEach(() => {
  storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const rows = (): unknown[] => {
  const db = new DatabaseSync(storage.path, { readOnly: true });
  const all = db.prepare('SELECT * FROM model_calls').all();
  db.close();
  return all;
};

describe('the usage ledger', () => {
  test('keeps every field, and is there after reopening', async () => {
    await storage.ledger.add(ENTRY);
    await storage.ledger.add({ ...ENTRY, costNanoUsd: null, estimated: true, outcome: 'timeout' });
    expect(basename(storage.path)).toBe('settings.db');
    storage.close();
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
    expect(await storage.ledger.usage(0)).toEqual([
      {
        ...{ day: '1970-01-01', provider: 'openai', model: 'm', requests: 2, tokens: 14, costNanoUsd: 5, errors: 1 },
        ...{ estimatedRequests: 1, isUnpriced: true },
      },
    ]);
  });

  test('tells the newest outcome of each provider, but for calls that were canceled', async () => {
    for (const [atMs, provider, outcome] of [
      [1000, 'openai', 'ok'],
      [2000, 'openai', 'server'],
      [3000, 'openai', 'canceled'],
      [3000, 'anthropic', 'refused'],
      [500, 'google', 'timeout'],
      [3000, 'local', 'ok'],
    ] as const)
      await storage.ledger.add({ ...ENTRY, atMs, provider, outcome });
    const last = await storage.ledger.lastOutcomes(1000);
    expect([...last].sort((a, b) => (a.provider < b.provider ? -1 : 1))).toEqual([
      { provider: 'anthropic', outcome: 'refused', atMs: 3000 },
      { provider: 'local', outcome: 'ok', atMs: 3000 },
      { provider: 'openai', outcome: 'server', atMs: 2000 },
    ]);
  });

  test('keeps so many calls and no more, whatever the clock says', async () => {
    storage.close();
    storage = openUsageStorage({ dataDir, keptCalls: 3 });
    for (const atMs of [5, 4, 9_999_999_999_999, 3, 2]) await storage.ledger.add({ ...ENTRY, atMs });
    expect(rows()).toMatchObject([{ at: 9_999_999_999_999 }, { at: 3 }, { at: 2 }]);
  });

  test('takes no entry that cannot be', async () => {
    await expect(storage.ledger.add({ ...ENTRY, tokensIn: -1 })).rejects.toThrow(StorageError);
    await expect(storage.ledger.add({ ...ENTRY, tokensOut: 0.5 })).rejects.toThrow(StorageError);
    expect(rows()).toEqual([]);
  });

  test('a file that was moved away is refused with the remedy, and works when it is back', async () => {
    renameSync(storage.path, `${storage.path}.moved`);
    await expect(storage.ledger.add(ENTRY)).rejects.toThrow(/moved, replaced or deleted.*put it back/);
    expect(() => storage.probe()).toThrow(StorageError);
    renameSync(`${storage.path}.moved`, storage.path);
    await storage.ledger.add(ENTRY);
    storage.probe();
    expect(rows()).toHaveLength(1);
  });

  test('a damaged file is refused and left as it is; a closed one fails in words', async () => {
    storage.close();
    await expect(storage.ledger.usage(0)).rejects.toThrow(StorageError);
    await expect(storage.ledger.add(ENTRY)).rejects.toThrow(StorageError);
    writeFileSync(storage.path, 'no database at all, but long enough to look at '.repeat(100));
    expect(() => openUsageStorage({ dataDir })).toThrow(/not a SQLite database; it was left untouched/);
  });

  test('sums are exact where fractions of a dollar would not be', async () => {
    for (let call = 0; call < 10; call++) await storage.ledger.add({ ...ENTRY, costNanoUsd: 100_000_000 });
    expect((await storage.ledger.usage(0))[0]?.costNanoUsd).toBe(1_000_000_000);
  });

  test('tells days, providers and models apart, a day from its first millisecond to its last', async () => {
    const day = Date.UTC(2026, 0, 31);
    for (const atMs of [day - 1, day, day + 86_399_999, day + 86_400_000]) await storage.ledger.add({ ...ENTRY, atMs });
    await storage.ledger.add({ ...ENTRY, atMs: day, model: 'n' });
    await storage.ledger.add({ ...ENTRY, atMs: day, provider: 'local' });
    const told = (await storage.ledger.usage(day - 1)).map(({ day: on, provider, model, requests }) => [
      ...[on, provider, model, requests],
    ]);
    expect(told).toEqual([
      ['2026-01-30', 'openai', 'm', 1],
      ['2026-01-31', 'local', 'm', 1],
      ['2026-01-31', 'openai', 'm', 2],
      ['2026-01-31', 'openai', 'n', 1],
      ['2026-02-01', 'openai', 'm', 1],
    ]);
  });
});

// A PYNE key store handed in as our own: its keys go on working; any other foreign database is refused and left as it was.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { createAnalysisKeys } from '../../../keys/analysis-keys.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { testFolder } from './testing/open-test-storage.ts';

let folder: ReturnType<typeof testFolder>;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'keys.db');
});
afterEach(() => folder.remove());

const withTool = (work: (db: DatabaseSync) => void): void => {
  const db = new DatabaseSync(path);
  work(db);
  db.close();
};

const RAW = `pyn_${'k'.repeat(43)}`;
const HASH = createHash('sha256').update(RAW).digest('hex');

function makePyne(...rows: readonly (readonly (string | number)[])[]): void {
  withTool((db) => {
    db.exec(`CREATE TABLE api_keys (key_hash TEXT PRIMARY KEY, key_id TEXT NOT NULL UNIQUE, tier TEXT NOT NULL,
      calls_used INTEGER NOT NULL DEFAULT 0, calls_limit INTEGER NOT NULL DEFAULT 0, created_at REAL NOT NULL,
      last_used REAL NOT NULL DEFAULT 0)`);
    const insert = db.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const row of rows) insert.run(...row);
  });
}
const unused = (keyHash = HASH) => [keyHash, keyHash.slice(0, 12), 'pro', 0, 50_000, 1_790_000_000.75, 0] as const;

describe('a PYNE key store', () => {
  test('is taken over: a raw key opens the door as before, with its tier, and was never used', async () => {
    makePyne(unused());
    const store = openAnalysisKeys({ path });
    const nowMs = () => 1_790_000_100_000;
    const keys = createAnalysisKeys({ store, nowMs, randomBytes, usageReset: 'monthly' });
    expect(await keys.admit(RAW)).toMatchObject({ ok: true, key: { tier: 'pro' } });
    expect(await keys.admit(`${RAW}x`)).toMatchObject({ ok: false, status: 401 });
    expect(await store.find(HASH)).toEqual(
      sampleKey(1, {
        keyHash: HASH,
        keyId: HASH.slice(0, 12),
        tier: 'pro',
        createdAtS: 1_790_000_000,
        lastUsedS: null,
      }),
    );
    await store.close();
  });

  test('keeps the calls that were counted, and their time', async () => {
    const other = 'b'.repeat(64);
    makePyne(unused(), [other, other.slice(0, 12), 'hobby', 17, 5000, 1_790_000_000, 1_790_000_500.9]);
    const store = openAnalysisKeys({ path });
    expect(await store.find(other)).toMatchObject({ callsUsed: 17, lastUsedS: 1_790_000_500 });
    expect(await store.list(10)).toHaveLength(2);
    await store.close();
  });

  test('is taken over once: a key that is revoked here stays revoked, and its table is kept under another name', async () => {
    makePyne(unused());
    const store = openAnalysisKeys({ path });
    await store.revoke(HASH.slice(0, 12));
    await store.close();
    const again = openAnalysisKeys({ path });
    expect(await again.find(HASH)).toBeUndefined();
    await again.close();
    withTool((db) => expect(db.prepare('SELECT key_hash FROM api_keys_taken_over').all()).toHaveLength(1));
  });

  test('is taken over also where an earlier version has opened it, beside the keys made since', async () => {
    const before = openAnalysisKeys({ path });
    await before.add(sampleKey(1));
    await before.add(sampleKey(2, { keyHash: HASH, keyId: HASH.slice(0, 12), callsUsed: 3, lastUsedS: 5 }));
    await before.close();
    makePyne(unused(), unused('c'.repeat(64)));
    const store = openAnalysisKeys({ path });
    expect(await store.list(10)).toHaveLength(3);
    expect(await store.find(HASH)).toMatchObject({ callsUsed: 3, tier: 'hobby' });
    await store.close();
  });

  test.each([
    ['an unknown tier', [HASH, HASH.slice(0, 12), 'gold', 0, 0, 1, 0], /tier of row 2/],
    ['a hash that is none', ['pyn_raw', 'pyn_raw', 'pro', 0, 0, 1, 0], /key_hash of row 2/],
    ['calls that are none', [HASH, HASH.slice(0, 12), 'pro', -1, 0, 1, 0], /calls_used of row 2/],
  ] as const)('with %s is refused in words, and nothing of it is changed', (_, row, words) => {
    makePyne(unused('d'.repeat(64)), row);
    expect(() => openAnalysisKeys({ path })).toThrow(words);
    expect(() => openAnalysisKeys({ path })).toThrow(/Nothing was changed/);
    withTool((db) => expect(db.prepare('SELECT count(*) AS n FROM api_keys').get()).toEqual({ n: 2 }));
  });
});

describe('a database of another program', () => {
  test('is refused with its name and the remedy, and not a byte of it changes', () => {
    withTool((db) => db.exec('CREATE TABLE customers (id INTEGER); INSERT INTO customers VALUES (1)'));
    const before = readFileSync(path);
    expect(() => openAnalysisKeys({ path })).toThrow(/another program.*customers.*set API_KEY_STORE_SQLITE/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('with a table of the same name and other columns is refused', () => {
    withTool((db) => db.exec('CREATE TABLE api_keys (key TEXT, owner TEXT)'));
    expect(() => openAnalysisKeys({ path })).toThrow(/without key_hash, tier.*left untouched/);
  });
});

test('a last use of 0 is none', async () => {
  const store = openAnalysisKeys({ path });
  await store.add(sampleKey(1));
  withTool((db) => db.exec('UPDATE analysis_keys SET last_used = 0'));
  expect((await store.find(sampleKey(1).keyHash))?.lastUsedS).toBeNull();
  await store.close();
});

// A key file that another process holds: every call is refused with the remedy, and the file is taken over when it is free.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { type AnalysisKeyStore, KeysHeldElsewhere } from '../../../keys/analysis-key-store.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { openAnalysisKeysWhenFree } from './when-free.ts';

const nowMs = () => 1_800_000_000_000;
const key = sampleKey(1);

let folder: string;
let path: string;
let other: AnalysisKeyStore;
let clockMs: number;
let told: boolean[];
let store: AnalysisKeyStore;
const open = () =>
  openAnalysisKeysWhenFree({ path, nowMs, monotonicMs: () => clockMs, onHeld: (isHeld) => told.push(isHeld) });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-held-'));
  path = join(folder, 'api_keys.json');
  other = await openAnalysisKeys({ path, nowMs });
  await other.add(key);
  clockMs = 0;
  told = [];
  store = await open();
});
afterEach(async () => {
  await store.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each<[string, () => Promise<unknown>]>([
  ['find', () => store.find(key.keyHash)],
  ['add', () => store.add(sampleKey(2))],
  ['count', () => store.count(key.keyHash, { atS: 1, sinceS: 0, limit: 5 })],
  ['revoke', () => store.revoke(key.keyId)],
  ['list', () => store.list(10)],
])('while it is held, %s is refused with the remedy and without a path', async (_, call) => {
  for (clockMs of [0, 1000, 2000]) {
    const error = await call().then(String, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(KeysHeldElsewhere);
    expect((error as Error).message).toContain('API_KEY_STORE=');
    expect((error as Error).message).not.toContain(folder);
  }
  expect(await other.list(10)).toEqual([key]);
});

test('it does not make the rest unready, and is told of at every look, at most once a second', async () => {
  for (clockMs of [0, 500, 999, 1000, 1500, 2000]) await store.probe();
  expect(told).toEqual([true, true, true]);
});

test('when the holder is gone the file is taken over, with all its keys and by nobody else', async () => {
  clockMs = 1000;
  await expect(store.find(key.keyHash)).rejects.toThrow(KeysHeldElsewhere);
  await other.close();
  clockMs = 1999;
  await expect(store.find(key.keyHash)).rejects.toThrow(KeysHeldElsewhere);
  clockMs = 2000;
  const found = await Promise.all([store.find(key.keyHash), store.find(key.keyHash)]);
  expect(found).toEqual([key, key]);
  expect(told).toEqual([true, true, false]);
  await store.probe();
  await expect(openAnalysisKeys({ path, nowMs })).rejects.toThrow('another Signalbox writes');
});

test('a file that is free is opened at once, and one that is damaged is told at once', async () => {
  await other.close();
  const free = await open();
  expect(await free.list(10)).toEqual([key]);
  await free.close();
  writeFileSync(path, 'x');
  await expect(open()).rejects.toThrow('is damaged');
});

test('closed while it waits, it takes nothing over any more', async () => {
  await store.close();
  await other.close();
  clockMs = 5000;
  await expect(store.find(key.keyHash)).rejects.toThrow('is closed');
  await (await openAnalysisKeys({ path, nowMs })).close();
});

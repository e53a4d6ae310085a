// A key file that another process holds, or that is damaged: every call is refused with the remedy, and the file is taken up
// when it can be used.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleKey } from '../../../tests/ports/analysis-key-store-suite.ts';
import { type AnalysisKeyStore, KeysUnavailable } from '../../keys/analysis-key-store.ts';
import { openAnalysisKeys } from './json-file/analysis-keys.ts';
import { openKeysWhenUsable } from './keys-when-usable.ts';

const nowMs = () => 1_800_000_000_000;
const key = sampleKey(1);

let folder: string;
let path: string;
let other: AnalysisKeyStore;
let clockMs: number;
let told: (string | undefined)[];
let store: AnalysisKeyStore;
const open = () =>
  openKeysWhenUsable({
    path,
    open: () => openAnalysisKeys({ path, nowMs }),
    monotonicMs: () => clockMs,
    onState: (reason) => told.push(reason?.message),
  });
const HELD = expect.stringContaining('another Signalbox writes');
const DAMAGED = expect.stringContaining('is damaged');

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
    expect(error).toBeInstanceOf(KeysUnavailable);
    expect((error as Error).message).toContain('API_KEY_STORE=');
    expect((error as Error).message).not.toContain(folder);
  }
  expect(await other.list(10)).toEqual([key]);
});

test('it does not make the rest unready, and is told of at every look, at most once a second', async () => {
  for (clockMs of [0, 500, 999, 1000, 1500, 2000]) await store.probe();
  expect(told).toEqual([HELD, HELD, HELD]);
});

test('when the holder is gone the file is taken over, with all its keys and by nobody else', async () => {
  clockMs = 1000;
  await expect(store.find(key.keyHash)).rejects.toThrow(KeysUnavailable);
  await other.close();
  clockMs = 1999;
  await expect(store.find(key.keyHash)).rejects.toThrow(KeysUnavailable);
  clockMs = 2000;
  const found = await Promise.all([store.find(key.keyHash), store.find(key.keyHash)]);
  expect(found).toEqual([key, key]);
  expect(told).toEqual([HELD, HELD]);
  // The end is told with every probe: an alarm that is not raised again is forgotten.
  await store.probe();
  await store.probe();
  expect(told).toEqual([HELD, HELD, undefined, undefined]);
  await expect(openAnalysisKeys({ path, nowMs })).rejects.toThrow('another Signalbox writes');
});

test('a file that is free is opened at once', async () => {
  await other.close();
  const free = await open();
  expect(await free.list(10)).toEqual([key]);
  expect(told).toEqual([HELD]);
  await free.close();
});

test.each(['{', 'garbage', '\xff'])(
  'a file with %j is off, left as it is, and taken up when it is mended',
  async (text) => {
    await other.close();
    const whole = readFileSync(path);
    writeFileSync(path, text, 'latin1');
    const damaged = await open();
    expect(told).toEqual([HELD, DAMAGED]);
    expect(await damaged.probe()).toBe('off');
    const error = await damaged.find(key.keyHash).then(String, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(KeysUnavailable);
    expect((error as Error).message).not.toContain(folder);
    expect(readFileSync(path, 'latin1')).toBe(text);
    writeFileSync(path, whole);
    clockMs = 1000;
    expect(await damaged.find(key.keyHash)).toEqual(key);
    await damaged.close();
  },
);

test('closed while it waits, it takes nothing over any more', async () => {
  await store.close();
  await other.close();
  clockMs = 5000;
  await expect(store.find(key.keyHash)).rejects.toThrow('is closed');
  await (await openAnalysisKeys({ path, nowMs })).close();
});

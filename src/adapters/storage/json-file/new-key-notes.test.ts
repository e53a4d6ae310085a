// Keys are added to a file that a running process owns by notes beside it: at once, durably, and by its own user only.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import type { AnalysisKeyStore } from '../../../keys/analysis-key-store.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { openAnalysisKeysBeside } from './analysis-keys-beside-owner.ts';
import { keyLine, printKeyFile } from './key-layouts.ts';
import { addByNote, newKeysFolder } from './new-key-notes.ts';

const nowMs = () => 1_800_000_000_000;
const [first, second, third] = [sampleKey(1), sampleKey(2), sampleKey(3)];

let folder: string;
let path: string;
let owner: AnalysisKeyStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-new-keys-'));
  path = join(folder, 'api_keys.json');
  owner = await openAnalysisKeys({ path, nowMs, maxKeys: 2 });
  await owner.add(first);
});
afterEach(async () => {
  await owner.close();
  rmSync(folder, { recursive: true, force: true });
});
const leave = (name: string, text: string, mode = 0o700): void => {
  mkdirSync(newKeysFolder(path));
  chmodSync(newKeysFolder(path), mode);
  writeFileSync(join(newKeysFolder(path), name), text);
};
const noteOf = (key: typeof first): string => printKeyFile([keyLine(key)]);

test('a key added beside the owner is found there, stands in the file, and leaves nothing behind', async () => {
  const beside = await openAnalysisKeysBeside({ path, nowMs });
  await beside.add(second);
  expect(await owner.find(second.keyHash)).toEqual(second);
  expect(readFileSync(path, 'utf8')).toContain(second.keyHash);
  expect(readdirSync(folder).filter((name) => !name.includes('.lock'))).toEqual(['api_keys.json']);
  await beside.close();
});

test.each<[string, () => Promise<unknown>]>([
  ['find', () => owner.find(second.keyHash)],
  ['count', () => owner.count(second.keyHash, { atS: 1, sinceS: 0, limit: 5 })],
  ['list', () => owner.list(10)],
])('a note counts in the very next %s', async (_, call) => {
  leave(second.keyId, noteOf(second));
  expect(JSON.stringify(await call())).toContain(second.keyHash);
});

test('a note that was left while nobody ran is taken at the start, and a revocation of the same key with it', async () => {
  await owner.close();
  leave(second.keyId, noteOf(second));
  mkdirSync(`${path}.revoked`, { mode: 0o700 });
  writeFileSync(join(`${path}.revoked`, second.keyId), '');
  owner = await openAnalysisKeys({ path, nowMs });
  expect(await owner.list(10)).toEqual([first]);
  expect([newKeysFolder(path), `${path}.revoked`].filter(existsSync)).toEqual([]);
});

describe('a key that the owner cannot add', () => {
  test('is refused in words to whoever makes it', async () => {
    const beside = await openAnalysisKeysBeside({ path, nowMs });
    await beside.add(second);
    await expect(beside.add(third)).rejects.toThrow('could not add the key: the file may hold as many as it can');
    expect(await owner.list(10)).toHaveLength(2);
  });

  test.each([
    ['no JSON', second.keyId, '{'],
    ['no key', second.keyId, '{}'],
    ['two keys', second.keyId, printKeyFile([keyLine(second), keyLine(third)])],
    ['the note of another key', third.keyId, noteOf(second)],
  ])('%s: is passed over, and every other key goes on working', async (_, name, text) => {
    leave(name, text);
    expect(await owner.list(10)).toEqual([first]);
    expect(existsSync(newKeysFolder(path))).toBe(false);
  });

  test('and a folder that others may write into makes no keys', async () => {
    leave(second.keyId, noteOf(second), 0o777);
    expect(await owner.find(second.keyHash)).toBeUndefined();
    expect(await owner.find(first.keyHash)).toEqual(first);
  });
});

test('an owner that does not answer gets no key later, when nobody waits for it any more', async () => {
  await owner.close();
  await expect(addByNote(path, second, { waitMs: 0 })).rejects.toThrow('does not take new keys');
  expect(readdirSync(newKeysFolder(path))).toEqual([]);
  owner = await openAnalysisKeys({ path, nowMs });
  expect(await owner.list(10)).toEqual([first]);
});

// A file is durable when its bytes and its name are: both are asked for, in this order, before anybody is told.

import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importKey } from '../keystores/v3/keystore.ts';
import { besideOf, createDurably, replaceDurably } from './durable-file.ts';
import { openAnalysisKeys } from './json-file/analysis-keys.ts';
import { notesFolder, revokeByNote } from './json-file/revocation-notes.ts';
import { listDatabases } from './sqlite/folder-databases.ts';
import { recordingSync } from './testing/recording-sync.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-durable-'));
  path = join(folder, 'file.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const broken = { file: () => Promise.reject(new Error('EIO')), folder: () => Promise.reject(new Error('EIO')) };

test('a replaced file is synced before it takes the name, and the folder after', async () => {
  writeFileSync(path, 'old');
  const { sync, asked } = recordingSync(path);
  await replaceDurably(path, 'new', sync);
  expect(asked).toEqual([
    { synced: 'file', there: 'old' },
    { synced: folder, there: 'new' },
  ]);
});

test('a sync that fails leaves the old file and nothing beside it', async () => {
  writeFileSync(path, 'old');
  writeFileSync(besideOf(path), 'left by a crash');
  await expect(replaceDurably(path, 'new', broken)).rejects.toThrow('EIO');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['file.json']]);
});

test('a sync of the folder that fails is told', async () => {
  const { sync } = recordingSync(path);
  await expect(replaceDurably(path, 'new', { ...sync, folder: broken.folder })).rejects.toThrow('EIO');
});

test.each([
  ['ENOSPC', /^the disk that holds .*file\.json is full; free some space$/],
  ['EDQUOT', /^the disk that holds .*file\.json is full; free some space$/],
  ['EACCES', /^.*file\.json cannot be written; check the owner and permissions/],
  ['EPERM', /^.*file\.json cannot be written; check the owner and permissions/],
  ['EROFS', /^.*file\.json cannot be written: its disk can only be read; mount it for writing/],
  ['EIO', /^the disk failed while reading or writing .*file\.json; check the disk/],
])('%s is told with the file and the remedy', async (code, words) => {
  const fails = () => Promise.reject(Object.assign(new Error(`${code}: it failed, write`), { code }));
  const { sync } = recordingSync(path);
  for (const failing of [
    { ...sync, file: fails },
    { ...sync, folder: fails },
  ]) {
    await expect(replaceDurably(path, 'new', failing)).rejects.toThrow(words);
    rmSync(path, { force: true });
    await expect(createDurably(path, 'new', failing)).rejects.toThrow(words);
    expect(existsSync(path)).toBe(false);
    const privateKey = `0x${'11'.repeat(32)}` as const;
    const createFile = (file: string, text: string) => createDurably(file, text, failing);
    const sealed = { path, privateKey, password: 'long enough', createFile, randomBytes, newId: randomUUID, cost: 2 };
    await expect(importKey(sealed)).rejects.toThrow(words);
    rmSync(path, { force: true });
  }
});

test('a new file is synced and so is its folder; one that cannot be synced is not left there, one that was there is', async () => {
  const { sync, asked } = recordingSync(path);
  await createDurably(path, 'text', sync);
  expect(asked).toEqual([
    { synced: 'file', there: 'text' },
    { synced: folder, there: 'text' },
  ]);
  await expect(createDurably(path, 'other', broken)).rejects.toThrow('EEXIST');
  expect(readFileSync(path, 'utf8')).toBe('text');
  await expect(createDurably(join(folder, 'second'), 'text', broken)).rejects.toThrow('EIO');
  expect(readdirSync(folder)).toEqual(['file.json']);
});

test('the key file, the keystore, a revocation and the list of databases go this way', async () => {
  const keys = recordingSync(path);
  const store = await openAnalysisKeys({ path, nowMs: Date.now, sync: keys.sync });
  await store.close();
  expect(keys.asked.map(({ synced }) => synced)).toEqual(['file', folder]);

  const wallet = recordingSync(path);
  const privateKey = `0x${'11'.repeat(32)}` as const;
  const cheap = { randomBytes, newId: randomUUID, cost: 2 };
  await importKey({
    path: join(folder, 'wallet.json'),
    privateKey,
    password: 'long enough',
    createFile: (file, text) => createDurably(file, text, wallet.sync),
    ...cheap,
  });
  expect(wallet.asked.map(({ synced }) => synced)).toEqual(['file', folder]);

  const notes = recordingSync(path);
  await expect(revokeByNote(path, '0123456789ab', { waitMs: 0, sync: notes.sync })).rejects.toThrow(/not taken/);
  expect(notes.asked.map(({ synced }) => synced)).toEqual([notesFolder(path), folder]);

  const list = recordingSync(path);
  writeFileSync(join(folder, 'settings.db'), 'x');
  await listDatabases(folder, list.sync);
  expect(list.asked.map(({ synced }) => synced)).toEqual(['file', folder]);
});

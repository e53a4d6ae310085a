// Keys of a file that a running process owns are ended by notes beside it: at once, durably, and whatever crashes in between.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKeyStore } from '../../../keys/analysis-key-store.ts';
import { besideOf } from '../durable-file.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { openAnalysisKeysBeside } from './analysis-keys-beside-owner.ts';
import { notesFolder, revokeByNote } from './revocation-notes.ts';

const CALL = { atS: 1_800_000_000, sinceS: 0, limit: 5000 };
const KEYS = [sampleKey(1), sampleKey(2), sampleKey(3)] as const;
const [first, second, third] = KEYS;
const nowMs = () => CALL.atS * 1000;

let folder: string;
let path: string;
let owner: AnalysisKeyStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-notes-'));
  path = join(folder, 'api_keys.json');
  owner = await openAnalysisKeys({ path, nowMs });
  for (const key of KEYS) await owner.add(key);
});
afterEach(async () => {
  await owner.close();
  rmSync(folder, { recursive: true, force: true });
});
const leave = (keyId: string) => {
  mkdirSync(notesFolder(path), { recursive: true, mode: 0o700 });
  writeFileSync(join(notesFolder(path), keyId), '');
};
const onDisk = () => Object.keys(JSON.parse(readFileSync(path, 'utf8')));

describe('the owner of the file', () => {
  test.each<[string, () => Promise<unknown>, unknown]>([
    ['find', () => owner.find(first.keyHash), undefined],
    ['count', () => owner.count(first.keyHash, CALL), { counted: false, reason: 'missing' }],
    ['list', () => owner.list(10), [second, third]],
  ])(
    'refuses a key in the very next %s after its note, and it is gone from the disk before the note is',
    async (_, call, answer) => {
      leave(first.keyId);
      expect(await call()).toEqual(answer);
      expect(onDisk()).toEqual([second.keyHash, third.keyHash]);
      expect(existsSync(notesFolder(path))).toBe(false);
    },
  );

  test('heeds several notes at once, and those of keys it does not have', async () => {
    for (const keyId of [first.keyId, third.keyId, 'abcdefabcdef']) leave(keyId);
    expect(await owner.list(10)).toEqual([second]);
    expect(existsSync(notesFolder(path))).toBe(false);
  });

  test('sees a note that comes while it is busy with another', async () => {
    leave(first.keyId);
    const busy = owner.find(first.keyHash);
    leave(second.keyId);
    expect(await owner.find(second.keyHash)).toBeUndefined();
    expect(await busy).toBeUndefined();
    const rush = Array.from({ length: 50 }, () => owner.find(third.keyHash));
    leave(third.keyId);
    expect(await owner.find(third.keyHash)).toBeUndefined();
    await Promise.all(rush);
    expect(existsSync(notesFolder(path))).toBe(false);
  });

  test('leaves alone what is no note of ours', async () => {
    leave(first.keyId);
    for (const name of ['README', '.hidden', 'ABCDEFABCDEF', `${second.keyId}.bak`]) leave(name);
    expect(await owner.list(10)).toEqual([second, third]);
    expect(readdirSync(notesFolder(path))).toHaveLength(4);
    leave(second.keyId);
    expect(await owner.find(second.keyHash)).toBeUndefined();
  });

  test('heeds at the start what was left while nobody ran', async () => {
    await owner.close();
    leave(first.keyId);
    owner = await openAnalysisKeys({ path, nowMs });
    expect(onDisk()).toEqual([second.keyHash, third.keyHash]);
    expect(existsSync(notesFolder(path))).toBe(false);
  });

  test('killed between the file and the note, it removes the note at the next start and harms nothing', async () => {
    await owner.revoke(first.keyId);
    await owner.close();
    leave(first.keyId);
    const { ino } = statSync(path);
    owner = await openAnalysisKeys({ path, nowMs });
    expect(statSync(path).ino).toBe(ino);
    expect(existsSync(notesFolder(path))).toBe(false);
    expect(await owner.list(10)).toEqual([second, third]);
  });

  test('notices a note by itself when nobody asks for a key', async () => {
    leave(first.keyId);
    await expect.poll(() => existsSync(notesFolder(path)), { timeout: 4000 }).toBe(false);
    expect(onDisk()).toEqual([second.keyHash, third.keyHash]);
  });

  test('when the disk fails, no key passes until the revocation is stored; the note stays', async () => {
    mkdirSync(besideOf(path));
    leave(first.keyId);
    for (const key of KEYS) await expect(owner.find(key.keyHash)).rejects.toThrow(StorageError);
    await expect(owner.count(second.keyHash, CALL)).rejects.toThrow(StorageError);
    expect(existsSync(join(notesFolder(path), first.keyId))).toBe(true);
    rmSync(besideOf(path), { recursive: true });
    expect(await owner.find(first.keyHash)).toBeUndefined();
    expect(await owner.find(second.keyHash)).toEqual(second);
  });

  test('something in place of the folder is refused in words, at the start too', async () => {
    writeFileSync(notesFolder(path), 'not a folder');
    await expect(owner.find(first.keyHash)).rejects.toThrow(/may hold revocations but cannot be used \(ENOTDIR\)/);
    await owner.close();
    await expect(openAnalysisKeys({ path, nowMs })).rejects.toThrow(/make it a folder of the user who runs Signalbox/);
    rmSync(notesFolder(path));
    owner = await openAnalysisKeys({ path, nowMs });
    expect(await owner.find(first.keyHash)).toEqual(first);
  });
});

describe('beside the owner', () => {
  let beside: AnalysisKeyStore;
  beforeEach(async () => {
    symlinkSync(path, join(folder, 'link.json'));
    beside = await openAnalysisKeysBeside({ path: join(folder, 'link.json'), nowMs });
  });
  afterEach(() => beside.close());

  test('keys are listed and found as they are on the disk', async () => {
    await owner.count(second.keyHash, CALL);
    expect(await beside.list(2)).toEqual([first, { ...second, callsUsed: 1, lastUsedS: CALL.atS }]);
    expect(await beside.find(third.keyHash)).toEqual(third);
    await beside.probe();
  });

  test('a key is revoked, and is gone from the disk when that resolves', async () => {
    expect(await beside.revoke(first.keyId)).toEqual(first);
    expect(onDisk()).not.toContain(first.keyHash);
    expect(await owner.find(first.keyHash)).toBeUndefined();
    expect(await beside.revoke(first.keyId)).toBeUndefined();
  });

  test('all keys are revoked by many at once, each of them', async () => {
    expect(await Promise.all(KEYS.map(({ keyId }) => beside.revoke(keyId)))).toEqual(KEYS);
    expect(await owner.list(10)).toEqual([]);
    expect(existsSync(notesFolder(path))).toBe(false);
  });

  test('the folder is for the owner of the file only while it is there, also when root left the note', async () => {
    const uid = process.getuid?.() === 0 ? 12_345 : statSync(path).uid;
    chownSync(path, uid, statSync(path).gid);
    mkdirSync(besideOf(path));
    const revoking = revokeByNote(path, first.keyId, { waitMs: 100 });
    await expect(revoking).rejects.toThrow(/has not taken the revocation yet.*before it next uses a key/);
    expect(statSync(notesFolder(path)).mode & 0o777).toBe(0o700);
    expect([notesFolder(path), join(notesFolder(path), first.keyId)].map((made) => statSync(made).uid)).toEqual([
      uid,
      uid,
    ]);
    rmSync(besideOf(path), { recursive: true });
    expect(await owner.find(first.keyHash)).toBeUndefined();
  });

  test('counting is left to the owner', async () => {
    const beside = await openAnalysisKeysBeside({ path, nowMs });
    await expect(beside.count(first.keyHash, CALL)).rejects.toThrow(StorageError);
  });

  test.each(['../../etc', 'ABCDEFABCDEF', '', 'abcdefabcde', 'abcdefabcdef0'])(
    '%j is no key id and leaves nothing behind',
    async (keyId) => {
      await expect(revokeByNote(path, keyId)).rejects.toThrow(/is no key id/);
      expect(existsSync(notesFolder(path))).toBe(false);
    },
  );
});

test('where nobody owns the file, a command has it to itself and revokes directly', async () => {
  await owner.close();
  const alone = await openAnalysisKeysBeside({ path, nowMs });
  expect(await alone.revoke(first.keyId)).toEqual(first);
  await alone.add(sampleKey(9));
  await alone.close();
  expect(onDisk()).toHaveLength(3);
  expect(existsSync(notesFolder(path))).toBe(false);
});

test('a damaged file is refused beside its owner too', async () => {
  const beside = await openAnalysisKeysBeside({ path, nowMs });
  const whole = readFileSync(path);
  writeFileSync(path, '{');
  chmodSync(path, 0o600);
  await expect(beside.list(10)).rejects.toThrow(/is damaged/);
  await expect(beside.revoke(first.keyId)).rejects.toThrow(/is damaged/);
  writeFileSync(path, whole);
});

// Analysis keys in a JSON file keep the promises of their port, and the file survives crashes, older layouts and other hands.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeAnalysisKeyStore, sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { STRIDE } from '../../../../tests/support/thorough.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKeyStore } from '../../../keys/analysis-key-store.ts';
import { hashOfKey } from '../../../keys/analysis-keys.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { keyLine, printKeyFile } from './key-layouts.ts';

const NOW_S = 1_800_000_000;
/** Some hundred openings wait for the disk; on a busy machine that takes more than a test usually may. */
const MANY_OPENINGS_MS = 60_000;
const open = (path: string, maxKeys?: number): Promise<AnalysisKeyStore> =>
  openAnalysisKeys({ path, nowMs: () => NOW_S * 1000, ...(maxKeys === undefined ? {} : { maxKeys }) });
const freshFolder = () => mkdtempSync(join(tmpdir(), 'signalbox-json-'));
const CALL = { atS: NOW_S, sinceS: 0, limit: 5000 };

describeAnalysisKeyStore('the analysis keys in a JSON file', async () => {
  const folder = freshFolder();
  const path = join(folder, 'api_keys.json');
  let store = await open(path);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(path);
      return store;
    },
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
    openSmall: (maxKeys) => open(join(folder, 'small.json'), maxKeys),
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = freshFolder();
  path = join(folder, 'api_keys.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const besideOf = (file: string) => join(dirname(file), `.${basename(file)}.tmp`);
const read = (file = path) => readFileSync(file, 'utf8');
async function keysIn(file: string) {
  const store = await open(file);
  const keys = await store.list(100);
  await store.close();
  return keys;
}

describe('the file', () => {
  test('is made at the start, with its folders, for its owner only, and stays so', async () => {
    const deep = join(folder, 'a', 'b', 'api_keys.json');
    const store = await open(deep);
    expect(read(deep)).toBe('{}\n');
    await store.add(sampleKey(1));
    expect(statSync(deep).mode & 0o777).toBe(0o600);
    await store.close();
    chmodSync(deep, 0o644);
    expect(await keysIn(deep)).toEqual([sampleKey(1)]);
    expect(statSync(deep).mode & 0o777).toBe(0o600);
  });

  test('holds the record of the specification by its hash, and nothing else stays beside it', async () => {
    const store = await open(path);
    await store.add(sampleKey(1, { tier: 'enterprise' }));
    const { keyHash, keyId, createdAtS } = sampleKey(1);
    expect(JSON.parse(read())).toEqual({
      [keyHash]: {
        key_id: keyId,
        key_hash: keyHash,
        tier: 'enterprise',
        calls_used: 0,
        calls_limit: 'unlimited',
        created_at: createdAtS,
        last_used: null,
      },
    });
    expect(existsSync(besideOf(path))).toBe(false);
    await store.close();
  });

  test('has one writer: a second is refused until the first is closed, also through a link', async () => {
    const store = await open(path);
    symlinkSync(path, join(folder, 'link.json'));
    for (const name of [path, join(folder, 'link.json')])
      await expect(open(name)).rejects.toThrow(/another Signalbox writes .*stop it first/);
    await store.add(sampleKey(1));
    await store.close();
    expect(await keysIn(join(folder, 'link.json'))).toEqual([sampleKey(1)]);
  });

  test('a burst of calls shares its writes', async () => {
    const store = await open(path);
    await store.add(sampleKey(1));
    const inode = () => statSync(path).ino;
    const seen = new Set([inode()]);
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        await store.count(sampleKey(1).keyHash, CALL);
        seen.add(inode());
      }),
    );
    expect(seen.size).toBeLessThanOrEqual(3);
    await store.close();
  });
});

describe('a crash', () => {
  const whole = printKeyFile([sampleKey(1), sampleKey(2)].map(keyLine));
  const next = printKeyFile([sampleKey(1, { callsUsed: 1, lastUsedS: 5 }), sampleKey(2)].map(keyLine));

  test(
    'at any byte of a write leaves the keys whole, and what it left behind is removed',
    async () => {
      writeFileSync(path, whole, { mode: 0o600 });
      for (let bytes = 0; bytes <= next.length; bytes += STRIDE) {
        writeFileSync(besideOf(path), next.slice(0, bytes));
        expect(await keysIn(path)).toHaveLength(2);
        expect(existsSync(besideOf(path))).toBe(false);
        expect(read()).toBe(whole);
      }
    },
    MANY_OPENINGS_MS,
  );

  test('before the very first file leaves none behind either', async () => {
    writeFileSync(besideOf(path), '{"half');
    expect(await keysIn(path)).toEqual([]);
    expect(existsSync(besideOf(path))).toBe(false);
  });
});

describe('a damaged file is refused with its path and the remedy, and left as it is', () => {
  const whole = printKeyFile([keyLine(sampleKey(1))]);
  const refused = async (bytes: string | Uint8Array) => {
    writeFileSync(path, bytes);
    const error = await open(path).catch((reason) => reason);
    expect(error).toBeInstanceOf(StorageError);
    expect(error.message).toMatch(/api_keys\.json is damaged \(.+\); it was left untouched\. Restore a backup/);
    expect(readFileSync(path).equals(Buffer.from(bytes))).toBe(true);
    return error.message as string;
  };

  test(
    'cut at any byte',
    async () => {
      for (let bytes = 0; bytes < whole.length - 2; bytes += STRIDE) await refused(whole.slice(0, bytes));
    },
    MANY_OPENINGS_MS,
  );

  const record = (changes: object) => JSON.stringify({ ['ab'.repeat(32)]: { tier: 'pro', ...changes } });
  test.each([
    ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['zeros', new Uint8Array(100)],
    ['a number', '7'],
    ['nothing known', 'null'],
    ['a list', '[]'],
    ['a list of keys', '{"keys": []}'],
    ['keys and something else', '{"keys": {}, "users": {}}'],
    ['a name that is none', '{"__proto__": {"tier": "pro"}}'],
    ['a hash in capitals', JSON.stringify({ ['AB'.repeat(32)]: { tier: 'pro' } })],
    ['a key with a blank', '{"pyn_secret secret": {"tier": "pro"}}'],
    ['an entry that is text', '{"pyn_secret": "pro"}'],
    ['an entry that is nothing', '{"pyn_secret": null}'],
    ['an unknown tier', record({ tier: 'gold' })],
    ['no tier', record({ tier: undefined })],
    ['a negative count', record({ calls_used: -1 })],
    ['a broken count', record({ calls_used: 1.5 })],
    ['a count in words', record({ calls_used: '5' })],
    ['a count beyond all numbers', `{"pyn_secret": {"tier": "pro", "calls_used": 1e400}}`],
    ['a time that is none', record({ created_at: 'yesterday' })],
    ['a day that is none', record({ created_at: '2026-13-01' })],
    ['a time of another age', record({ created_at: 1e11 * 1000 })],
    ['a time before all times', record({ created_at: -5 })],
    ['a time after all times', record({ last_used: 1e300 })],
    ['a time that is a yes', record({ last_used: true })],
    ['the hash of another key', record({ key_hash: 'cd'.repeat(32) })],
    [
      'two keys with one id',
      JSON.stringify({ ['ab'.repeat(32)]: { tier: 'pro' }, [`${'ab'.repeat(31)}cd`]: { tier: 'pro' } }),
    ],
  ])('%s', async (_, bytes) => {
    expect(await refused(bytes)).not.toContain('secret');
  });

  test('a file beyond 16 MiB', async () => {
    await refused(' '.repeat(16 * 1024 * 1024 + 1));
  });
});

describe('a file of an older layout', () => {
  const RAW = `pyn_${'A'.repeat(43)}`;
  const OTHER = `pyn_${'b'.repeat(43)}`;
  const records = {
    [RAW]: {
      tier: 'pro',
      calls_used: 12,
      calls_limit: 50000,
      created_at: 1_700_000_000.75,
      last_used: 1_700_000_100,
      key: RAW,
    },
    [OTHER]: { tier: 'free', api_key: OTHER },
  };
  const expected = [
    {
      tier: 'pro',
      callsUsed: 12,
      createdAtS: 1_700_000_000,
      lastUsedS: 1_700_000_100,
      keyHash: hashOfKey(RAW),
      keyId: hashOfKey(RAW).slice(0, 12),
    },
    {
      tier: 'free',
      callsUsed: 0,
      createdAtS: NOW_S,
      lastUsedS: null,
      keyHash: hashOfKey(OTHER),
      keyId: hashOfKey(OTHER).slice(0, 12),
    },
  ];

  test.each([
    ['raw keys at the top', records],
    ['raw keys below "keys"', { keys: records }],
    ['raw keys below "keys" with a version', { version: 1, keys: records }],
    ['one key moved already, one not', { [hashOfKey(OTHER)]: records[OTHER], [RAW]: records[RAW] }],
  ])('with %s is brought into today’s and no raw key is left in it', async (_, file) => {
    writeFileSync(path, JSON.stringify(file, undefined, 2), { mode: 0o644 });
    const keys = await keysIn(path);
    expect(keys).toEqual(expected);
    expect(read()).not.toContain('pyn_');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await keysIn(path)).toEqual(expected);
  });

  test('the newer entry of a key is right, wherever it stands', async () => {
    writeFileSync(path, JSON.stringify({ [RAW]: { tier: 'team' }, [hashOfKey(RAW)]: { tier: 'pro', calls_used: 3 } }));
    expect(await keysIn(path)).toMatchObject([{ tier: 'pro', callsUsed: 3, lastUsedS: NOW_S }]);
  });

  test.each([{ is_active: false }, { active: false }, { revoked: true }, { revoked_at: 5 }])(
    'a key that was switched off (%o) does not come back',
    async (ended) => {
      writeFileSync(
        path,
        JSON.stringify({ [RAW]: { tier: 'pro', ...ended }, [OTHER]: { tier: 'pro', is_active: true } }),
      );
      expect(await keysIn(path)).toMatchObject([{ keyHash: hashOfKey(OTHER) }]);
    },
  );

  test.each([
    ['seconds', 1_700_000_000],
    ['milliseconds', 1_700_000_000_999],
    ['ISO text', '2023-11-14T22:13:20Z'],
    ['ISO text with a zone', '2023-11-15T00:13:20.5+02:00'],
    ['ISO text without one', '2023-11-14T22:13:20.123456'],
    ['ISO text with a blank', '2023-11-14 22:13:20'],
  ])('times as %s are understood', async (_, time) => {
    writeFileSync(path, JSON.stringify({ [RAW]: { tier: 'pro', created_at: time, last_used: null, calls_used: 1 } }));
    expect(await keysIn(path)).toMatchObject([{ createdAtS: 1_700_000_000, lastUsedS: 1_700_000_000 }]);
  });

  test('an untouched file of today is not written again', async () => {
    writeFileSync(path, printKeyFile([keyLine(sampleKey(1))]), { mode: 0o600 });
    const { ino } = statSync(path);
    await keysIn(path);
    expect(statSync(path).ino).toBe(ino);
  });
});

describe('when something else has its hands in it', () => {
  let store: AnalysisKeyStore;
  beforeEach(async () => {
    store = await open(path);
    await store.add(sampleKey(1));
  });
  afterEach(() => store.close());
  const count = () => store.count(sampleKey(1).keyHash, CALL);

  test('a file that was changed is not written over', async () => {
    const byHand = printKeyFile([keyLine(sampleKey(7))]);
    writeFileSync(path, byHand);
    await expect(count()).rejects.toThrow(/was changed, moved or deleted .*Put it back, or restart/);
    expect(read()).toBe(byHand);
    expect(await store.find(sampleKey(1).keyHash)).toEqual(sampleKey(1));
    await store.close();
    expect(await keysIn(path)).toEqual([sampleKey(7)]);
  });

  test('a file that was moved away is not made anew, and goes on when it is back', async () => {
    renameSync(path, `${path}.moved`);
    await expect(store.add(sampleKey(2))).rejects.toThrow(StorageError);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.moved`, path);
    expect(await count()).toMatchObject({ counted: true, key: { callsUsed: 1 } });
  });

  test('a write that fails rejects all that shared it and changes nothing', async () => {
    mkdirSync(besideOf(path));
    const ends = await Promise.allSettled([count(), count(), store.add(sampleKey(2))]);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: expect.any(StorageError) });
    expect(await store.list(10)).toEqual([sampleKey(1)]);
    rmSync(besideOf(path), { recursive: true });
    expect(await count()).toMatchObject({ counted: true, key: { callsUsed: 1 } });
  });

  test('a folder in place of the file, or a file in place of the folder, is refused in words', async () => {
    mkdirSync(join(folder, 'sub'));
    await expect(open(join(folder, 'sub'))).rejects.toThrow(/is no file; set API_KEY_STORE/);
    await expect(open(join(path, 'keys.json'))).rejects.toThrow(/no folder; correct API_KEY_STORE/);
  });
});

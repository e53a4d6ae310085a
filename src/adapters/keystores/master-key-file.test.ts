// The key file: made once, for its owner alone, and refused where others can read it or where it is none.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDurably } from '../storage/durable-file.ts';
import { createMasterKeyFile, MasterKeyFault, readMasterKeyFile } from './master-key-file.ts';

let dataDir: string;
let path: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-master-key-'));
  path = join(dataDir, 'master.key');
});
afterEach(() => rmSync(dataDir, { recursive: true }));
const create = () => createMasterKeyFile({ dataDir, randomBytes, createFile: createDurably });

test('there is none until it is made; then it holds 32 random bytes for its owner alone', async () => {
  expect(readMasterKeyFile(dataDir)).toBeUndefined();
  const key = await create();
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(readFileSync(path, 'utf8')).toBe(`${key}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readMasterKeyFile(dataDir)).toBe(key);
});

test('it is never made a second time', async () => {
  const key = await create();
  expect(await create()).toBe(key);
  expect(readMasterKeyFile(dataDir)).toBe(key);
});

test.each([0o640, 0o604, 0o620, 0o601, 0o666])('mode %o is refused with the remedy', async (mode) => {
  await create();
  chmodSync(path, mode);
  expect(() => readMasterKeyFile(dataDir)).toThrow(MasterKeyFault);
  expect(() => readMasterKeyFile(dataDir)).toThrow(`say "chmod 600 ${path}"`);
});

test('mode 400 is as good', async () => {
  const key = await create();
  chmodSync(path, 0o400);
  expect(readMasterKeyFile(dataDir)).toBe(key);
});

test.each([
  ['nothing', ''],
  ['half of a key', `${Buffer.alloc(16).toString('base64')}\n`],
  ['other text', 'my master key\n'],
  ['a large file', 'A'.repeat(4096)],
])('%s is no key, and is left as it is', async (_, text) => {
  writeFileSync(path, text, { mode: 0o600 });
  expect(() => readMasterKeyFile(dataDir)).toThrow('bring it back from a backup');
  await expect(create()).rejects.toThrow(MasterKeyFault);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

// Key files: what goes in comes out, known files open, and nothing wrong is taken or overwritten.

import { createCipheriv, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOfKey, readPrivateKey } from '../../../wallet/private-key.ts';
import { createDurably } from '../../storage/durable-file.ts';
import { sealKey, unsealKey } from './cipher.ts';
import { importKey, keystoreAddress, openKeystore } from './keystore.ts';

const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const CHEAP = { cost: 1024, randomBytes, newId: randomUUID, createFile: createDurably };
/** The two examples of the definition of the format, with the password "testpassword". */
const PUBLISHED = {
  pbkdf2: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262_144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  scrypt: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 262_144,
        p: 8,
        r: 1,
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-keystore-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fresh = (): string => join(folder, `${randomUUID()}.json`);

describe('a key file', () => {
  test('as the definition of the format shows it is opened, in either spelling', async () => {
    expect(await unsealKey(JSON.stringify(PUBLISHED.pbkdf2), 'testpassword')).toBe(KEY);
    const { crypto, ...rest } = PUBLISHED.pbkdf2;
    expect(await unsealKey(JSON.stringify({ ...rest, Crypto: crypto }), 'testpassword')).toBe(KEY);
  });

  test('with parameters that scrypt itself does not allow, as an early example has them, is refused in words', async () => {
    await expect(unsealKey(JSON.stringify(PUBLISHED.scrypt), 'testpassword')).rejects.toThrow('unusual scrypt');
  });

  test('put together by hand, step by step, is opened', async () => {
    const kdfparams = { n: 8192, r: 8, p: 1, dklen: 32, salt: '0123456789abcdef' };
    const slow = scryptSync('hand made', Buffer.from(kdfparams.salt, 'hex'), 32, { N: 8192, r: 8, p: 1 });
    const iv = Buffer.alloc(16, 9);
    const ciphertext = createCipheriv('aes-128-ctr', slow.subarray(0, 16), iv).update(Buffer.from(KEY.slice(2), 'hex'));
    const mac = keccak256(`0x${slow.subarray(16).toString('hex')}${ciphertext.toString('hex')}`).slice(2);
    const [cipher, kdf] = ['aes-128-ctr', 'scrypt'];
    const sealed = { cipher, cipherparams: { iv: iv.toString('hex') }, ciphertext: ciphertext.toString('hex'), kdf };
    const file = { version: 3, crypto: { ...sealed, kdfparams, mac } };
    expect(await unsealKey(JSON.stringify(file), 'hand made')).toBe(KEY);
  });

  test('gives back what was put in, for any key and password', async () => {
    const keys = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => readPrivateKey(Buffer.from(bytes).toString('hex')));
    await fc.assert(
      fc.asyncProperty(keys, fc.string({ unit: 'binary' }), async (read, password) => {
        if ('fault' in read) return;
        const text = await sealKey(read.key, password, { ...CHEAP, cost: 2 });
        expect(await unsealKey(text, password)).toBe(read.key);
        expect(text).not.toContain(read.key.slice(2));
        await expect(unsealKey(text, `${password}x`)).rejects.toThrow('password');
      }),
      { numRuns: 30 },
    );
  });

  test('is written for the owner alone, holds nothing in the clear, and names its account', async () => {
    const path = fresh();
    const address = await importKey({ path, privateKey: KEY, password: 'correct horse', ...CHEAP });
    expect(address).toBe(privateKeyToAccount(KEY).address);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(KEY.slice(2));
    expect(text).not.toContain('correct horse');
    expect(await keystoreAddress(path)).toBe(address);
    expect(await openKeystore(path, 'correct horse')).toBe(KEY);
  });

  test('that is there already is never overwritten', async () => {
    const path = fresh();
    writeFileSync(path, 'precious');
    await expect(importKey({ path, privateKey: KEY, password: 'correct horse', ...CHEAP })).rejects.toThrow(
      'is there already',
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('of two imports at once is made by one of them', async () => {
    const path = fresh();
    const both = await Promise.allSettled(
      [1, 2].map(() => importKey({ path, privateKey: KEY, password: 'correct horse', ...CHEAP })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await openKeystore(path, 'correct horse')).toBe(KEY);
  });

  test('with a password of seven characters is not made, with eight it is', async () => {
    await expect(importKey({ path: fresh(), privateKey: KEY, password: '1234567', ...CHEAP })).rejects.toThrow(
      'at least 8',
    );
    await importKey({ path: fresh(), privateKey: KEY, password: '12345678', ...CHEAP });
  });

  test('that is missing, huge, garbage or altered is refused in words that repeat no secret', async () => {
    const path = fresh();
    await expect(openKeystore(path, 'x')).rejects.toThrow('WALLET_KEYSTORE');
    await expect(
      importKey({ path: join(path, 'no', 'folder.json'), privateKey: KEY, password: '12345678', ...CHEAP }),
    ).rejects.toThrow('folder');
    writeFileSync(path, ' '.repeat(65_537));
    await expect(openKeystore(path, 'x')).rejects.toThrow('too large');
    const good = JSON.parse(await sealKey(KEY, 'correct horse', CHEAP));
    const { crypto } = good;
    const altered: unknown[] = [
      'x',
      null,
      [],
      { ...good, version: 1 },
      { ...good, crypto: undefined },
      { ...good, address: '00'.repeat(20) },
      { ...good, crypto: { ...crypto, ciphertext: '00'.repeat(32) } },
      { ...good, crypto: { ...crypto, cipher: 'aes-256-cbc' } },
      { ...good, crypto: { ...crypto, mac: 'zz' } },
      { ...good, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, n: 2 ** 30 } } },
      { ...good, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, n: 1000 } } },
      { ...good, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, salt: '' } } },
    ];
    for (const value of altered) {
      const refused = await unsealKey(JSON.stringify(value), 'correct horse').catch((error: unknown) => error);
      expect(refused, JSON.stringify(value)).toMatchObject({ name: 'KeystoreFault' });
      expect(String(refused)).not.toContain('correct horse');
    }
    await expect(unsealKey('{', 'correct horse')).rejects.toThrow('not JSON');
  });
});

describe('a private key', () => {
  test('is read with or without 0x and blanks, and its account is the right one', () => {
    for (const text of [KEY, KEY.slice(2), ` ${KEY}\n`, KEY.toUpperCase().replace('0X', '0x')])
      expect(readPrivateKey(text)).toEqual({ key: KEY });
    expect(addressOfKey(KEY)).toBe(privateKeyToAccount(KEY).address);
  });

  const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  test.each(['', '0x', KEY.slice(0, -1), `${KEY}0`, '0'.repeat(64), ORDER, 'f'.repeat(64), 'g'.repeat(64)])(
    '%j is none, and the fault does not repeat it',
    (text) => {
      const read = readPrivateKey(text);
      expect(read).toMatchObject({ fault: expect.stringContaining('is no private key') });
      if (text.length > 4) expect(JSON.stringify(read)).not.toContain(text);
    },
  );

  test('one below the number of the curve is the last there is', () => {
    const last = `0x${ORDER.slice(0, -1)}0` as const;
    expect(readPrivateKey(last)).toEqual({ key: last });
    expect(addressOfKey(last)).toBe(privateKeyToAccount(last).address);
  });
});

// Stored accounts: sealed for their name and mode, one master key for all, and no secret in any trace they leave.

import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { SealedTextFault, Sealer } from './sealed-text.ts';
import { type StoredAccount, type StoredAccountStore, StoredAccounts } from './stored-accounts.ts';
import { readCredentials } from './venue-credentials.ts';
import type { KeyAuditEntry } from './webhook-keys.ts';

const CREDENTIALS = { apiKey: 'KEYSTART-then-the-rest-of-it', secret: 'the-very-secret-text' };
const MAIN = { exchange: 'binance', account: 'main', mode: 'live' } as const;
const sealers = new Map<string, Sealer>();
const sealerWith = (masterKey: string): Sealer => {
  const sealer = sealers.get(masterKey) ?? new Sealer({ masterKey, randomBytes });
  sealers.set(masterKey, sealer);
  return sealer;
};

let rows: StoredAccount[];
let audits: KeyAuditEntry[];
const store: StoredAccountStore = {
  list: () => [...rows],
  insert: async (account, audit) => void [rows.push(account), audits.push(audit)],
  remove: async ({ exchange, account }, audit) => {
    rows = rows.filter((each) => each.exchange !== exchange || each.account !== account);
    audits.push(audit);
  },
};
const accountsWith = (masterKey = 'a master key of a test') =>
  new StoredAccounts({ store, sealer: async () => sealerWith(masterKey), nowMs: () => 9, actor: 'cli' });
beforeEach(() => {
  rows = [];
  audits = [];
});

describe('a stored account', () => {
  test('gives its credentials back, and shows four characters of the key', async () => {
    const accounts = accountsWith();
    const added = await accounts.add({ ...MAIN, positionMode: 'hedge' }, CREDENTIALS);
    expect(added).toMatchObject({ ...MAIN, positionMode: 'hedge', keyStart: 'KEYS', createdAtMs: 9 });
    expect(await accounts.credentialsOf(accounts.find(MAIN) as StoredAccount)).toEqual(CREDENTIALS);
    const traces = JSON.stringify([rows, audits]);
    for (const secret of [CREDENTIALS.apiKey, CREDENTIALS.secret]) expect(traces).not.toContain(secret);
    expect(audits).toMatchObject([{ atMs: 9, actor: 'cli', setting: 'storedAccount', before: null }]);
    expect(audits[0]?.after).toBe('{"exchange":"binance","account":"main","mode":"live","positionMode":"hedge"}');
  });

  test('is opened under its own name and mode alone', async () => {
    const accounts = accountsWith();
    const added = await accounts.add(MAIN, CREDENTIALS);
    for (const moved of [{ account: 'scalp' }, { exchange: 'bybit' }, { mode: 'testnet' }] as const)
      await expect(accounts.credentialsOf({ ...added, ...moved }), JSON.stringify(moved)).rejects.toThrow(
        SealedTextFault,
      );
  });

  test('is not added twice, nor under another master key than those before it', async () => {
    await accountsWith().add(MAIN, CREDENTIALS);
    await expect(accountsWith().add({ ...MAIN, mode: 'testnet' }, CREDENTIALS)).rejects.toThrow(
      'there is an account binance:main already; choose another name, or remove that one first',
    );
    const other = { ...MAIN, account: 'scalp' };
    await expect(accountsWith('another master key').add(other, CREDENTIALS)).rejects.toThrow(SealedTextFault);
    expect([rows.length, audits.length]).toEqual([1, 1]);
    await expect(accountsWith().add(other, CREDENTIALS)).rejects.toThrow('binance:main has this API key already');
    await accountsWith().add(other, { ...CREDENTIALS, apiKey: 'KEYSTART-then-something-else' });
    expect(rows[0]?.sealedCredentials.split('.')[4]).toBe(rows[1]?.sealedCredentials.split('.')[4]);
  });

  test('of two commands at once one stores it, and the other says so', async () => {
    const both = await Promise.allSettled([
      accountsWith().add(MAIN, CREDENTIALS),
      accountsWith().add(MAIN, CREDENTIALS),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(rows).toHaveLength(1);
  });

  test('is one of 64 at most', async () => {
    const added = await accountsWith().add(MAIN, CREDENTIALS);
    rows = Array.from({ length: 64 }, (_, n) => ({ ...added, account: `a${n}` }));
    await expect(accountsWith().add(MAIN, CREDENTIALS)).rejects.toThrow('64 stored accounts already; remove one first');
  });

  test('is removed with an entry in the audit', async () => {
    const accounts = accountsWith();
    await accounts.remove(await accounts.add(MAIN, CREDENTIALS));
    expect(accounts.find(MAIN)).toBeUndefined();
    expect(audits.at(-1)).toMatchObject({ before: expect.stringContaining('"main"'), after: null });
  });
});

describe('credentials on standard input', () => {
  const { apiKey, secret } = CREDENTIALS;
  const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAbc\n-----END PRIVATE KEY-----';
  test.each([
    ['two lines', `${apiKey}\n${secret}`],
    ['two lines of another system, with blanks around', `  ${apiKey}\r\n${secret} \r\n\r\n`],
    ['JSON', JSON.stringify(CREDENTIALS)],
    ['JSON over several lines, with more in it', JSON.stringify({ ...CREDENTIALS, label: 'x' }, null, 2)],
  ])('are %s', (_, text) => {
    expect(readCredentials(text)).toEqual(CREDENTIALS);
  });

  test('may have a private key as their secret, in JSON', () => {
    expect(readCredentials(JSON.stringify({ apiKey, secret: PEM }))).toEqual({ apiKey, secret: PEM });
  });

  test.each([
    ['', 'there is nothing on standard input'],
    [apiKey, 'has not two lines'],
    [`${apiKey}\n${secret}\nmore`, 'has not two lines'],
    [`{"apiKey": "${apiKey}"`, 'begins like JSON and is none'],
    [`{"apiKey": "${apiKey}"}`, 'needs "apiKey" and "secret"'],
    [`{"apiKey": 12345678, "secret": "${secret}"}`, 'needs "apiKey" and "secret"'],
    [`short\n${secret}`, 'the API key is malformed'],
    [`${apiKey}\ntwo words of it`, 'the secret is malformed'],
    [JSON.stringify({ apiKey, secret: `${secret}\n` }), 'the secret is malformed'],
  ])('%j is refused in words that repeat none of it', (text, words) => {
    const read = readCredentials(text) as { readonly fault: string };
    expect(read.fault).toContain(words);
    for (const part of [apiKey, secret, 'two words']) expect(read.fault).not.toContain(part);
  });
});

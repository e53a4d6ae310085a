// What the running instance knows of its accounts: the word for real money counts for the key that an account is open with.

import { expect, it } from 'vitest';
import { load } from '../config/testing/load.ts';
import type { StoredAccount } from '../keys/stored-accounts.ts';
import { KnownAccounts } from './known-accounts.ts';

const MAIN = { exchange: 'binance', account: 'main', mode: 'live' } as const;
const SCALP = { exchange: 'binance', account: 'scalp', mode: 'live' } as const;

const kept = (sealedCredentials: string): StoredAccount => ({
  ...{ ...SCALP, keyStart: 'abcd', sealedCredentials, createdAtMs: 1 },
});

function world() {
  const values = new Map<string, string>();
  const rows: StoredAccount[] = [];
  const settings = {
    get: (name: string) => values.get(name),
    set: async (name: string, value: string) => void values.set(name, value),
  };
  const store = { list: () => rows, insert: async () => {}, remove: async () => {} };
  const started = (apiKey: string) => {
    const env = { BINANCE_MODE: 'live', BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: 'the-secret-of-a-test' };
    return new KnownAccounts({ config: load(env), store, settings, restrictions: { list: () => [] }, isTrading: true });
  };
  return { values, rows, started };
}

it('another key in the environment asks again, and so does the first one after the other was confirmed', async () => {
  const { values, started } = world();
  const [first, other] = [started('the-first-api-key'), started('the-other-api-key')];
  await first.confirm(MAIN, 'test');
  expect([first.isConfirmed(MAIN), other.isConfirmed(MAIN)]).toEqual([true, false]);
  await other.confirm(MAIN, 'test');
  expect([first.isConfirmed(MAIN), other.isConfirmed(MAIN)]).toEqual([false, true]);
  expect(JSON.stringify([...values])).not.toContain('api-key');
});

it('a word that was given before keys counted is not taken for one', () => {
  const { values, started } = world();
  values.set('confirmedLiveAccounts', '["binance:main"]');
  expect(started('the-first-api-key').isConfirmed(MAIN)).toBe(false);
});

it('credentials that are stored again under the same name wait for a restart, and ask again after it', async () => {
  const { rows, started } = world();
  rows.push(kept('sealed-once'));
  const running = started('the-first-api-key');
  await running.confirm(SCALP, 'test');
  rows.splice(0, 1, kept('sealed-again'));
  // It still trades with the key that it was started with.
  expect(running.isConfirmed(SCALP)).toBe(true);
  const listed = running.list().accounts.filter(({ account }) => account === 'scalp');
  expect(listed.map(({ off, isUnconfirmed }) => [off.slice(0, 22), isUnconfirmed])).toEqual([
    ['', false],
    ['it was added after the', true],
  ]);
  expect(started('the-first-api-key').isConfirmed(SCALP)).toBe(false);
});

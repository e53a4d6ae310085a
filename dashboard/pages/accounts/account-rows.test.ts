// Accounts in one list, and the rights of a key in words.

import { expect, test } from 'vitest';
import type { KnownAccounts, ListedAccount, TestedAccount } from '../../server/setup-answers.ts';
import { accountRows, keyWords, rightsWords, stateOf } from './account-rows.ts';

const known = (fields: object): KnownAccounts['accounts'][number] => ({
  ...{ exchange: 'binance', account: 'main', mode: 'paper', credentialsFrom: 'none' as const },
  ...{ keyStart: '', off: '', isUnconfirmed: false, ...fields },
});
const LISTED: readonly ListedAccount[] = [
  { exchange: 'binance', account: 'main', mode: 'paper', positionMode: 'one-way', balance: 100_000 },
];

test('what waits under the name of another account has neither its balance nor its position mode', () => {
  const live = known({ mode: 'live', credentialsFrom: 'stored', keyStart: 'abcd', off: 'Binance is set to paper' });
  const shut = known({ off: 'another account has this name', credentialsFrom: 'environment', keyStart: 'wxyz' });
  const rows = accountRows({ accounts: [known({}), live, shut], faults: [], environment: [] }, LISTED);
  expect(rows.map(({ balance, positionMode }) => [balance, positionMode])).toEqual([
    [100_000, 'one-way'],
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(rows.map((row) => stateOf(row)[0])).toEqual(['trading', 'not traded', 'not traded']);
  expect(rows.map(keyWords)).toEqual(['needs none', 'abcd… sealed in the data folder', 'wxyz… from the environment']);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
});

test('only paper needs no key, and there is nothing to do with what has none', () => {
  const accounts = [known({}), known({ mode: 'live', off: 'it has no credentials', isUnconfirmed: true })];
  const rows = accountRows({ accounts, faults: [], environment: [] }, LISTED);
  expect(rows.map(keyWords)).toEqual(['needs none', 'missing']);
});

test('a live account without its owner’s word says so', () => {
  const [row] = accountRows(
    { accounts: [known({ mode: 'live', isUnconfirmed: true })], faults: [], environment: [] },
    [],
  );
  expect(stateOf(row!)).toEqual(['waits for your word', 'warn']);
});

test('rights are told as far as the venue tells them', () => {
  const tested = (permissions: object) => ({ permissions }) as TestedAccount;
  expect(rightsWords(tested({ canTrade: true, canWithdraw: false, ipLocked: true }))).toBe(
    'trade, not withdraw, locked to an address',
  );
  expect(rightsWords(tested({ canWithdraw: true }))).toBe('WITHDRAW');
  expect(rightsWords(tested({}))).toBe('the venue does not tell');
});

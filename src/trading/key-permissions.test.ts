// The gate of permissions: a key that may withdraw opens nothing unless its owner insists.

import { expect, it } from 'vitest';
import { judgePermissions, type KeyPermissions } from './key-permissions.ts';

const MAIN = { exchange: 'binance', account: 'main' } as const;
const GOOD: KeyPermissions = { canWithdraw: false, canTransfer: false, canTrade: true, ipLocked: true };
const judge = (permissions: Partial<KeyPermissions>, allowWithdrawalKeys = false) =>
  judgePermissions(MAIN, { ...GOOD, ...permissions }, { allowWithdrawalKeys });

it('a key that may trade and not withdraw, from one address, is taken without a word', () => {
  expect(judge({})).toEqual({ refusal: undefined, advice: [] });
  expect(judge({}, true)).toEqual({ refusal: undefined, advice: [] });
});

it('a key that may withdraw is refused, and the words say how to make another', () => {
  const { refusal } = judge({ canWithdraw: true });
  expect(refusal).toContain('the key of binance:main may withdraw');
  expect(refusal).toContain('make a new key that may only read and trade futures');
  expect(refusal).toContain('ALLOW_WITHDRAWAL_KEYS=yes');
});

it('unless its owner insists, and then it is told', () => {
  const { refusal, advice } = judge({ canWithdraw: true }, true);
  expect(refusal).toBeUndefined();
  expect(advice).toEqual(['the key of binance:main may withdraw (ALLOW_WITHDRAWAL_KEYS is yes)']);
});

it.each([
  [{ canTransfer: true }, 'the key of binance:main may transfer money out of the account; take that right from it'],
  [{ canTrade: false }, 'may not trade'],
  [{ ipLocked: false }, 'works from any address'],
])('%j is told, and stops nothing', (permissions, words) => {
  const { refusal, advice } = judge(permissions);
  expect(refusal).toBeUndefined();
  expect(advice).toEqual([expect.stringContaining(words)]);
});

it('what the venue does not tell about trading and addresses is no reason to worry', () => {
  expect(judge({ canTrade: undefined, ipLocked: undefined })).toEqual({ refusal: undefined, advice: [] });
});

it('a venue that tells rights and has not said whether the key may withdraw: it is refused like one that may', () => {
  const { refusal, advice } = judge({ canWithdraw: undefined });
  expect(refusal).toContain('the rights of the key of binance:main could not be read');
  expect(refusal).toContain('ALLOW_WITHDRAWAL_KEYS=yes');
  expect(advice).toEqual([]);
  const insisted = judge({ canWithdraw: undefined }, true);
  expect(insisted.refusal).toBeUndefined();
  expect(insisted.advice).toEqual([
    expect.stringContaining('does not tell whether the key of binance:main may withdraw'),
  ]);
});

it('a venue that never tells is taken, and its owner is told to look', () => {
  const told = { canWithdraw: undefined, canTransfer: undefined, canTrade: undefined, ipLocked: undefined };
  const mexc = { exchange: 'mexc', account: 'main' } as const;
  const { refusal, advice } = judgePermissions(mexc, told, { allowWithdrawalKeys: false });
  expect(refusal).toBeUndefined();
  expect(advice).toEqual([expect.stringContaining('MEXC does not tell whether the key of mexc:main may withdraw')]);
});

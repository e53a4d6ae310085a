// Opening testnet and live accounts: the right credentials for each, all of them or none, and no key that may withdraw.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../../tests/support/scripted-venue.ts';
import { Sealer } from '../keys/sealed-text.ts';
import { type StoredAccount, StoredAccounts } from '../keys/stored-accounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import type { KeyPermissions } from '../trading/key-permissions.ts';
import { type LiveAccountOptions, type LiveAdapters, openLiveAccount, openLiveAccounts } from './live-accounts.ts';

const FROM_ENVIRONMENT = { apiKey: 'key-of-the-environment', secret: 'secret-of-the-environment' };
const FROM_STORE = { apiKey: 'key-of-the-store', secret: 'secret-of-the-store' };
const MAIN: RealAccount = { exchange: 'binance', account: 'main', mode: 'live', credentialsFrom: 'environment' };
const SCALP: RealAccount = { exchange: 'binance', account: 'scalp', mode: 'testnet', credentialsFrom: 'stored' };
const PAPER = { mode: 'paper', hasOwnMode: false, credentials: undefined, baseUrl: undefined } as const;
const GOOD: KeyPermissions = { canWithdraw: false, canTrade: true, ipLocked: true };

async function world({ permissions = GOOD, allowWithdrawalKeys = false, hasAdapter = true } = {}) {
  const rows: StoredAccount[] = [];
  const stored = new StoredAccounts({
    store: { list: () => rows, insert: (account) => void rows.push(account), remove: () => {} },
    sealer: async () => new Sealer({ masterKey: 'a master key of a test', randomBytes }),
    nowMs: () => 1,
    actor: 'test',
  });
  const { exchange, account, mode } = SCALP;
  await stored.add({ exchange, account, mode, positionMode: 'hedge' }, FROM_STORE);
  const asked: LiveAccountOptions[] = [];
  const closed: string[] = [];
  const advice: string[] = [];
  const adapters: LiveAdapters = {
    binance: async (options) => {
      asked.push(options);
      const close = async () => void closed.push(options.account.account);
      const venue = { ...createScriptedVenue(), close };
      return { venue, clockOffsetMs: async () => 12, permissions: async () => permissions };
    },
  };
  const binance = {
    mode: 'live',
    hasOwnMode: true,
    credentials: FROM_ENVIRONMENT,
    baseUrl: 'http://127.0.0.1:1',
  } as const;
  const config = { venues: { binance, bybit: PAPER, mexc: PAPER }, allowWithdrawalKeys };
  const parts = { config, stored, adapters: hasAdapter ? adapters : {} };
  return { parts: { ...parts, onAdvice: (text: string) => void advice.push(text) }, asked, closed, advice };
}

describe('testnet and live accounts', () => {
  it('are opened each with its own credentials, at the address that is set', async () => {
    const { parts, asked, closed, advice } = await world();
    const venues = await openLiveAccounts({ ...parts, accounts: [MAIN, SCALP] });
    expect(venues).toHaveLength(2);
    const baseUrl = 'http://127.0.0.1:1';
    expect(asked).toEqual([
      { account: MAIN, credentials: FROM_ENVIRONMENT, baseUrl, positionMode: undefined },
      { account: SCALP, credentials: FROM_STORE, baseUrl, positionMode: 'hedge' },
    ]);
    expect([closed, advice]).toEqual([[], []]);
  });

  it('are not opened with a key that may withdraw, and none stays open', async () => {
    const { parts, closed } = await world({ permissions: { ...GOOD, canWithdraw: true } });
    await expect(openLiveAccounts({ ...parts, accounts: [MAIN, SCALP] })).rejects.toThrow(
      'the key of binance:main may withdraw',
    );
    expect(closed).toEqual(['main']);
  });

  it('are opened with it where ALLOW_WITHDRAWAL_KEYS says so, and the owner is told', async () => {
    const { parts, advice } = await world({ permissions: { ...GOOD, canWithdraw: true }, allowWithdrawalKeys: true });
    await openLiveAccounts({ ...parts, accounts: [MAIN] });
    expect(advice).toEqual(['the key of binance:main may withdraw (ALLOW_WITHDRAWAL_KEYS is yes)']);
  });

  it('are refused in words where this release has no adapter, after their credentials were opened', async () => {
    const { parts } = await world({ hasAdapter: false });
    await expect(openLiveAccount(SCALP, parts)).rejects.toThrow('this release cannot trade at Binance yet');
  });

  it('never get the credentials of another account, where theirs were removed meanwhile', async () => {
    const { parts, asked } = await world();
    await expect(openLiveAccount({ ...SCALP, account: 'gone' }, parts)).rejects.toThrow(
      'the credentials of binance:gone were removed meanwhile',
    );
    expect(asked).toEqual([]);
  });
});

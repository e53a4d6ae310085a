// The accounts as a start tells them: which money they trade, with which key, and which of them still wait for their owner's word.

import type { GreetedAccount } from '../cli/greeting.ts';
import type { Config } from '../config.ts';
import type { StoredAccountStore } from '../keys/stored-accounts.ts';
import type { AccountName } from '../trading/accounts.ts';
import type { RestrictionStore } from '../trading/intake/restrictions.ts';
import { missingLimits } from './account-limits.ts';
import { madeUpPrices } from './made-up-prices.ts';
import { accountsOf, keyStartOf } from './stored-accounts.ts';

export interface Greeted {
  readonly accounts: readonly GreetedAccount[];
  readonly off: readonly string[];
  /** What their owner should know of their keys and limits, and of the prices that are shown beside them. */
  readonly advice: readonly string[];
}

export interface GreetedParts {
  readonly config: Config;
  readonly settings: {
    readonly storedAccounts: StoredAccountStore;
    readonly restrictions: Pick<RestrictionStore, 'list'>;
  };
  readonly known: { isConfirmed(account: AccountName): boolean };
  /** Of their keys. */
  readonly advice: readonly string[];
}

export function greetedAccounts({ config, settings, known, advice }: GreetedParts): Greeted {
  const { storedAccounts: store, restrictions } = settings;
  const { accounts, off } = accountsOf(config, store);
  const greeted = accounts.map((each): GreetedAccount => {
    const { exchange, account, mode, credentialsFrom } = each;
    if (credentialsFrom === 'none') return { exchange, account, mode };
    const where = credentialsFrom === 'stored' ? 'stored' : 'from the environment';
    const key = `key ${keyStartOf(each, config, store)}…, ${where}`;
    return { exchange, account, mode, key, isUnconfirmed: !known.isConfirmed(each) };
  });
  const unlimited = accounts.flatMap((each) => missingLimits(each, restrictions) ?? []);
  const faults = [...unlimited, madeUpPrices(accounts, config.marketData) ?? []].flat();
  const warnings = faults.map(({ detail, remedy }) => `${detail}; ${remedy}`);
  return { accounts: greeted, off: off.map(({ why }) => why), advice: [...advice, ...warnings] };
}

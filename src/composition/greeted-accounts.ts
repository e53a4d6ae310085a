// The accounts as a start tells them: which money they trade, with which key, and which of them still wait for their owner's word.

import type { GreetedAccount } from '../cli/greeting.ts';
import type { Config } from '../config.ts';
import type { StoredAccountStore } from '../keys/stored-accounts.ts';
import type { AccountName } from '../trading/accounts.ts';
import { accountsOf, keyStartOf } from './stored-accounts.ts';

export function greetedAccounts(
  config: Config,
  store: StoredAccountStore,
  confirmations: { isConfirmed(account: AccountName): boolean },
): { readonly accounts: readonly GreetedAccount[]; readonly off: readonly string[] } {
  const { accounts, off } = accountsOf(config, store);
  const greeted = accounts.map((each): GreetedAccount => {
    const { exchange, account, mode, credentialsFrom } = each;
    if (credentialsFrom === 'none') return { exchange, account, mode };
    const where = credentialsFrom === 'stored' ? 'stored' : 'from the environment';
    const key = `key ${keyStartOf(each, config, store)}…, ${where}`;
    return { exchange, account, mode, key, isUnconfirmed: !confirmations.isConfirmed(each) };
  });
  return { accounts: greeted, off: off.map(({ why }) => why) };
}

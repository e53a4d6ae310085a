// What adding and removing stored accounts has in common, whether a command does it or the owner's page: why one has to wait, and why one
// must stay.

import { type UnsettledAccounts, unsettledInWords } from '../adapters/storage/sql/trading/unsettled.ts';
import type { EnvironmentKey, ListedAccount } from '../cli/host.ts';
import {
  StoredAccountFault,
  type StoredAccountName,
  type StoredAccountStore,
  type StoredAccounts,
} from '../keys/stored-accounts.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { ADDED_LATER, noSuchAccount } from './account-rows.ts';
import { inEnvironment } from './shared-keys.ts';

/** Why an account that is stored now is not traded after a restart; empty where it is. */
export function reasonToWait(name: StoredAccountName, accounts: readonly ListedAccount[]): string {
  const rows = accounts.filter(({ exchange, account }) => exchange === name.exchange && account === name.account);
  const why = rows.find(({ credentialsFrom }) => credentialsFrom === 'stored')?.off ?? '';
  return why === ADDED_LATER ? '' : why;
}

export interface RemovalParts {
  readonly unsettled: Pick<UnsettledAccounts, 'of'>;
  readonly store: StoredAccountStore;
  readonly stored: StoredAccounts;
  /** Asked only where nothing of that name is stored. */
  readonly environment: () => Promise<readonly EnvironmentKey[]>;
}

export interface Removal {
  /** Also an account that has not settled everything. */
  readonly force: boolean;
  /** How to say so. */
  readonly orForce: string;
}

export async function removeStored(
  name: StoredAccountName,
  { force, orForce }: Removal,
  parts: RemovalParts,
): Promise<void> {
  const { store, stored, environment } = parts;
  const account = stored.find(name);
  if (account === undefined) {
    const isThere =
      name.account === MAIN_ACCOUNT && (await environment()).some(({ exchange }) => exchange === name.exchange);
    throw isThere ? new StoredAccountFault(inEnvironment(name), 'conflict') : noSuchAccount(name, store);
  }
  const unsettled = unsettledInWords(await parts.unsettled.of(account));
  if (!force && unsettled !== '')
    throw new StoredAccountFault(
      `${name.exchange}:${name.account} has not settled everything: ${unsettled}. Without its credentials nobody ` +
        `here could close, protect or follow that. Close it first ("signalbox positions", "signalbox orders"), or ${orForce}`,
      'conflict',
    );
  await stored.remove(account);
}

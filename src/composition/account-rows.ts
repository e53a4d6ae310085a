// The accounts as their owner sees them in a list: those that are open, those that wait, and exchanges that are off, each with why.

import type { ListedAccount } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { EXCHANGE_ROWS, settingPrefix } from '../exchanges/exchange.ts';
import {
  type StoredAccount,
  StoredAccountFault,
  type StoredAccountName,
  type StoredAccountStore,
} from '../keys/stored-accounts.ts';
import { type AccountName, MAIN_ACCOUNT } from '../trading/accounts.ts';
import type { ConfiguredAccount } from '../trading/configured-accounts.ts';
import { fingerprint } from './shared-keys.ts';
import { accountsOf, keyStartOf } from './stored-accounts.ts';

export interface AccountRow extends Omit<ListedAccount, 'isUnconfirmed' | keyof AccountName>, AccountName {
  /** Tells one key from another and nothing about it; empty where there is none. */
  readonly fingerprint: string;
}

type RowConfig = Pick<Config, 'venues' | 'paperAccounts'>;

export const ADDED_LATER = 'it was added after the start of the running instance; restart Signalbox to use it';

/** Of what is sealed, so that nobody needs the master key; credentials that are added again are sealed differently. */
const storedFingerprint = ({ sealedCredentials }: StoredAccount): string => fingerprint(sealedCredentials);

function fingerprintOf(
  { exchange, account, credentialsFrom }: ConfiguredAccount,
  { venues }: RowConfig,
  store: StoredAccountStore,
): string {
  if (credentialsFrom === 'none') return '';
  const apiKey = venues[exchange].credentials?.apiKey;
  if (credentialsFrom === 'environment') return apiKey === undefined ? '' : fingerprint(apiKey);
  const kept = store.list().find((each) => each.exchange === exchange && each.account === account);
  return kept === undefined ? '' : storedFingerprint(kept);
}

/** Those that a start opens now. */
export const openRows = (config: RowConfig, store: StoredAccountStore): readonly AccountRow[] =>
  accountsOf(config, store).accounts.map((each) => ({
    ...each,
    keyStart: keyStartOf(each, config, store),
    off: '',
    fingerprint: fingerprintOf(each, config, store),
  }));

export interface AllRows {
  readonly rows: readonly AccountRow[];
  /** What would stop a start. */
  readonly faults: readonly string[];
}

/** `open`: those of the running instance, else those that a start would open. */
export function accountRows(config: RowConfig, store: StoredAccountStore, open: readonly AccountRow[]): AllRows {
  const { accounts, off, faults } = accountsOf(config, store);
  const isOpen = (each: StoredAccount): boolean =>
    open.some((row) => isNamed(row, each) && row.mode === each.mode && row.fingerprint === storedFingerprint(each));
  const waiting = store
    .list()
    .filter((each) => !isOpen(each))
    .map((each): AccountRow => {
      const { exchange, account, mode, keyStart } = each;
      const own = off.find((reason) => reason.exchange === exchange && reason.account === account)?.why;
      const isNext = accounts.some((next) => isNamed(next, each) && next.credentialsFrom === 'stored');
      const why = isNext ? ADDED_LATER : (own ?? onPaperInstead(each));
      const key = { keyStart, fingerprint: storedFingerprint(each) };
      return { exchange, account, mode, credentialsFrom: 'stored', off: why, ...key };
    });
  const exchanges = off
    .filter(({ account }) => account === undefined)
    .map(({ exchange, why }): AccountRow => {
      const { mode } = config.venues[exchange];
      const nothing = { credentialsFrom: 'none', keyStart: '', fingerprint: '' } as const;
      return { exchange, account: MAIN_ACCOUNT, mode, off: why, ...nothing };
    });
  return { rows: [...open, ...waiting, ...exchanges], faults };
}

export const isNamed = (
  row: Omit<AccountName, 'mode'>,
  { exchange, account }: { readonly exchange: string; readonly account: string },
): boolean => row.exchange === exchange && row.account === account;

export function noSuchAccount({ exchange, account }: StoredAccountName, store: StoredAccountStore): Error {
  const names = store.list().map((each) => `${each.exchange}:${each.account}`);
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  return new StoredAccountFault(`no account ${exchange}:${account} is stored; ${there}`);
}

const onPaperInstead = ({ exchange, mode }: StoredAccount): string =>
  `${EXCHANGE_ROWS[exchange].title} is set to paper, where another account has this name; set ${settingPrefix(exchange)}_MODE=${mode} and restart`;

/** Also one that waits for its mode to be allowed: its owner may give both words before the same start. */
export function liveAmong<Row extends Omit<ListedAccount, 'isUnconfirmed'>>(
  all: readonly Row[],
  { exchange, account }: StoredAccountName,
  where: string,
): Row {
  const rows = all.filter((row) => row.exchange === exchange && row.account === account);
  const live = rows.find(({ mode, credentialsFrom }) => mode === 'live' && credentialsFrom !== 'none');
  if (live !== undefined) return live;
  const [first] = rows;
  if (first === undefined)
    throw new StoredAccountFault(
      `there is no account ${exchange}:${account} ${where}; there are ${all.map((row) => `${row.exchange}:${row.account}`).join(', ')}`,
    );
  throw new StoredAccountFault(
    `${exchange}:${account} is no live account with credentials, it is set to ${first.mode} ${where}: there is nothing to confirm`,
  );
}

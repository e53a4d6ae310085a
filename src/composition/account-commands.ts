// The accounts of a data folder as the command line uses them: beside a running instance, which reads them at its start, or without one.

import { OWNER } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { unsettledOf } from '../adapters/storage/sqlite/unsettled.ts';
import type { KeyStoreOptions, ListedAccount, OpenedAccounts, TestedAccount } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { EXCHANGE_TITLES, type Exchange, settingPrefix } from '../exchanges/exchange.ts';
import type { StoredAccount, StoredAccountName, StoredAccountStore, StoredAccounts } from '../keys/stored-accounts.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { shownMoney } from '../trading/books/shown-amounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { toText } from '../trading/decimal.ts';
import { judgePermissions } from '../trading/key-permissions.ts';
import { type LiveAdapters, openLiveAccount } from './live-accounts.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { isInstanceRunning } from './running-instance.ts';
import { accountsOf, masterKeyInWords, openStoredAccounts } from './stored-accounts.ts';

const ACTOR = 'cli';

interface AccountParts {
  readonly config: Config;
  readonly store: StoredAccountStore;
  readonly stored: StoredAccounts;
  readonly adapters: LiveAdapters;
}

export async function openAccounts(
  { dataDir }: KeyStoreOptions,
  // None until the settings allow testnet and live: an account that cannot be traded is not tried out either.
  adapters: LiveAdapters = {},
): Promise<OpenedAccounts> {
  const config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  // To open a database that is not there would make it.
  if (!isDataFolder(config.dataDir)) throw noInstance(config.dataDir);
  assertDatabasesThere(config.dataDir);
  if (!hasDatabases(config.dataDir)) throw noInstance(config.dataDir);
  const running = isInstanceRunning(config.dataDir);
  await excuseLogs(config.dataDir, [OWNER.name]);
  const { storedAccounts: store, close } = openSettingsStorage(config.dataDir);
  const parts: AccountParts = { config, store, stored: openStoredAccounts(config, store, ACTOR), adapters };
  return {
    list: () => listed(parts),
    async add(account, credentials) {
      assertNotOfEnvironment(config, account, 'add');
      const { keyStart } = await parts.stored.add(account, credentials);
      return { sealedWith: masterKeyInWords(config), keyStart, waits: reasonToWait(account, parts) };
    },
    test: (name) => tested(name, parts),
    remove: (name, { force }) => removeAccount(name, force, parts),
    where: `data folder ${config.dataDir}`,
    running,
    close: async () => close(),
  };
}

function listed({ config, store, adapters }: AccountParts): ReturnType<OpenedAccounts['list']> {
  const { accounts, off, faults } = accountsOf(config, store);
  const stored = store.list();
  const keyStartOf = ({ exchange, account }: StoredAccountName): string =>
    stored.find((each) => each.exchange === exchange && each.account === account)?.keyStart ?? '';
  const open = accounts.map(({ exchange, account, mode, credentialsFrom }): ListedAccount => {
    const ofEnvironment = config.venues[exchange].credentials?.apiKey.slice(0, 4) ?? '';
    const keyStart = { none: '', environment: ofEnvironment, stored: keyStartOf({ exchange, account }) }[
      credentialsFrom
    ];
    return { exchange, account, mode, credentialsFrom, keyStart, off: '' };
  });
  const isOpen = (each: StoredAccount): boolean =>
    open.some(
      ({ exchange, account, mode }) => exchange === each.exchange && account === each.account && mode === each.mode,
    );
  const waiting = stored
    .filter((each) => !isOpen(each))
    .map((each): ListedAccount => {
      const { exchange, account, mode, keyStart } = each;
      const own = off.find((reason) => reason.exchange === exchange && reason.account === account)?.why;
      return {
        exchange,
        account,
        mode,
        credentialsFrom: 'stored',
        keyStart,
        off: notYet(exchange, adapters) ?? own ?? onPaperInstead(each),
      };
    });
  const exchanges = off
    .filter(({ account }) => account === undefined)
    .map(({ exchange, why }): ListedAccount => {
      const { mode } = config.venues[exchange];
      return { exchange, account: MAIN_ACCOUNT, mode, credentialsFrom: 'none', keyStart: '', off: why };
    });
  return { accounts: [...open, ...waiting, ...exchanges], faults };
}

const onPaperInstead = ({ exchange, mode }: StoredAccount): string =>
  `${EXCHANGE_TITLES[exchange]} is set to paper, where another account has this name; set ${settingPrefix(exchange)}_MODE=${mode} and restart`;

const notYet = (exchange: Exchange, adapters: LiveAdapters): string | undefined =>
  adapters[exchange] === undefined ? `this release cannot trade at ${EXCHANGE_TITLES[exchange]} yet` : undefined;

function reasonToWait(name: StoredAccountName, parts: AccountParts): string {
  const soon = notYet(name.exchange, parts.adapters);
  if (soon !== undefined) return soon;
  const rows = listed(parts).accounts.filter((row) => row.exchange === name.exchange && row.account === name.account);
  return rows.find(({ credentialsFrom }) => credentialsFrom === 'stored')?.off ?? '';
}

/** The credentials of the environment are there and gone with it. */
function assertNotOfEnvironment(
  config: Config,
  { exchange, account }: StoredAccountName,
  verb: 'add' | 'remove',
): void {
  if (account !== MAIN_ACCOUNT || config.venues[exchange].credentials === undefined) return;
  const prefix = settingPrefix(exchange);
  const names = `${prefix}_API_KEY and ${prefix}_API_SECRET`;
  throw new Error(
    verb === 'add'
      ? `the environment has credentials for ${exchange}:${account} already (${names}); unset them first, or choose another name`
      : `the credentials of ${exchange}:${account} are those of the environment; unset ${names} to remove it`,
  );
}

function removeAccount(name: StoredAccountName, force: boolean, { config, store, stored }: AccountParts): void {
  const account = stored.find(name);
  if (account === undefined) {
    assertNotOfEnvironment(config, name, 'remove');
    throw noSuchAccount(name, store);
  }
  const { trades, markets } = unsettledOf(config.dataDir, account);
  if (!force && trades + markets.length > 0)
    throw new Error(
      `${name.exchange}:${name.account} has not settled everything: ${unsettledInWords(trades, markets)}. Without its credentials nobody ` +
        'here could close, protect or follow that. Close it first ("signalbox positions", "signalbox orders"), or say --force',
    );
  stored.remove(account);
}

function unsettledInWords(trades: number, markets: readonly string[]): string {
  const held = markets.length === 0 ? [] : [`open positions in ${markets.join(', ')}`];
  const unfinished = trades === 0 ? [] : [trades === 1 ? 'one unfinished trade' : `${trades} unfinished trades`];
  return [...held, ...unfinished].join(' and ');
}

const noSuchAccount = ({ exchange, account }: StoredAccountName, store: StoredAccountStore): Error => {
  const names = store.list().map((each) => `${each.exchange}:${each.account}`);
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  return new Error(`no account ${exchange}:${account} is stored; ${there}`);
};

/** Whatever its mode and the modes of the settings are: it is asked for, so it is tried. */
async function tested(name: StoredAccountName, parts: AccountParts): Promise<TestedAccount> {
  const { venue, clockOffsetMs, permissions } = await openLiveAccount(accountToTest(name, parts), parts);
  try {
    const offsetMs = await clockOffsetMs();
    const { balance } = await venue.summary();
    const found = await permissions();
    const positionMode = await venue.positionMode();
    const verdict = judgePermissions(name, found, parts.config);
    return {
      clockOffsetMs: offsetMs,
      balance: toText(shownMoney(balance)),
      positionMode,
      permissions: found,
      ...verdict,
    };
  } finally {
    await venue.close();
  }
}

function accountToTest(name: StoredAccountName, { config, store, stored }: AccountParts): RealAccount {
  const kept = stored.find(name);
  if (kept !== undefined) return { ...name, mode: kept.mode, credentialsFrom: 'stored' };
  const { mode, credentials } = config.venues[name.exchange];
  if (name.account !== MAIN_ACCOUNT || credentials === undefined) throw noSuchAccount(name, store);
  if (mode === 'paper')
    throw new Error(
      `${name.exchange}:${name.account} trades on paper, so nobody knows whether its API key is one for testnet or live; set ` +
        `${settingPrefix(name.exchange)}_MODE to the one it is for`,
    );
  return { ...name, mode, credentialsFrom: 'environment' };
}

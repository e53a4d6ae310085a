// Two accounts on one API key. To the exchange they are one account, so each would take the whole position there for its own, and the
// stop of one would close what the other holds: they are never opened together, and the second is not added.

import { hash } from 'node:crypto';
import type { EnvironmentKey } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { EXCHANGES, settingPrefix } from '../exchanges/exchange.ts';
import { StoredAccountFault, type StoredAccountName } from '../keys/stored-accounts.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import type { RealAccount, RealMode } from '../trading/configured-accounts.ts';

/** Enough that no two keys of one owner ever have the same. */
const FINGERPRINT_CHARS = 16;

/** Tells one key from another, and nothing about it. */
export const fingerprint = (text: string): string => hash('sha256', text, 'hex').slice(0, FINGERPRINT_CHARS);

/** The keys that the environment has, also those of exchanges that are on paper now. */
export const environmentKeys = ({ venues }: Pick<Config, 'venues'>): readonly EnvironmentKey[] =>
  EXCHANGES.flatMap((exchange) => {
    const { mode, credentials } = venues[exchange];
    return credentials === undefined ? [] : [{ exchange, mode, fingerprint: fingerprint(credentials.apiKey) }];
  });

/** Throws where the new account would have the name, or the key, of the one that the environment has. */
export function assertNotOfEnvironment(
  { exchange, account, mode }: StoredAccountName & { readonly mode: RealMode },
  apiKey: string,
  keys: readonly EnvironmentKey[],
): void {
  const key = keys.find((each) => each.exchange === exchange);
  if (key === undefined) return;
  if (account === MAIN_ACCOUNT)
    throw new StoredAccountFault(
      `the environment has credentials for ${exchange}:${account} already (${settingNames(exchange)}); unset them first, or choose another name`,
      'conflict',
    );
  const isSameMode = key.mode === mode || key.mode === 'paper';
  if (isSameMode && key.fingerprint === fingerprint(apiKey))
    throw new StoredAccountFault(
      `${exchange}:${MAIN_ACCOUNT} has this API key already, from the environment (${settingNames(exchange)}): each of the two would take the whole ` +
        'position there for its own; use a key of a sub-account',
      'conflict',
    );
}

const settingNames = (exchange: StoredAccountName['exchange']): string => {
  const prefix = settingPrefix(exchange);
  return `${prefix}_API_KEY and ${prefix}_API_SECRET`;
};

export const inEnvironment = ({ exchange, account }: StoredAccountName): string =>
  `the credentials of ${exchange}:${account} are those of the environment; unset ${settingNames(exchange)} to remove it`;

/** In words with the remedy, for each pair of accounts that are open together. */
export function sharedKeyFaults(
  keyed: readonly { readonly account: RealAccount; readonly apiKey: string }[],
): readonly string[] {
  const firsts = new Map<string, RealAccount>();
  return keyed.flatMap(({ account, apiKey }) => {
    const key = `${account.exchange} ${account.mode} ${fingerprint(apiKey)}`;
    const first = firsts.get(key);
    firsts.set(key, first ?? account);
    return first === undefined ? [] : [sharedInWords(first, account)];
  });
}

function sharedInWords(first: RealAccount, second: RealAccount): string {
  const [one, other] = [first, second].map(({ exchange, account }) => `${exchange}:${account}`);
  // One of the two is stored: the environment has one account of an exchange.
  const stored = second.credentialsFrom === 'stored' ? other : one;
  return (
    `${one} and ${other} have the same API key, so each would take the whole position there for its own: say "signalbox accounts ` +
    `remove ${stored}", or remove it and add it again with a key of a sub-account.`
  );
}

// Which accounts there are, from the settings and from what `signalbox accounts add` stored: the only place that decides it.
//
// The mode of an exchange (BINANCE_MODE, else TRADING_MODE) is the most that its accounts may do: paper, then testnet, then live.
//
// | mode of the exchange | what has credentials there                 | accounts                                             |
// |----------------------|--------------------------------------------|------------------------------------------------------|
// | paper                | whatever it is                             | main and those of PAPER_ACCOUNTS, on paper           |
// | testnet or live      | the environment (BINANCE_API_KEY)          | main, in the mode of the exchange                    |
// | testnet or live      | a stored account of that mode or a lesser  | that one, in its own mode                            |
// | testnet              | a stored account that is live              | not that one: it is off, and says so                 |
// | testnet or live      | nothing that may be opened, by TRADING_MODE | none: the exchange is off, and never falls to paper |
// | testnet or live      | nothing that may be opened, by its own mode | a fault: it does not start                          |
//
// It is a fault as well if the environment and a stored account both claim main, and if an exchange without a testnet is set to
// testnet by its own setting; under TRADING_MODE=testnet such an exchange is off.

import { EXCHANGE_ROWS, EXCHANGES, type Exchange, settingPrefix } from '../exchanges/exchange.ts';
import { MAIN_ACCOUNT, type OffAccount } from './accounts.ts';
import type { VenueMode } from './venue.ts';

export type RealMode = Exclude<VenueMode, 'paper'>;

/** What the settings say of one exchange. */
export interface ExchangeSettings {
  readonly mode: VenueMode;
  /** Whether its own setting says so, and not TRADING_MODE. */
  readonly hasOwnMode: boolean;
  /** Of its account main, in the environment. */
  readonly credentials: object | undefined;
}

export interface AccountSources {
  readonly venues: Readonly<Record<Exchange, ExchangeSettings>>;
  readonly stored: readonly { readonly exchange: Exchange; readonly account: string; readonly mode: RealMode }[];
  readonly paperAccounts: readonly { readonly exchange: Exchange; readonly account: string }[];
}

export type ConfiguredAccount = { readonly exchange: Exchange; readonly account: string } & (
  | { readonly mode: 'paper'; readonly credentialsFrom: 'none' }
  | { readonly mode: RealMode; readonly credentialsFrom: 'environment' | 'stored' }
);
export type RealAccount = Extract<ConfiguredAccount, { readonly mode: RealMode }>;

export interface ConfiguredAccounts {
  /** In the order of the exchanges, main first. */
  readonly accounts: readonly ConfiguredAccount[];
  readonly off: readonly OffAccount[];
  /** Each with its remedy; with one of them nothing may be opened. */
  readonly faults: readonly string[];
}

const STRENGTH: Readonly<Record<VenueMode, number>> = { paper: 0, testnet: 1, live: 2 };

export function configuredAccounts(sources: AccountSources): ConfiguredAccounts {
  const each = EXCHANGES.map((exchange) => accountsAt(exchange, sources));
  return {
    accounts: each.flatMap(({ accounts }) => accounts),
    off: each.flatMap(({ off }) => off),
    faults: each.flatMap(({ faults }) => faults),
  };
}

function accountsAt(exchange: Exchange, sources: AccountSources): ConfiguredAccounts {
  const { mode, hasOwnMode, credentials } = sources.venues[exchange];
  const stored = sources.stored.filter((each) => each.exchange === exchange);
  const isClaimedTwice = credentials !== undefined && stored.some(({ account }) => account === MAIN_ACCOUNT);
  const faults = isClaimedTwice ? [claimedTwice(exchange)] : [];
  if (mode === 'paper') return { ...paperAt(exchange, sources), faults };
  const isThere = mode === 'live' || EXCHANGE_ROWS[exchange].hasTestnet;
  const usable = stored.filter((each) => isThere && STRENGTH[each.mode] <= STRENGTH[mode]);
  const accounts: ConfiguredAccount[] = [
    ...(credentials === undefined || !isThere
      ? []
      : [{ exchange, account: MAIN_ACCOUNT, mode, credentialsFrom: 'environment' } as const]),
    ...usable.map((each) => ({ exchange, account: each.account, mode: each.mode, credentialsFrom: 'stored' }) as const),
  ];
  const waiting = stored.filter((each) => !usable.includes(each));
  const off = waiting.map((each): OffAccount => offBeyond(each, mode));
  if (accounts.length > 0) return { accounts: accounts.sort(mainFirst), off, faults };
  const why = isThere ? noCredentials(exchange, mode) : noTestnet(exchange);
  if (!hasOwnMode) return { accounts, off: [...off, { exchange, why }], faults };
  const reasons = isThere && off.length > 0 ? off.map((each) => each.why) : [why];
  return { accounts, off, faults: [...faults, ...reasons.map((each) => `${settingPrefix(exchange)}_MODE: ${each}.`)] };
}

function paperAt(exchange: Exchange, { stored, paperAccounts }: AccountSources): Omit<ConfiguredAccounts, 'faults'> {
  const named = paperAccounts.filter((each) => each.exchange === exchange).map(({ account }) => account);
  const names = [...new Set([MAIN_ACCOUNT, ...named])];
  const accounts = names.map((account) => ({ exchange, account, mode: 'paper', credentialsFrom: 'none' }) as const);
  const waiting = stored.filter((each) => each.exchange === exchange && !names.includes(each.account));
  const off = waiting.map((each) => offBeyond(each, 'paper'));
  return { accounts: accounts.sort(mainFirst), off };
}

const mainFirst = (a: ConfiguredAccount, b: ConfiguredAccount): number =>
  Number(b.account === MAIN_ACCOUNT) - Number(a.account === MAIN_ACCOUNT) || (a.account < b.account ? -1 : 1);

const claimedTwice = (exchange: Exchange): string =>
  `${settingPrefix(exchange)}_API_KEY: the environment has credentials for ${exchange}:${MAIN_ACCOUNT}, and others are stored for it; ` +
  `unset ${settingPrefix(exchange)}_API_KEY and ${settingPrefix(exchange)}_API_SECRET, or say "signalbox accounts remove ${exchange}:${MAIN_ACCOUNT} --yes".`;

const noTestnet = (exchange: Exchange): string =>
  `${EXCHANGE_ROWS[exchange].title} has no testnet; set ${settingPrefix(exchange)}_MODE to paper or live`;

const noCredentials = (exchange: Exchange, mode: RealMode): string =>
  `${EXCHANGE_ROWS[exchange].title} is set to ${mode} and has no credentials; set ${settingPrefix(exchange)}_API_KEY and ` +
  `${settingPrefix(exchange)}_API_SECRET, or say "signalbox accounts add ${exchange}:${MAIN_ACCOUNT} --mode ${mode}", and restart`;

const offBeyond = (
  { exchange, account, mode: own }: AccountSources['stored'][number],
  mode: VenueMode,
): OffAccount => ({
  exchange,
  account,
  why:
    `${exchange}:${account} is a ${own} account and ${EXCHANGE_ROWS[exchange].title} is set to ${mode}; ` +
    `set ${settingPrefix(exchange)}_MODE=${own} and restart, or trade on another account`,
});

// What processes that share a desk must have alike: the mode of each exchange, the services that only its owner runs, the secrets
// that open its doors and its accounts, and the settings that guard it. The owner tells it with its lease. Whoever would stand by
// compares it with its own settings, and so does whoever comes after an owner that was not stopped properly: nothing that was live
// becomes paper by a crash, and the other way round.
//
// Accounts that are stored are in the database and so the same for all; the modes decide which of them are opened.

import { randomBytes } from 'node:crypto';
import { Passwords } from '../access/password.ts';
import { MASTER_KEY_FILE, MasterKeyFault, readMasterKeyFile } from '../adapters/keystores/master-key-file.ts';
import type { Config, SettingName } from '../config.ts';
import { EXCHANGES, type Exchange, settingPrefix } from '../exchanges/exchange.ts';

type Settings = Pick<
  Config,
  'venues' | 'services' | 'internalToken' | 'webhookApiKeys' | 'leavePositions' | 'trustedProxies'
> &
  Pick<Config, 'masterKey' | 'dataDir' | 'settings'> &
  Guards;
/** Whom it listens to, and how trades are guarded. */
type Guards = Pick<Config, 'ipAllowlist' | 'signalMaxAgeMs' | 'idempotencyWindowMs' | 'protectionAtVenue'>;
type Mode = Config['venues'][Exchange]['mode'];

/** What else decides what is traded, at which loss no more, and whose mail may do it: compared as it is written. No secrets. */
const COMPARED_AS_WRITTEN = [
  ...(['QUEUE_MODE', 'WEBHOOK_RATE_PER_MINUTE', 'TRADINGVIEW_POSITION_CHECK'] as const),
  ...(['DRAWDOWN_LIMIT_PERCENT', 'DRAWDOWN_FREEZES_WALLET', 'UNPROTECTED_POSITIONS'] as const),
  ...(['STALE_QUOTE_S', 'MAX_PRICE_THROUGH_PERCENT', 'MAX_SPREAD_PERCENT'] as const),
  ...(['CONFIRM_FIRST_LIVE_ORDER', 'ALLOW_WITHDRAWAL_KEYS'] as const),
  ...(['PAPER_BALANCE', 'PAPER_ACCOUNTS', 'PAPER_POSITION_MODE', 'PAPER_TWIN'] as const),
  ...(['MARKET_DATA', 'MARKET_SEED', 'SIMULATED_SYMBOLS', 'DEPLOYMENT_WEBHOOK_ALLOW'] as const),
  ...(['SMTP_ALLOWED_SENDERS', 'SMTP_AUTH_POLICY', 'SMTP_MAX_AGE_S'] as const),
  ...(['WALLET_MAX_VALUE_WEI', 'WALLET_DAILY_LIMIT_WEI', 'WALLET_CAPS'] as const),
  ...(['WALLET_MAX_PRICE_IMPACT_BPS', 'WALLET_ALLOWED_CONTRACTS'] as const),
] satisfies readonly SettingName[];

interface Terms {
  readonly venues: Readonly<Record<string, { readonly mode: Mode; readonly hasCredentials: boolean }>>;
  readonly services: string;
  /** By the name of the setting; without those that an older version did not compare. */
  readonly guards?: Readonly<Record<string, string>>;
  /** Slow hashes with a salt of their own: who reads the row cannot try secrets cheaply. */
  readonly token: string;
  readonly keys: string;
  /** Absent where the owner had no master key when it began: it is made where it is first needed. */
  readonly masterKey?: string;
}

/** Quick enough for a start, which makes three of them. */
const COST = { n: 2 ** 15, r: 8, p: 1 };
const passwords = new Passwords({ randomBytes, cost: COST });

/** As a text that others can compare. */
export async function termsOf(settings: Settings): Promise<string> {
  const token = await passwords.hash(tokenOf(settings));
  const keys = await passwords.hash(keysOf(settings));
  const [venues, services, guards] = [venuesOf(settings), servicesOf(settings), guardsOf(settings)];
  const masterKey = masterKeyOf(settings);
  const sealed = masterKey === undefined ? {} : { masterKey: await passwords.hash(masterKeyWords(masterKey)) };
  const terms: Terms = { venues, services, guards, token, keys, ...sealed };
  return JSON.stringify(terms);
}

/** What a process would have to change to stand by for the one that told these terms; empty where it may. */
export async function faultsBeside(settings: Settings, told: string): Promise<readonly string[]> {
  const theirs = JSON.parse(told) as Terms;
  const remedy =
    'Set it alike on both; to change it, stop this one, then that one, and start both with the new setting.';
  const owner = 'at the Signalbox that owns the desk of DATABASE_URL.';
  const modes = EXCHANGES.flatMap((exchange) => {
    const [own, other] = [venuesOf(settings)[exchange], theirs.venues[exchange]].map(venueInWords(exchange));
    return own === other ? [] : [`${settingPrefix(exchange)}_MODE: ${own} here, and ${other} ${owner} ${remedy}`];
  });
  const isSame = {
    INTERNAL_TOKEN: await passwords.isRight(tokenOf(settings), theirs.token),
    WEBHOOK_API_KEYS: await passwords.isRight(keysOf(settings), theirs.keys),
    [`SIGNALBOX_MASTER_KEY or ${MASTER_KEY_FILE}`]: await isSameMasterKey(settings, theirs),
  };
  const guards = Object.entries(guardsOf(settings)).filter(
    ([name, value]) => (theirs.guards?.[name] ?? value) !== value,
  );
  const secrets = Object.entries(isSame).filter(([, same]) => !same);
  return [
    ...modes,
    ...serviceFaults(settings, theirs, `${owner} ${remedy}`),
    ...[...guards, ...secrets].map(([name]) => `${name}: not the same as ${owner} ${remedy}`),
  ];
}

/** The same for one that starts after an owner that was not stopped properly. Its doors are its own matter: nobody else is there. */
export function faultsAfterCrash(settings: Settings, told: string): readonly string[] {
  const theirs = JSON.parse(told) as Terms;
  const last = 'at the last process that owned the desk of DATABASE_URL, which was not stopped properly.';
  const remedy = 'Start with that setting again and stop it properly; then change it';
  const modes = EXCHANGES.flatMap((exchange) => {
    const [own, other = 'paper'] = [settings.venues[exchange].mode, theirs.venues[exchange]?.mode];
    if (own === other || isLeft(settings, exchange, other)) return [];
    const orLeave =
      other === 'paper' ? '' : `; or, to leave what is there alone, set LEAVE_POSITIONS=${exchange}:main:${other}`;
    return [`${settingPrefix(exchange)}_MODE: ${own} here, and ${other} ${last} ${remedy}${orLeave}.`];
  });
  return [...modes, ...serviceFaults(settings, theirs, `${last} ${remedy}.`)];
}

/** What is traded otherwise than by the last owner, for one that may: no other process has to agree with it. */
export function changesSince(settings: Settings, told: string): readonly string[] {
  const theirs = JSON.parse(told) as Terms;
  const [own, before] = [writtenOf(settings), theirs.guards ?? {}];
  return [
    ...EXCHANGES.map((exchange) => {
      const was = theirs.venues[exchange]?.mode ?? 'paper';
      return { name: `${settingPrefix(exchange)}_MODE`, is: settings.venues[exchange].mode as string, was };
    }),
    ...Object.entries(own).map(([name, is]) => ({ name, is, was: before[name] ?? is })),
  ].flatMap(({ name, is, was }) => {
    const words = `${name} is ${is || 'not set'}, and was ${was || 'not set'} at the last process that owned this desk`;
    return is === was ? [] : [words];
  });
}

const venuesOf = ({ venues }: Settings): Terms['venues'] =>
  Object.fromEntries(
    EXCHANGES.map((exchange) => {
      const { mode, credentials } = venues[exchange];
      return [exchange, { mode, hasCredentials: mode !== 'paper' && credentials !== undefined }];
    }),
  );

/** One that the other does not know is traded by nobody there. */
const venueInWords =
  (exchange: Exchange) =>
  (venue: Terms['venues'][string] = { mode: 'paper', hasCredentials: false }): string =>
    venue.hasCredentials ? `${venue.mode}, with ${settingPrefix(exchange)}_API_KEY,` : venue.mode;

const servicesOf = ({ services }: Settings): string =>
  ['gateway', 'scripts'].filter((name) => services.some((each) => each === name)).join(' and ');

const serviceFaults = (settings: Settings, theirs: Terms, rest: string): readonly string[] =>
  servicesOf(settings) === theirs.services
    ? []
    : [`SERVICES: ${servicesOf(settings)} here, and ${theirs.services} ${rest}`];

/** Its owner has named an account of it, in that mode. */
const isLeft = ({ leavePositions }: Settings, exchange: Exchange, mode: Mode): boolean =>
  leavePositions.some((name) => name.startsWith(`${exchange}:`) && name.endsWith(`:${mode}`));

/** None of them is a secret. */
const guardsOf = (settings: Settings): Readonly<Record<string, string>> => ({
  ...writtenOf(settings),
  IP_ALLOWLIST: settings.ipAllowlist?.toSorted().join() ?? '',
  TRUSTED_PROXIES: settings.trustedProxies.toSorted().join(),
  SIGNAL_MAX_AGE_S: String(settings.signalMaxAgeMs),
  IDEMPOTENCY_WINDOW_S: String(settings.idempotencyWindowMs),
  PROTECTION_AT_VENUE: String(settings.protectionAtVenue),
  ...Object.fromEntries(
    EXCHANGES.map((exchange) => [`${settingPrefix(exchange)}_BASE_URL`, settings.venues[exchange].baseUrl ?? '']),
  ),
});

function writtenOf({ settings }: Settings): Readonly<Record<string, string>> {
  const written = new Map(settings.map(({ name, value }) => [name, value]));
  return Object.fromEntries(COMPARED_AS_WRITTEN.map((name) => [name, written.get(name) ?? '']));
}

async function isSameMasterKey(settings: Settings, { masterKey }: Terms): Promise<boolean> {
  return masterKey === undefined || passwords.isRight(masterKeyWords(masterKeyOf(settings) ?? ''), masterKey);
}

const masterKeyWords = (key: string): string => `master ${key}`;

/** One that cannot be used is none: whoever needs it says what is wrong with it. */
function masterKeyOf({ masterKey, dataDir }: Settings): string | undefined {
  try {
    return masterKey ?? readMasterKeyFile(dataDir);
  } catch (error) {
    if (error instanceof MasterKeyFault) return undefined;
    throw error;
  }
}

const tokenOf = ({ internalToken }: Settings): string => `token ${internalToken ?? ''}`;
const keysOf = ({ webhookApiKeys }: Settings): string => `keys ${[...new Set(webhookApiKeys)].sort().join(',')}`;

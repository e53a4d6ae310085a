// The only place where settings are read: one table, one frozen Config, and every mistake told at once with its remedy.

import { BlockList, isIP } from 'node:net';

export type SettingSource = 'environment' | '.env' | 'default';
export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting<T> {
  /** The text that stands in when the setting is absent or empty. */
  readonly fallback: string;
  /** What may be written, in words. */
  readonly kind: string;
  readonly about: string;
  /** The part of the product that reads it. */
  readonly feature: string;
  readonly secret?: boolean;
  /** Turns the text into its value; throws a Fault that says what to write instead. */
  read(text: string): T;
}

class Fault extends Error {}

export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const what = faults.length === 1 ? 'one setting needs' : `${faults.length} settings need`;
    super(`Signalbox cannot start: ${what} your attention.\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = Object.freeze([...faults]);
  }
}

const MIN_TOKEN_CHARS = 16;
const MAX_TOKEN_CHARS = 512;
const MIN_STATIC_KEY_CHARS = 8;
const MAX_LIST_ENTRIES = 256;
const MAX_DOT_ENV_CHARS = 65_536;

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

function list(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const named = [...new Set(entries.filter((entry) => entry !== ''))];
  if (named.length > MAX_LIST_ENTRIES) throw new Fault(`has more than ${MAX_LIST_ENTRIES} entries; shorten the list`);
  return named;
}

function choice<const T extends string>(words: readonly T[], later: readonly string[] = []): (text: string) => T {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    const use = words.length === 1 ? `use ${words[0]}` : `use one of ${words.join(', ')}`;
    if (later.includes(text)) throw new Fault(`${text} is not part of this release; ${use}`);
    throw new Fault(`${quoted(text)} is not known; ${use}`);
  };
}

function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Fault(`${quoted(text)} does not fit; write a whole number from ${min} to ${max}`);
  };
}

const seconds = (min: number, max: number) => (text: string) => whole(min, max)(text) * 1000;

function host(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare)) return bare;
  throw new Fault(`${quoted(text)} is no address to listen on; write an IP address or a host name, without a port`);
}

function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '')
    return url;
  throw new Fault(`${quoted(text)} is no web address; write it like https://signals.example.com`);
}

const baseUrl = (text: string) => (text === '' ? undefined : webUrl(text).href.replace(/\/+$/, ''));

function services(text: string): readonly 'gateway'[] {
  const names = list(text);
  if (names.length === 0) throw new Fault('names no service; use gateway');
  return names.map(choice(['gateway'], ['analysis', 'scripts', 'dashboard']));
}

function folder(text: string): string {
  if (!text.includes('\0') && text.length <= 4096) return text;
  throw new Fault('is no folder name; write a path of at most 4096 characters');
}

function token(text: string): string | undefined {
  if (text === '') return undefined;
  if (text.length >= MIN_TOKEN_CHARS && text.length <= MAX_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new Fault(
    `is too weak or malformed; use ${MIN_TOKEN_CHARS} to ${MAX_TOKEN_CHARS} visible ASCII characters, for example from "openssl rand -hex 32"`,
  );
}

function staticKeys(text: string): readonly string[] {
  const keys = list(text);
  const bad = keys.findIndex(
    (key) => !/^[\x21-\x7e]+$/.test(key) || key.length < MIN_STATIC_KEY_CHARS || key.length > 128,
  );
  if (bad === -1) return keys;
  throw new Fault(`key ${bad + 1} is malformed; a key has ${MIN_STATIC_KEY_CHARS} to 128 visible ASCII characters`);
}

function amount(text: string): string {
  if (/^\d{1,12}(\.\d{1,8})?$/.test(text) && Number(text) > 0) return text;
  throw new Fault(`${quoted(text)} is no amount; write a plain number above 0 and below 1000000000000, like 100000`);
}

const smtpPort = (text: string) => (text === '' ? undefined : whole(0, 65_535)(text));

const SENDER = /^[^\s@<>"(),:;\\[\]]{0,64}@(?=.{4,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
function senders(text: string): readonly string[] {
  const bad = list(text).find((entry) => !SENDER.test(entry));
  if (bad === undefined) return list(text);
  throw new Fault(`${quoted(bad)} is no sender; write an address, or @example.com for everyone there`);
}

function botToken(text: string): string | undefined {
  if (text === '' || /^\d{1,20}:[\w-]{20,100}$/.test(text)) return text === '' ? undefined : text;
  throw new Fault('is no bot token; copy it whole from @BotFather, like 123456789:AA followed by letters');
}

function chats(text: string): readonly string[] {
  const bad = list(text).find((entry) => !/^(-?[1-9]\d{0,15}|@[A-Za-z]\w{3,31})$/.test(entry));
  if (bad === undefined) return list(text);
  throw new Fault(
    `${quoted(bad)} is no chat; write its number, like 123456789 or -1001234567890, or @name of a channel`,
  );
}

function oneChat(text: string): string | undefined {
  const [chat, ...more] = chats(text);
  if (more.length === 0) return chat;
  throw new Fault('names several chats; choose one, and list the others in TELEGRAM_ALLOWED_CHATS');
}

const plain = <T>(kind: string, fallback: string, about: string, feature: string, read: (text: string) => T) =>
  ({ kind, fallback, about, feature, read }) satisfies Setting<T>;
const secret = <T>(kind: string, about: string, feature: string, read: (text: string) => T) =>
  ({ kind, fallback: '', about, feature, read, secret: true }) satisfies Setting<T>;

const MODES = choice(['paper'], ['testnet', 'live']);
const venueMode = (text: string) => (text === '' ? undefined : MODES(text));
const venue = (name: string) =>
  plain('`paper`', '', `Trading mode of ${name}; unset means what TRADING_MODE says.`, 'trading', venueMode);

/** Every setting of this release. `docs/settings.md` shows this table, and a test keeps the two equal. */
// biome-ignore format: a table is easier to compare with one row per line
const SETTINGS = {
  HOST: plain('address or host name', '127.0.0.1', 'Address to listen on. Any address that is not loopback needs INTERNAL_TOKEN and ADMIN_TOKEN.', 'server', host),
  PORT: plain('0–65535', '8787', 'Port to listen on; 0 takes any free port.', 'server', whole(0, 65_535)),
  BASE_URL: plain('web address', '', 'The address under which others reach this instance; unset means the address it listens on.', 'server', baseUrl),
  ENVIRONMENT: plain('`development`, `staging` or `production`', 'development', 'Name of this installation, shown in /health.', 'server', choice(['development', 'staging', 'production'])),
  SERVICES: plain('comma list of `gateway`', 'gateway', 'The services this process runs.', 'server', services),
  DATA_DIR: plain('folder', './data', 'Where the databases live. Back this folder up.', 'storage', folder),
  LOG_LEVEL: plain('`debug`, `info`, `warn`, `error` or `silent`', 'info', 'How much is logged.', 'server', choice(['debug', 'info', 'warn', 'error', 'silent'])),
  DRAIN_TIMEOUT_S: plain('0–300', '10', 'Seconds that requests in flight get to finish when the process is asked to stop.', 'server', seconds(0, 300)),
  INTERNAL_TOKEN: secret('16–512 characters', 'Token for the internal endpoints (/wallet, /agent, /email-signal, /query, /signals, /trades, /positions, /admin). Unset: only direct loopback clients are served.', 'access', token),
  ADMIN_TOKEN: secret('16–512 characters', 'Token for minting API keys; empty means minting is disabled.', 'access', token),
  WEBHOOK_API_KEYS: secret('comma list of keys, 8–128 characters each', 'Webhook keys that exist besides those made with `signalbox keys create`.', 'access', staticKeys),
  IP_ALLOWLIST: plain('comma list of addresses, CIDR ranges, `tradingview`', '', 'First value of the list of senders that may signal; empty means anyone with a key.', 'access', list),
  TRUSTED_PROXIES: plain('comma list of addresses, CIDR ranges', '', 'Reverse proxies whose X-Forwarded-For is believed.', 'access', list),
  WEBHOOK_RATE_PER_MINUTE: plain('0–1000000', '120', 'First value of the signals a webhook key may send per minute; 0 means no limit.', 'webhook', whole(0, 1_000_000)),
  QUEUE_MODE: plain('`direct`, `async` or `failover`', 'failover', 'First value of the queue mode: answer after the trade, before it, or before it only when the venue is unreachable.', 'webhook', choice(['direct', 'async', 'failover'])),
  SIGNAL_MAX_AGE_S: plain('1–86400', '60', 'Seconds after which a queued signal expires instead of trading late.', 'webhook', seconds(1, 86_400)),
  IDEMPOTENCY_WINDOW_S: plain('1–2592000', '86400', 'Seconds during which a repeated idempotencyKey is a duplicate.', 'webhook', seconds(1, 2_592_000)),
  SMTP_PORT: plain('0–65535', '', 'Port on which mail with signals is taken; 0 takes any free port, unset means no mail.', 'mail', smtpPort),
  SMTP_HOST: plain('address or host name', '127.0.0.1', 'Address on which mail is taken.', 'mail', host),
  SMTP_ALLOWED_SENDERS: plain('comma list of addresses and `@domain`', '', 'Whose mail may trade, by the From line. SMTP_PORT needs it.', 'mail', senders),
  SMTP_AUTH_POLICY: plain('`require` or `off`', 'require', 'Whether a mail must prove its From domain by SPF or DKIM. `off` leaves that to the mail server in front, and is only possible on a loopback SMTP_HOST.', 'mail', choice(['require', 'off'])),
  SMTP_MAX_AGE_S: plain('10–86400', '600', 'Seconds after its Date during which a mail may trade.', 'mail', seconds(10, 86_400)),
  TELEGRAM_BOT_TOKEN: secret('token from @BotFather', 'Token of the Telegram bot. Unset: notifications are lines in the log.', 'chat', botToken),
  TELEGRAM_API_ROOT: plain('web address', 'https://api.telegram.org', 'Where the Bot API is; change it for a Bot API server of your own.', 'chat', (text) => webUrl(text).href.replace(/\/+$/, '')),
  TELEGRAM_DEFAULT_CHAT: plain('chat number or `@channel`', '', 'Chat of the owner: gets every outcome and alarm, and each `notify` without a chatId. Counts as allowed.', 'chat', oneChat),
  TELEGRAM_ALLOWED_CHATS: plain('comma list of chat numbers, `@channel`', '', 'The only chats the bot writes to and takes commands from, besides the default chat.', 'chat', chats),
  TRADING_MODE: plain('`paper`', 'paper', 'Paper trades on simulated accounts; no real order leaves the machine.', 'trading', MODES),
  BINANCE_MODE: venue('Binance'),
  BYBIT_MODE: venue('Bybit'),
  MEXC_MODE: venue('MEXC'),
  PAPER_BALANCE: plain('amount in USDT', '100000', 'Starting balance of each paper account.', 'trading', amount),
  PAPER_POSITION_MODE: plain('`one-way` or `hedge`', 'one-way', 'Whether a paper account may hold a long and a short in one market.', 'trading', choice(['one-way', 'hedge'])),
  MARKET_DATA: plain('`simulated`', 'simulated', 'Where prices come from; simulated prices are labelled as such everywhere.', 'market data', choice(['simulated'], ['binance', 'bybit', 'mexc'])),
  MARKET_SEED: plain('0–4294967295', '1', 'Seed of the simulated market: the same seed gives the same prices.', 'market data', whole(0, 4_294_967_295)),
};

type SettingName = keyof typeof SETTINGS;
type Values = { [K in SettingName]: ReturnType<(typeof SETTINGS)[K]['read']> };
const NAMES = Object.keys(SETTINGS) as SettingName[];

/** Named in the documentation for later releases: setting one must not look as if it worked. */
const UNREAD_NAMES = [
  ...[
    'ALLOWED_ORIGINS',
    'DATABASE_URL',
    'REDIS_URL',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
  ],
  ...['GOOGLE_API_KEY', 'GOOGLE_BASE_URL', 'LOCAL_MODEL_URL', 'AGENT_PROVIDERS', 'AGENT_MODELS', 'USAGE_WINDOW_DAYS'],
  'USAGE_RESET',
  ...['BINANCE', 'BYBIT', 'MEXC'].flatMap((name) => [`${name}_API_KEY`, `${name}_API_SECRET`, `${name}_BASE_URL`]),
  ...['RPC_ETHEREUM', 'RPC_ARBITRUM', 'RPC_POLYGON', 'WALLET_PRIVATE_KEY', 'WALLET_KEYSTORE', 'WALLET_PASSWORD'],
  ...['WALLET_MAX_VALUE_WEI', 'WALLET_ALLOWED_CONTRACTS', 'STORE_BACKEND'],
  ...['API_KEY_STORE', 'API_KEY_STORE_SQLITE', 'API_KEYS', 'SCRIPT_DATABASE', 'ALLOW_OPEN_KEYS', 'REQUIRE_RUN_AUTH'],
  ...['GITHUB_OAUTH_CLIENT_ID', 'GITLAB_OAUTH_CLIENT_ID', 'FREE_RATE_LIMIT', 'FREE_MAX_BARS'],
  ...['FREE_MAX_SCRIPT_CHARS', 'RUN_TIMEOUT_S'],
];

export interface LoadOptions {
  /** The text of the `.env` file, when there is one. */
  readonly dotEnvText?: string | undefined;
  /** Says in words what is wrong with one address or CIDR range, or nothing when it is right. */
  readonly checkAddressEntry: (entry: string) => string | undefined;
}

export interface ShownSetting {
  readonly name: string;
  /** Secrets are masked here already, so that this can be printed anywhere. */
  readonly value: string;
  readonly source: SettingSource;
}

export type Config = Readonly<ReturnType<typeof assemble>>;

/** Reads every setting from the environment, then `.env`, then the default; an empty value counts as not set. */
export function loadConfig(env: Environment, { dotEnvText = '', checkAddressEntry }: LoadOptions): Config {
  const faults: string[] = [];
  const dotEnv = parseDotEnv(dotEnvText, faults);
  const shown: ShownSetting[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of NAMES) {
    const setting: Setting<unknown> = SETTINGS[name];
    const { text, source } = lookUp(name, setting.fallback, env, dotEnv);
    shown.push({ name, value: setting.secret && text !== '' ? '********' : text, source });
    try {
      values[name] = setting.read(text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${name}: ${error.message}.`);
    }
  }
  const read = values as Partial<Values>;
  faults.push(...addressFaults(read, checkAddressEntry), ...exposureFaults(read, shown), ...mailFaults(read));
  if (faults.length > 0) throw new ConfigError(faults);
  // Every setting was read without a fault, so none is missing.
  const complete = read as Values;
  return deepFreeze(assemble(complete, shown, warningsFor(complete, { ...Object.fromEntries(dotEnv), ...env })));
}

function lookUp(name: string, fallback: string, env: Environment, dotEnv: ReadonlyMap<string, string>) {
  const source: SettingSource = env[name] !== undefined ? 'environment' : dotEnv.has(name) ? '.env' : 'default';
  const text = (env[name] ?? dotEnv.get(name) ?? '').trim();
  return text === '' ? { text: fallback, source: 'default' as const } : { text, source };
}

function assemble(values: Values, settings: readonly ShownSetting[], warnings: readonly string[]) {
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    environment: values.ENVIRONMENT,
    services: values.SERVICES,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    drainTimeoutMs: values.DRAIN_TIMEOUT_S,
    internalToken: values.INTERNAL_TOKEN,
    adminToken: values.ADMIN_TOKEN,
    webhookApiKeys: values.WEBHOOK_API_KEYS,
    ipAllowlist: values.IP_ALLOWLIST,
    trustedProxies: values.TRUSTED_PROXIES,
    webhookRatePerMinute: values.WEBHOOK_RATE_PER_MINUTE,
    queueMode: values.QUEUE_MODE,
    signalMaxAgeMs: values.SIGNAL_MAX_AGE_S,
    idempotencyWindowMs: values.IDEMPOTENCY_WINDOW_S,
    smtpPort: values.SMTP_PORT,
    smtpHost: values.SMTP_HOST,
    smtpAllowedSenders: values.SMTP_ALLOWED_SENDERS,
    smtpAuthPolicy: values.SMTP_AUTH_POLICY,
    smtpMaxAgeMs: values.SMTP_MAX_AGE_S,
    telegram: {
      token: values.TELEGRAM_BOT_TOKEN,
      apiRoot: values.TELEGRAM_API_ROOT,
      defaultChat: values.TELEGRAM_DEFAULT_CHAT,
      allowedChats: values.TELEGRAM_ALLOWED_CHATS,
    },
    venueModes: {
      binance: values.BINANCE_MODE ?? values.TRADING_MODE,
      bybit: values.BYBIT_MODE ?? values.TRADING_MODE,
      mexc: values.MEXC_MODE ?? values.TRADING_MODE,
    },
    /** Decimal text, in USDT. */
    paperBalance: values.PAPER_BALANCE,
    paperPositionMode: values.PAPER_POSITION_MODE,
    marketData: values.MARKET_DATA,
    marketSeed: values.MARKET_SEED,
    warnings,
    settings,
  };
}

function addressFaults(values: Partial<Values>, check: LoadOptions['checkAddressEntry']): string[] {
  const faults = (name: 'IP_ALLOWLIST' | 'TRUSTED_PROXIES', words: readonly string[]) =>
    (values[name] ?? []).flatMap((entry) => {
      const fault = words.includes(entry.toLowerCase()) ? undefined : check(entry);
      return fault === undefined ? [] : [`${name}: ${quoted(entry)}: ${fault.replace(/\.$/, '')}.`];
    });
  return [...faults('IP_ALLOWLIST', ['tradingview']), ...faults('TRUSTED_PROXIES', [])];
}

/** Listening beyond this machine without tokens would let the whole network read trades and switch trading. */
function exposureFaults({ HOST }: Partial<Values>, shown: readonly ShownSetting[]): string[] {
  if (HOST === undefined || isLoopback(HOST)) return [];
  const missing = shown
    .filter(({ name, value }) => (name === 'INTERNAL_TOKEN' || name === 'ADMIN_TOKEN') && value === '')
    .map(({ name }) => name);
  if (missing.length === 0) return [];
  return [
    `HOST: ${HOST} can be reached from other machines, and without ${missing.join(' and ')} anyone there could see and steer your trades. ` +
      `Set ${missing.join(' and ')} (for example from "openssl rand -hex 32"), or set HOST=127.0.0.1.`,
  ];
}

/** A From line is only text: without a list and a proof, whoever reaches the port could trade. */
function mailFaults({ SMTP_PORT, SMTP_HOST, SMTP_ALLOWED_SENDERS, SMTP_AUTH_POLICY }: Partial<Values>): string[] {
  if (SMTP_PORT === undefined) return [];
  const faults: string[] = [];
  if (SMTP_ALLOWED_SENDERS?.length === 0)
    faults.push('SMTP_ALLOWED_SENDERS: is empty, so no mail could trade; list your senders, or unset SMTP_PORT.');
  if (SMTP_AUTH_POLICY === 'off' && SMTP_HOST !== undefined && !isLoopback(SMTP_HOST))
    faults.push(
      `SMTP_AUTH_POLICY: off on ${SMTP_HOST} would let others trade in your name; use require, or a loopback SMTP_HOST.`,
    );
  return faults;
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

function warningsFor(values: Values, given: Environment): string[] {
  const unread = UNREAD_NAMES.filter((name) => (given[name] ?? '') !== '');
  const warnings = unread.map((name) => `${name} is set but nothing in this release reads it.`);
  if (values.WEBHOOK_API_KEYS.some((key) => key.length < MIN_TOKEN_CHARS))
    warnings.push(
      `WEBHOOK_API_KEYS holds a short key that could be guessed; use at least ${MIN_TOKEN_CHARS} characters.`,
    );
  const hasChats = values.TELEGRAM_DEFAULT_CHAT !== undefined || values.TELEGRAM_ALLOWED_CHATS.length > 0;
  if (hasChats && values.TELEGRAM_BOT_TOKEN === undefined)
    warnings.push('Telegram chats are set but TELEGRAM_BOT_TOKEN is not: notifications go to the log.');
  if (!hasChats && values.TELEGRAM_BOT_TOKEN !== undefined)
    warnings.push(
      'TELEGRAM_BOT_TOKEN is set but no chat is allowed: set TELEGRAM_DEFAULT_CHAT or TELEGRAM_ALLOWED_CHATS.',
    );
  const botApi = new URL(values.TELEGRAM_API_ROOT);
  if (botApi.protocol === 'http:' && !isLoopback(botApi.hostname))
    warnings.push('TELEGRAM_API_ROOT is not https: the bot token could be read on the way; use https.');
  const address = values.BASE_URL === undefined ? undefined : new URL(values.BASE_URL).hostname;
  if (address !== undefined && !isLoopback(address) && values.INTERNAL_TOKEN === undefined)
    warnings.push(
      'BASE_URL is public but INTERNAL_TOKEN is not set: behind a proxy that adds no X-Forwarded-For, everyone would look ' +
        'like a local client to the internal endpoints; set INTERNAL_TOKEN.',
    );
  return warnings;
}

const DOT_ENV_LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([^'"].*)?)$/;
const AFTER_QUOTES = /^((?:export\s+)?[A-Za-z_]\w*\s*=\s*(?:'[^']*'|"(?:[^"\\]|\\.)*"))\s+#.*$/;

/** `KEY=value` per line; quotes, comments and a leading `export` are understood, the last of two equal names counts. */
function parseDotEnv(text: string, faults: string[]): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  if (text.length > MAX_DOT_ENV_CHARS) {
    faults.push(`.env: is longer than ${MAX_DOT_ENV_CHARS} characters; keep only settings in it.`);
    return entries;
  }
  for (const [index, rawLine] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = rawLine.trim().replace(AFTER_QUOTES, '$1');
    if (line === '' || line.startsWith('#')) continue;
    const [, name, single, double, bare = ''] = DOT_ENV_LINE.exec(line) ?? [];
    if (name === undefined)
      faults.push(`.env: line ${index + 1} is not understood; write NAME=value, with matching quotes if any.`);
    else entries.set(name, single ?? (double === undefined ? bare.replace(/(^|\s)#.*$/, '') : unescaped(double)));
  }
  return entries;
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

export interface SettingRow {
  readonly name: string;
  readonly fallback: string;
  readonly kind: string;
  readonly about: string;
  readonly feature: string;
  readonly secret: boolean;
}

export function settingsTable(): readonly SettingRow[] {
  return NAMES.map((name) => {
    const { fallback, kind, about, feature, secret = false }: Setting<unknown> = SETTINGS[name];
    return { name, fallback, kind, about, feature, secret };
  });
}

/** The table of docs/settings.md. */
export function settingsMarkdown(): string {
  const rows = settingsTable().map(
    ({ name, fallback, kind, about, feature, secret }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${kind} | ${about}${secret ? ' Secret.' : ''} | ${feature} |`,
  );
  return ['| setting | default | values | meaning | read by |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Every setting with its value and where it came from, secrets masked, for `signalbox doctor`. */
export function maskedSettings(config: Config): readonly ShownSetting[] {
  return config.settings;
}

// The only place where settings are read: one table, one frozen Config, and every mistake told at once with its remedy.

import {
  addressFaults,
  backupFaults,
  type CheckAddress,
  databaseFaults,
  exposureFaults,
  mailFaults,
  noticeFaults,
  storeFaults,
  warningsFor,
} from './config/cross-checks.ts';
import { parseDotEnv } from './config/dot-env.ts';
import { Fault } from './config/readers.ts';
import { NAMES, SETTINGS, type Setting, type SettingName, type Values } from './config/settings.ts';
import { type SpelledLike, unknownNames } from './config/unknown-names.ts';
import { venueFaults, venueSettings, venueWarnings } from './config/venue-settings.ts';

export type { SettingName };

export type SettingSource = 'environment' | '.env' | 'default';
export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  readonly faults: readonly string[];

  /** `title`: where no single setting is at fault. */
  constructor(faults: readonly string[], title?: string) {
    const what = faults.length === 1 ? 'one setting needs' : `${faults.length} settings need`;
    const above = title ?? `Signalbox cannot start: ${what} your attention.`;
    super(`${above}\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = Object.freeze([...faults]);
  }
}

export interface LoadOptions {
  /** The text of the `.env` file, when there is one. */
  readonly dotEnvText?: string | undefined;
  readonly checkAddressEntry: CheckAddress;
  /** Whether the owner has a password in this data folder: then his sessions let him in without INTERNAL_TOKEN. */
  readonly hasPassword?: (dataDir: string) => boolean;
  /** Finds the setting that a misspelled name was meant for. */
  readonly spelledLike?: SpelledLike;
  /** Tells the faults of settings that only their own parts can read whole. */
  readonly checkParts?: (parts: { agent: AgentSettings; wallet: WalletSettings }) => readonly string[];
}

export interface ShownSetting {
  readonly name: string;
  /** Secrets are masked here already, so that this can be printed anywhere. */
  readonly value: string;
  readonly source: SettingSource;
}

export type Config = Readonly<ReturnType<typeof assemble>>;

/** Reads every setting from the environment, then `.env`, then the default; an empty value counts as not set. */
export function loadConfig(env: Environment, options: LoadOptions): Config {
  const { dotEnvText = '', checkAddressEntry, spelledLike = () => undefined, checkParts = () => [] } = options;
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
  const unset = shown.filter(({ value }) => value === '').map(({ name }) => name);
  const missingTokens = ['INTERNAL_TOKEN', 'ADMIN_TOKEN'].filter((name) => unset.includes(name));
  faults.push(...addressFaults(read, checkAddressEntry), ...exposureFaults(read, missingTokens, options.hasPassword));
  faults.push(
    ...mailFaults(read),
    ...noticeFaults(read),
    ...storeFaults(read),
    ...databaseFaults(read),
    ...backupFaults(read),
    ...venueFaults(read),
  );
  if (faults.length === 0) {
    const parts = { agent: agentSettings(read as Values), wallet: walletSettings(read as Values) };
    faults.push(...checkParts(parts).map((fault) => `${fault.replace(/\.$/, '')}.`));
  }
  if (faults.length > 0) throw new ConfigError(faults);
  // Every setting was read without a fault, so none is missing.
  const complete = read as Values;
  const warnings = [
    ...unknownNames(dotEnv.keys(), Object.keys(env), spelledLike),
    ...warningsFor(complete),
    ...venueWarnings(complete),
  ];
  return deepFreeze(assemble(complete, shown, warnings));
}

export type AgentSettings = ReturnType<typeof agentSettings>;

const agentSettings = (values: Values) => ({
  providers: values.AGENT_PROVIDERS,
  models: values.AGENT_MODELS,
  prices: values.AGENT_PRICES,
  timeoutMs: values.AGENT_TIMEOUT_S,
  toolPolicy: values.AGENT_TOOLS,
  usageWindowDays: values.USAGE_WINDOW_DAYS,
  access: {
    openai: { apiKey: values.OPENAI_API_KEY, baseUrl: values.OPENAI_BASE_URL },
    anthropic: { apiKey: values.ANTHROPIC_API_KEY, baseUrl: values.ANTHROPIC_BASE_URL },
    google: { apiKey: values.GOOGLE_API_KEY, baseUrl: values.GOOGLE_BASE_URL },
    local: { apiKey: values.LOCAL_MODEL_KEY, baseUrl: values.LOCAL_MODEL_URL },
  },
});

export type WalletSettings = ReturnType<typeof walletSettings>;

const walletSettings = (values: Values) => ({
  rpcUrls: { ethereum: values.RPC_ETHEREUM, arbitrum: values.RPC_ARBITRUM, polygon: values.RPC_POLYGON },
  privateKey: values.WALLET_PRIVATE_KEY,
  keystore: values.WALLET_KEYSTORE,
  password: values.WALLET_PASSWORD,
  token: values.WALLET_TOKEN,
  maxValueWei: values.WALLET_MAX_VALUE_WEI,
  dailyLimitWei: values.WALLET_DAILY_LIMIT_WEI,
  caps: values.WALLET_CAPS,
  maxPriceImpactBps: values.WALLET_MAX_PRICE_IMPACT_BPS,
  allowedContracts: values.WALLET_ALLOWED_CONTRACTS,
  stuckAfterMs: values.WALLET_STUCK_S,
});

export type NoticeSettings = ReturnType<typeof noticeSettings>;

/** The owner's channels, each undefined where it is not set, and the daily report. */
const noticeSettings = (values: Values) => ({
  discord: values.DISCORD_WEBHOOK_URL && { url: values.DISCORD_WEBHOOK_URL, topics: values.DISCORD_NOTICES },
  ntfy: values.NTFY_TOPIC && {
    server: values.NTFY_URL,
    topic: values.NTFY_TOPIC,
    token: values.NTFY_TOKEN,
    topics: values.NTFY_NOTICES,
  },
  mail: values.MAIL_HOST && {
    host: values.MAIL_HOST,
    port: values.MAIL_PORT,
    tls: values.MAIL_TLS,
    user: values.MAIL_USER,
    password: values.MAIL_PASSWORD,
    from: values.MAIL_FROM as string,
    to: values.MAIL_TO,
    topics: values.MAIL_NOTICES,
  },
  webhook: values.NOTIFY_WEBHOOK_URL && {
    url: values.NOTIFY_WEBHOOK_URL,
    secret: values.NOTIFY_WEBHOOK_SECRET as string,
    topics: values.NOTIFY_WEBHOOK_NOTICES,
  },
  report: { atMinutes: values.DAILY_REPORT_AT, zone: values.DAILY_REPORT_ZONE },
});

const analysisSettings = (values: Values) => ({
  store: values.STORE_BACKEND,
  longJobs: values.LONG_JOBS,
  jsonPath: values.API_KEY_STORE,
  sqlitePath: values.API_KEY_STORE_SQLITE,
  usageReset: values.USAGE_RESET,
  freeRatePerMinute: values.FREE_RATE_LIMIT,
  limits: {
    maxBars: values.FREE_MAX_BARS,
    maxScriptChars: values.FREE_MAX_SCRIPT_CHARS,
    runTimeoutMs: values.RUN_TIMEOUT_S,
  },
});

/** What binds entries on testnet and live accounts. */
const liveGuardSettings = (values: Values) => ({
  staleQuoteMs: values.STALE_QUOTE_S,
  priceThroughPercent: values.MAX_PRICE_THROUGH_PERCENT,
  spreadPercent: values.MAX_SPREAD_PERCENT,
});

const backupSettings = (values: Values) => ({
  everyMs: values.BACKUP_EVERY,
  folder: values.BACKUP_DIR,
  keep: values.BACKUP_KEEP,
  passphrase: values.SIGNALBOX_BACKUP_PASSPHRASE,
});

const traceSettings = (values: Values) => ({
  endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
  headers: values.OTEL_EXPORTER_OTLP_HEADERS,
  serviceName: values.OTEL_SERVICE_NAME,
});

const scriptSettings = (values: Values) => ({
  keyStore: values.API_KEYS,
  database: values.SCRIPT_DATABASE,
  allowOpenKeys: values.ALLOW_OPEN_KEYS,
  requireRunAuth: values.REQUIRE_RUN_AUTH,
  clientIds: { github: values.GITHUB_OAUTH_CLIENT_ID, gitlab: values.GITLAB_OAUTH_CLIENT_ID },
  webhookAllow: values.DEPLOYMENT_WEBHOOK_ALLOW,
});

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
    backup: backupSettings(values),
    traces: traceSettings(values),
    logLevel: values.LOG_LEVEL,
    drainTimeoutMs: values.DRAIN_TIMEOUT_S,
    internalToken: values.INTERNAL_TOKEN,
    adminToken: values.ADMIN_TOKEN,
    webhookApiKeys: values.WEBHOOK_API_KEYS,
    ipAllowlist: values.IP_ALLOWLIST,
    trustedProxies: values.TRUSTED_PROXIES,
    webhookRatePerMinute: values.WEBHOOK_RATE_PER_MINUTE,
    rateLimits: values.RATE_LIMITS,
    queueMode: values.QUEUE_MODE,
    signalMaxAgeMs: values.SIGNAL_MAX_AGE_S,
    positionCheck: values.TRADINGVIEW_POSITION_CHECK,
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
    notices: noticeSettings(values),
    venues: venueSettings(values),
    masterKey: values.SIGNALBOX_MASTER_KEY,
    allowWithdrawalKeys: values.ALLOW_WITHDRAWAL_KEYS,
    leavePositions: values.LEAVE_POSITIONS,
    confirmFirstLiveOrder: values.CONFIRM_FIRST_LIVE_ORDER,
    /** Decimal text, in USDT. */
    paperBalance: values.PAPER_BALANCE,
    paperAccounts: values.PAPER_ACCOUNTS,
    paperPositionMode: values.PAPER_POSITION_MODE,
    paperTwin: values.PAPER_TWIN,
    liveGuards: liveGuardSettings(values),
    drawdownLimitPercent: values.DRAWDOWN_LIMIT_PERCENT,
    drawdownFreezesWallet: values.DRAWDOWN_FREEZES_WALLET,
    protectionAtVenue: values.PROTECTION_AT_VENUE,
    unprotectedPositions: values.UNPROTECTED_POSITIONS,
    marketData: values.MARKET_DATA,
    liveBars: values.LIVE_BARS,
    marketSeed: values.MARKET_SEED,
    simulatedSymbols: values.SIMULATED_SYMBOLS,
    marketDataUrls: { restUrl: values.MARKET_DATA_REST_URL, wsUrl: values.MARKET_DATA_WS_URL },
    allowedOrigins: values.ALLOWED_ORIGINS,
    databaseUrl: values.DATABASE_URL,
    processUrl: values.PROCESS_URL,
    queryDatabaseUrl: values.QUERY_DATABASE_URL,
    scriptDatabaseUrl: values.SCRIPT_DATABASE_URL,
    redisUrl: values.REDIS_URL,
    analysis: analysisSettings(values),
    scripts: scriptSettings(values),
    agent: agentSettings(values),
    wallet: walletSettings(values),
    warnings,
    settings,
  };
}

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

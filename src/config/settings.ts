// Every setting of this release in one table: its form, its default, what it is for, and who reads it.

import { EXCHANGE_ROWS, EXCHANGES, type SettingPrefix, settingPrefix } from '../exchanges/exchange.ts';
import { accountsToLeave } from './accounts-to-leave.ts';
import { POSITION_MODES, paperAccounts } from './paper-accounts.ts';
import {
  amount,
  baseUrl,
  botToken,
  chats,
  choice,
  clientId,
  duration,
  folder,
  host,
  hostPorts,
  list,
  mailAddress,
  mailAddresses,
  noticeTopics,
  ntfyTopic,
  oneChat,
  optionalFile,
  origins,
  passphrase,
  percent,
  postgresUrl,
  processUrl,
  providerKey,
  redisUrl,
  seconds,
  secretText,
  secretUrl,
  senders,
  services,
  smtpPort,
  socketUrl,
  staticKeys,
  strongToken,
  timeOfDay,
  timeZone,
  token,
  traceHeaders,
  venueKey,
  venueSecret,
  venueUrl,
  webUrl,
  wei,
  whole,
  words,
  yesOrNo,
} from './readers.ts';
import { simulatedSymbols } from './simulated-symbols.ts';

export interface Setting<T> {
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

const plain = <T>(kind: string, fallback: string, about: string, feature: string, read: (text: string) => T) =>
  ({ kind, fallback, about, feature, read }) satisfies Setting<T>;
const secret = <T>(kind: string, about: string, feature: string, read: (text: string) => T) =>
  ({ kind, fallback: '', about, feature, read, secret: true }) satisfies Setting<T>;

const notices = (where: string) =>
  plain(
    'comma list of `trades`, `refusals`, `alarms`, `report`',
    'trades,alarms,report',
    `What ${where} is told.`,
    'notices',
    noticeTopics,
  );
const MODES = choice(['paper', 'testnet', 'live']);
const venueMode = (text: string) => (text === '' ? undefined : MODES(text));

type VenueSetting = 'MODE' | 'API_KEY' | 'API_SECRET' | 'BASE_URL';
const ofVenue = (name: string) =>
  ({
    MODE: plain(
      '`paper`, `testnet` or `live`',
      '',
      `Trading mode of ${name}; unset means what TRADING_MODE says.`,
      'trading',
      venueMode,
    ),
    API_KEY: secret(
      'key',
      `API key of the account \`main\` at ${name}, without the right to withdraw.`,
      'trading',
      venueKey,
    ),
    API_SECRET: secret('secret', 'Its secret; the two belong together.', 'trading', venueSecret),
    BASE_URL: plain(
      'web address',
      '',
      `Where ${name} is, if not at its own address: https, or http on this machine. It takes the place of the testnet’s address as well as of the live one: MODE alone says what the account is called.`,
      'trading',
      venueUrl,
    ),
  }) satisfies Record<VenueSetting, Setting<unknown>>;
type OfVenue = ReturnType<typeof ofVenue>;

const VENUE_SETTINGS = Object.fromEntries(
  EXCHANGES.flatMap((exchange) =>
    Object.entries(ofVenue(EXCHANGE_ROWS[exchange].title)).map(([name, of]) => [
      `${settingPrefix(exchange)}_${name}`,
      of,
    ]),
  ),
) as { [K in VenueSetting as `${SettingPrefix}_${K}`]: OfVenue[K] };
const MARKET_SOURCES = ['simulated', ...EXCHANGES] as const;
const SOURCES_IN_WORDS = MARKET_SOURCES.map((name) => `\`${name}\``)
  .join(', ')
  .replace(/, ([^,]+)$/, ' or $1');

/** Every setting of this release. `docs/settings.md` shows this table, and a test keeps the two equal. */
// biome-ignore format: a table is easier to compare with one row per line
export const SETTINGS = {
  HOST: plain('address or host name', '127.0.0.1', 'Address to listen on. Any address that is not loopback needs INTERNAL_TOKEN, or a password (`signalbox password`), and ADMIN_TOKEN.', 'server', host),
  PORT: plain('0–65535', '8787', 'Port to listen on; 0 takes any free port.', 'server', whole(0, 65_535)),
  BASE_URL: plain('web address', '', 'The address under which others reach this instance; unset means the address it listens on.', 'server', baseUrl),
  ENVIRONMENT: plain('`development`, `staging` or `production`', 'development', 'Name of this installation, shown in /health.', 'server', choice(['development', 'staging', 'production'])),
  SERVICES: plain('comma list of `gateway`, `analysis`, `scripts`, `dashboard`', 'gateway,analysis,scripts,dashboard', 'The services this process runs.', 'server', services),
  DATA_DIR: plain('folder', './data', 'Where the databases live. Back this folder up.', 'storage', folder),
  BACKUP_EVERY: plain('number with `m`, `h` or `d`, like `6h`', '', 'How often a running instance makes a backup of itself in BACKUP_DIR; unset means never. At least `15m`, at most `30d`.', 'storage', duration),
  BACKUP_DIR: plain('folder', '', 'Where backups go: a folder of its own, better on another disk. BACKUP_EVERY needs it; the dashboard and `signalbox backup` put their files there too.', 'storage', optionalFile),
  BACKUP_KEEP: plain('1–1000', '7', 'How many of the backups in BACKUP_DIR are kept when a running instance has made one by the clock; the oldest go.', 'storage', whole(1, 1000)),
  SIGNALBOX_BACKUP_PASSPHRASE: secret('16–512 characters', 'Encrypts every backup, and opens it again. Unset: backups are readable for whoever has the file, and hold no key files. Keep it apart from them: without it they are lost.', 'storage', passphrase),
  LOG_LEVEL: plain('`debug`, `info`, `warn`, `error` or `silent`', 'info', 'How much is logged.', 'server', choice(['debug', 'info', 'warn', 'error', 'silent'])),
  DRAIN_TIMEOUT_S: plain('0–300', '10', 'Seconds that requests in flight get to finish when the process is asked to stop.', 'server', seconds(0, 300)),
  OTEL_EXPORTER_OTLP_ENDPOINT: plain('web address', '', 'A collector of OpenTelemetry that takes OTLP over HTTP as JSON, such as http://127.0.0.1:4318: it is told the life of every signal as one trace. Unset means that nothing is told.', 'server', baseUrl),
  OTEL_EXPORTER_OTLP_HEADERS: secret('comma list of `name=value`', 'Headers for that collector, where it asks for some.', 'server', traceHeaders),
  OTEL_SERVICE_NAME: plain('text', 'signalbox', 'What this instance is called there.', 'server', (text) => text),
  INTERNAL_TOKEN: secret('1–512 characters; below 16 it warns', 'Token for the internal endpoints (/wallet, /agent, /email-signal, /query, /signals, /refusals, /trades, /positions, /admin). Unset: only direct loopback clients are served, and sessions of the dashboard.', 'access', token),
  ADMIN_TOKEN: secret('1–512 characters; below 16 it warns', 'Token for minting API keys; empty means minting is disabled.', 'access', token),
  WEBHOOK_API_KEYS: secret('comma list of keys, 8–128 characters each', 'Webhook keys that exist besides those made with `signalbox keys create`.', 'access', staticKeys),
  IP_ALLOWLIST: plain('comma list of addresses, CIDR ranges, `tradingview`', '', 'The senders that may signal; unset means the stored list, which is empty at first: anyone with a key.', 'access', list),
  TRUSTED_PROXIES: plain('comma list of addresses, CIDR ranges', '', 'Reverse proxies whose X-Forwarded-For is believed.', 'access', list),
  ALLOWED_ORIGINS: plain('comma list of origins, or `*`', '', 'Web pages that may use the analysis API and the script worker from a browser, besides those of localhost.', 'access', origins),
  WEBHOOK_RATE_PER_MINUTE: plain('0–1000000', '120', 'Signals a webhook key may send per minute, 0 means no limit; unset means the stored number, else the default.', 'webhook', whole(0, 1_000_000)),
  RATE_LIMITS: plain('`here` or `redis`', 'here', 'Where signals, wrong keys, entries and logins per minute are counted: by this process alone, or in Redis, together with every process that has the same one. While Redis is away each process counts alone.', 'webhook', choice(['here', 'redis'])),
  QUEUE_MODE: plain('`direct`, `async` or `failover`', 'failover', 'Answer after the trade, before it, or before it only when the venue is unreachable; unset means the stored mode, else the default.', 'webhook', choice(['direct', 'async', 'failover'])),
  SIGNAL_MAX_AGE_S: plain('1–86400', '60', 'Seconds after which a queued signal expires instead of trading late.', 'webhook', seconds(1, 86_400)),
  IDEMPOTENCY_WINDOW_S: plain('1–2592000', '86400', 'Seconds during which a repeated idempotencyKey or alertId is a duplicate.', 'webhook', seconds(1, 2_592_000)),
  TRADINGVIEW_POSITION_CHECK: plain('`off`, `alarm`, `refuse` or `catch_up`', 'alarm', 'What is done when a TradingView alert says that its strategy held something else before the order than it holds here: nothing, an alarm, a refusal, or sending what is missing first.', 'webhook', choice(['off', 'alarm', 'refuse', 'catch_up'])),
  SMTP_PORT: plain('0–65535', '', 'Port on which mail with signals is taken; 0 takes any free port, unset means no mail.', 'mail', smtpPort),
  SMTP_HOST: plain('address or host name', '127.0.0.1', 'Address on which mail is taken.', 'mail', host),
  SMTP_ALLOWED_SENDERS: plain('comma list of addresses and `@domain`', '', 'Whose mail may trade, by the From line. SMTP_PORT needs it.', 'mail', senders),
  SMTP_AUTH_POLICY: plain('`require` or `off`', 'require', 'Whether a mail must prove its From domain by SPF or DKIM. `off` leaves that to the mail server in front, and is only possible on a loopback SMTP_HOST.', 'mail', choice(['require', 'off'])),
  SMTP_MAX_AGE_S: plain('10–86400', '600', 'Seconds after its Date during which a mail may trade.', 'mail', seconds(10, 86_400)),
  TELEGRAM_BOT_TOKEN: secret('token from @BotFather', 'Token of the Telegram bot. Unset: notifications are lines in the log.', 'chat', botToken),
  TELEGRAM_API_ROOT: plain('web address', 'https://api.telegram.org', 'Where the Bot API is; change it for a Bot API server of your own.', 'chat', (text) => webUrl(text).href.replace(/\/+$/, '')),
  TELEGRAM_DEFAULT_CHAT: plain('chat number or `@channel`', '', 'Chat of the owner: gets every outcome and alarm, and each `notify` without a chatId. Counts as allowed.', 'chat', oneChat),
  TELEGRAM_ALLOWED_CHATS: plain('comma list of chat numbers, `@channel`', '', 'The only chats the bot writes to and takes commands from, besides the default chat.', 'chat', chats),
  DISCORD_WEBHOOK_URL: secret('web address', 'Webhook of a Discord channel, which is told what DISCORD_NOTICES says.', 'notices', secretUrl),
  DISCORD_NOTICES: notices('Discord'),
  NTFY_URL: plain('web address', 'https://ntfy.sh', 'The ntfy server.', 'notices', (text) => webUrl(text).href),
  NTFY_TOPIC: secret('1–64 letters, digits, `-`, `_`', 'Topic at the ntfy server, which is told what NTFY_NOTICES says. On a public server whoever knows it can read it.', 'notices', ntfyTopic),
  NTFY_TOKEN: secret('token', 'Access token of the ntfy server, where it asks for one.', 'notices', providerKey),
  NTFY_NOTICES: notices('ntfy'),
  MAIL_HOST: plain('address or host name', '', 'The mail server that sends notices to MAIL_TO; not the listener of SMTP_PORT.', 'notices', (text) => (text === '' ? undefined : host(text))),
  MAIL_PORT: plain('1–65535', '587', 'Its port; usually 587 with `starttls`, 465 with `tls`.', 'notices', whole(1, 65_535)),
  MAIL_TLS: plain('`starttls`, `tls` or `none`', 'starttls', 'How the connection to it is secured; without that nothing is sent.', 'notices', choice(['starttls', 'tls', 'none'])),
  MAIL_USER: plain('text', '', 'User at the mail server, where it asks for one.', 'notices', secretText),
  MAIL_PASSWORD: secret('text', 'Password of that user.', 'notices', secretText),
  MAIL_FROM: plain('mail address', '', 'Who the notices are from. MAIL_HOST needs it.', 'notices', mailAddress),
  MAIL_TO: plain('comma list of mail addresses', '', 'Who gets them. MAIL_HOST needs it.', 'notices', mailAddresses),
  MAIL_NOTICES: notices('MAIL_TO'),
  NOTIFY_WEBHOOK_URL: secret('web address', 'Address that gets each notice as signed JSON; it may be one of your own network.', 'notices', secretUrl),
  NOTIFY_WEBHOOK_SECRET: secret('16–512 characters', 'Signs those requests. NOTIFY_WEBHOOK_URL needs it.', 'notices', strongToken),
  NOTIFY_WEBHOOK_NOTICES: notices('that address'),
  DAILY_REPORT_AT: plain('time like `18:00`', '', 'When the report of the day is sent, to the default chat and the channels that want it; unset means never.', 'notices', timeOfDay),
  DAILY_REPORT_ZONE: plain('time zone like `Europe/Berlin`', 'UTC', 'The clock and calendar of that report.', 'notices', timeZone),
  TRADING_MODE: plain('`paper`, `testnet` or `live`', 'paper', 'The most that accounts may do: `paper` trades on simulated accounts, and no real order leaves the machine; `testnet` trades with the play money of the exchanges; `live` trades with REAL MONEY. An exchange without credentials is off then, never on paper.', 'trading', MODES),
  DRAWDOWN_LIMIT_PERCENT: plain('0–100', '0', 'Loss of a UTC day in percent of the equity at its start, of each account by itself, paper or real, at which its kill switch stops new positions on it; 0 means no guard.', 'trading', whole(0, 100)),
  DRAWDOWN_FREEZES_WALLET: plain('yes or no', 'no', 'Whether the switch that the drawdown guard throws stops the wallet too; the one over everything, thrown by hand, always does.', 'trading', yesOrNo),
  STALE_QUOTE_S: plain('1–3600', '10', 'Seconds that the best prices of a market may be old when something is opened on a testnet or live account; older ones, or none, open nothing and raise an alarm. Closing and stops go on.', 'trading', seconds(1, 3600)),
  MAX_PRICE_THROUGH_PERCENT: plain('0–100', '20', 'How far the limit price of an entry on a testnet or live account may be on the side of the market that costs money, in percent: a buy above the ask, a sell below the bid; 0 means no guard.', 'trading', percent),
  MAX_SPREAD_PERCENT: plain('0–100', '5', 'The widest spread that an entry without a limit price may go into on a testnet or live account, in percent of the middle between bid and ask; 0 means no guard.', 'trading', percent),
  PROTECTION_AT_VENUE: plain('yes or no', 'yes', 'Whether stop losses, trailing stops and take profits are also placed at the exchange, where it keeps stops (testnet and live accounts). They act there while Signalbox is down; Signalbox guards besides.', 'trading', yesOrNo),
  UNPROTECTED_POSITIONS: plain('`keep` or `close`', 'keep', 'What is done with a position whose stop the exchange has not taken for 60 seconds: it is kept and guarded by Signalbox alone, with an alarm, or it is closed.', 'trading', choice(['keep', 'close'])),
  ...VENUE_SETTINGS,
  SIGNALBOX_MASTER_KEY: secret('16–512 characters', 'Seals the credentials that `signalbox accounts add` stores, and the secret of one-time codes. Unset: the key in the file `master.key` of DATA_DIR, which is made when it is first needed. Keep a copy apart from the data folder: without it stored credentials are lost, and a login needs a recovery code.', 'trading', strongToken),
  ALLOW_WITHDRAWAL_KEYS: plain('yes or no', 'no', 'Whether an account may be opened with an API key that may withdraw. Better is a key that may not.', 'trading', yesOrNo),
  LEAVE_POSITIONS: plain('comma list of `exchange:account:mode`', '', 'Testnet and live accounts, such as `binance:main:live`, whose open positions and unfinished trades are to be left alone where the account is not opened any more; an alarm stands for each. Without it such a start is refused, because nobody would guard or close them.', 'trading', accountsToLeave),
  CONFIRM_FIRST_LIVE_ORDER: plain('yes or no', 'yes', 'Whether a live account opens nothing until its owner has said `signalbox accounts confirm` once; closes always pass.', 'trading', yesOrNo),
  PAPER_BALANCE: plain('amount in USDT', '100000', 'Starting balance of a paper account that PAPER_ACCOUNTS does not name.', 'trading', amount),
  PAPER_ACCOUNTS: plain('comma list of `exchange:name=amount` or `exchange:name=amount:mode`', '', 'Further paper accounts with their starting balances, such as `binance:scalp=5000`, or `binance:scalp=5000:hedge` with a position mode of its own; `main` is there at every exchange.', 'trading', paperAccounts),
  PAPER_POSITION_MODE: plain('`one-way` or `hedge`', 'one-way', 'Whether a paper account may hold a long and a short in one market: counts for every `main` and every account of PAPER_ACCOUNTS that has no mode there. An account with both sides of a market open stays `hedge`.', 'trading', choice(POSITION_MODES)),
  PAPER_TWIN: plain('yes or no', 'no', 'Whether every testnet and live account has a paper twin, which does the same on paper at the prices of its venue; `GET /performance/twin` tells the gap between the two, split into what made it.', 'trading', yesOrNo),
  MARKET_DATA: plain(SOURCES_IN_WORDS, 'simulated', 'Where the prices of paper accounts, charts and scripts come from; simulated prices are labelled as such everywhere. Testnet and live accounts, and deployments that trade them, go by their own venue.', 'market data', choice(MARKET_SOURCES)),
  MARKET_DATA_REST_URL: plain('web address', '', 'Where the REST interface of the market data is, if not at its venue: a proxy of your own.', 'market data', baseUrl),
  MARKET_DATA_WS_URL: plain('web socket address', '', 'The same for its live stream.', 'market data', socketUrl),
  LIVE_BARS: plain('`here` or `redis`', 'here', 'Who has the live streams of MARKET_DATA: each process its own, or one process for all that have the same Redis. While Redis is away each has its own.', 'market data', choice(['here', 'redis'])),
  MARKET_SEED: plain('0–4294967295', '1', 'Seed of the simulated market: the same seed gives the same prices.', 'market data', whole(0, 4_294_967_295)),
  SIMULATED_SYMBOLS: plain('comma list of `MARKET=price`', '', 'Markets that the simulated market has besides the usual ones, each with the price it wanders around, such as `NEWUSDT=0.5`.', 'market data', simulatedSymbols),
  DATABASE_URL: secret('address of a PostgreSQL database', 'Keeps trades, settings, keys and scripts in that PostgreSQL instead of in files of DATA_DIR: `postgres://user:password@host:5432/database`, with `?sslmode=require` or `verify-full` where it is on another machine.', 'storage', postgresUrl),
  PROCESS_URL: plain('web address', '', 'Where the other processes on the same DATABASE_URL reach this one, without a proxy in between. Unset: HOST and PORT, or the first address of this machine where HOST is 0.0.0.0.', 'storage', processUrl),
  SCRIPT_DATABASE_URL: secret('address of a PostgreSQL database', 'The same database under a role that can use the schema `strangers` alone, for the script process. Unset: Signalbox makes such a role at each start, for which the role of DATABASE_URL needs the right to make roles.', 'storage', postgresUrl),
  QUERY_DATABASE_URL: secret('address of a PostgreSQL database', 'The same database under a role with no rights of its own, for POST /query. Unset: Signalbox makes such a role when it is first needed.', 'storage', postgresUrl),
  REDIS_URL: secret('address of a Redis server', 'The Redis server for STORE_BACKEND=redis, API_KEYS=redis, LONG_JOBS=redis, RATE_LIMITS=redis and LIVE_BARS=redis.', 'storage', redisUrl),
  STORE_BACKEND: plain('`json`, `sqlite` or `redis`', 'json', 'Where the keys of the analysis API are kept, as hashes.', 'analysis', choice(['json', 'sqlite', 'redis'])),
  API_KEY_STORE: plain('file', '', 'The JSON file of STORE_BACKEND=json. Unset: /data/api_keys.json, or api_keys.json in DATA_DIR where /data cannot be made. A second instance of one machine needs its own.', 'analysis', optionalFile),
  API_KEY_STORE_SQLITE: plain('file', '', 'The database file of STORE_BACKEND=sqlite. Unset: api_keys.db beside the JSON file.', 'analysis', optionalFile),
  USAGE_RESET: plain('`monthly` or `never`', 'monthly', 'Whether the calls of an analysis key start again with each calendar month (UTC).', 'analysis', choice(['monthly', 'never'])),
  FREE_RATE_LIMIT: plain('0–1000000', '0', 'Scripts per minute that one address may run without a key on the free routes; 0 means no limit of ours.', 'analysis', whole(0, 1_000_000)),
  FREE_MAX_BARS: plain('1–1000000', '50000', 'Bars a run may have.', 'analysis', whole(1, 1_000_000)),
  FREE_MAX_SCRIPT_CHARS: plain('1–1048576', '262144', 'Characters a script may have.', 'analysis', whole(1, 1_048_576)),
  RUN_TIMEOUT_S: plain('1–300', '10', 'Seconds a script may run.', 'analysis', seconds(1, 300)),
  LONG_JOBS: plain('`here` or `redis`', 'here', 'Where parameter searches run: on the threads of this process, or on those of every process with the same Redis, such as `signalbox worker`; any of them that serves the analysis shows and cancels them.', 'analysis', choice(['here', 'redis'])),
  API_KEYS: plain('`sqlite`, `redis`, `memory` or `none`', 'sqlite', 'Where the keys of the script worker are kept; with DATABASE_URL `sqlite` means that PostgreSQL.', 'scripts', choice(['sqlite', 'redis', 'memory', 'none'])),
  SCRIPT_DATABASE: plain('`sqlite` or `none`', 'sqlite', 'The durable database for scripts and deployments; with DATABASE_URL `sqlite` means that PostgreSQL.', 'scripts', choice(['sqlite', 'none'])),
  ALLOW_OPEN_KEYS: plain('yes or no', '', 'With API_KEYS=none: any key opens the script worker. For demonstrations on one machine only.', 'scripts', yesOrNo),
  REQUIRE_RUN_AUTH: plain('yes or no', '', 'Whether POST /api/run needs a key even where no key store is bound.', 'scripts', yesOrNo),
  GITHUB_OAUTH_CLIENT_ID: plain('client id', '', 'OAuth application for signing in to GitHub by device; stands above a clientId that a client sends.', 'scripts', clientId),
  GITLAB_OAUTH_CLIENT_ID: plain('client id', '', 'The same for GitLab.', 'scripts', clientId),
  DEPLOYMENT_WEBHOOK_ALLOW: plain('comma list of host:port', '', 'Private or local addresses that webhooks of live deployments may call, such as your own gateway; public ones need no entry.', 'scripts', hostPorts),
  AGENT_PROVIDERS: plain('comma list of `openai`, `anthropic`, `google`, `local`', '', 'AI providers in the order they are asked. Unset: every one that has its key or address.', 'agent', words),
  AGENT_MODELS: plain('comma list of provider=model', '', 'The model of each provider; each has a default but `local`.', 'agent', words),
  AGENT_PRICES: plain('comma list of model=in/out', '', 'Prices in US dollars per million tokens, above those that are built in.', 'agent', words),
  AGENT_TIMEOUT_S: plain('1–600', '60', 'Seconds one provider gets for its answer.', 'agent', seconds(1, 600)),
  AGENT_TOOLS: plain('`on-request`, `never` or `always`', 'on-request', 'Whether the model may look at positions, trades, signals, bars and run scripts. What it sees goes to its provider.', 'agent', choice(['on-request', 'never', 'always'])),
  OPENAI_API_KEY: secret('key', 'Key for OpenAI.', 'agent', providerKey),
  OPENAI_BASE_URL: plain('web address', '', 'Where OpenAI is, if not at its own address.', 'agent', baseUrl),
  ANTHROPIC_API_KEY: secret('key', 'Key for Anthropic.', 'agent', providerKey),
  ANTHROPIC_BASE_URL: plain('web address', '', 'The same for Anthropic.', 'agent', baseUrl),
  GOOGLE_API_KEY: secret('key', 'Key for Google.', 'agent', providerKey),
  GOOGLE_BASE_URL: plain('web address', '', 'The same for Google.', 'agent', baseUrl),
  LOCAL_MODEL_URL: plain('web address', '', 'A server that speaks the OpenAI protocol, such as Ollama or llama.cpp: http://127.0.0.1:11434/v1.', 'agent', baseUrl),
  LOCAL_MODEL_KEY: secret('key', 'Key for that server, where it asks for one.', 'agent', providerKey),
  USAGE_WINDOW_DAYS: plain('1–366', '30', 'Days that GET /agent/usage looks back.', 'agent', whole(1, 366)),
  RPC_ETHEREUM: secret('comma list of web addresses', 'RPC endpoints of Ethereum, the first choice first; unset means that the chain is not used.', 'wallet', list),
  RPC_ARBITRUM: secret('comma list of web addresses', 'The same for Arbitrum.', 'wallet', list),
  RPC_POLYGON: secret('comma list of web addresses', 'The same for Polygon.', 'wallet', list),
  WALLET_PRIVATE_KEY: secret('64 hex digits', 'The signing key. Better is a key file, see `signalbox wallet import`.', 'wallet', secretText),
  WALLET_KEYSTORE: plain('file', '', 'The encrypted key file.', 'wallet', optionalFile),
  WALLET_PASSWORD: secret('text', 'The password of the key file.', 'wallet', secretText),
  WALLET_TOKEN: secret('16–512 characters', 'Token that every write of /wallet needs in the header X-Wallet-Token, besides the internal door. A signing key needs it.', 'wallet', strongToken),
  WALLET_MAX_VALUE_WEI: plain('digits or `none`', '1000000000000000000', 'The most native coin one transaction may send.', 'wallet', wei),
  WALLET_DAILY_LIMIT_WEI: plain('digits or `none`', '5000000000000000000', 'The most native coin a UTC day may send on one chain, fees not counted.', 'wallet', wei),
  WALLET_CAPS: plain('comma list of `chain:token=amount`', '', 'The most of a token that one transaction may spend or approve on a chain, in its smallest unit; the token is its address, or `native`, which replaces WALLET_MAX_VALUE_WEI there.', 'wallet', list),
  WALLET_MAX_PRICE_IMPACT_BPS: plain('1–10000', '300', 'How far a swap may move the price against itself, in hundredths of a percent; 10000 means any distance.', 'wallet', whole(1, 10_000)),
  WALLET_ALLOWED_CONTRACTS: plain('comma list of addresses', '', 'The only addresses that transactions may go to, with routers, recipients, spenders and tokens; empty means all.', 'wallet', list),
  WALLET_STUCK_S: plain('30–86400', '180', 'Seconds after which a transaction that no block took is replaced by one with a higher fee.', 'wallet', seconds(30, 86_400)),
};

export type SettingName = keyof typeof SETTINGS;
export type Values = { [K in SettingName]: ReturnType<(typeof SETTINGS)[K]['read']> };
export const NAMES = Object.keys(SETTINGS) as SettingName[];

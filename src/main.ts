// The composition root: chooses adapters, builds the services, listens, and stops in reverse order. Nobody imports it.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MailIntake } from './adapters/mail/smtp-intake.ts';
import { createSimulatedMarket } from './adapters/market-data/simulated/simulated-market.ts';
import { createConsoleNotifier } from './adapters/notifiers/console.ts';
import { checkDataDir } from './adapters/storage/sqlite/check-data-dir.ts';
import { lockDataDir, readInstanceNote } from './adapters/storage/sqlite/instance-lock.ts';
import { openDataStorage } from './adapters/storage/sqlite/open-data.ts';
import { createDataQueries } from './adapters/storage/sqlite/query/queries.ts';
import { openSettingsStorage } from './adapters/storage/sqlite/settings.ts';
import { openPaperVenue } from './adapters/venues/paper/paper-venue.ts';
import { connectOverHttp, connectThrough } from './cli/connect.ts';
import { greetingText } from './cli/greeting.ts';
import type { Connection, ConnectOptions, DoctorCheck, DoctorReport, ScriptLimits } from './cli/host.ts';
import { runCli } from './cli/index.ts';
import { openTerminal } from './cli/terminal.ts';
import { type Config, ConfigError, loadConfig, maskedSettings } from './config.ts';
import { createApp } from './http/app.ts';
import { createAddressList } from './http/client-address.ts';
import { nodeListener } from './http/door.ts';
import { createInternalGate } from './http/internal-auth.ts';
import { createLog, type Log } from './http/log.ts';
import { createMetrics } from './http/metrics.ts';
import { buildOpenApi } from './http/openapi.ts';
import { createRequestIds } from './http/request-id.ts';
import { listen } from './http/server.ts';
import { createTokenBuckets } from './http/token-bucket.ts';
import { createWebhookKeys } from './keys/webhook-keys.ts';
import type { ScriptRunner } from './library/script-runner.ts';
import { errorSchema, GATEWAY_ERRORS, GATEWAY_ROUTES, gatewayShape, mountGateway } from './services/gateway/index.ts';
import { allowlistFault, createGatewayLimits } from './services/gateway/limits.ts';
import type { SignalDeps } from './services/gateway/process-signal.ts';
import { createMailReceiver } from './services/gateway/receive-mail.ts';
import { mountOperations, OPERATIONS_ROUTES } from './services/operations/index.ts';
import { type Controls, createControls, type SettingsStore } from './trading/controls.ts';
import type { MailReceiver } from './trading/mail/mail-receiver.ts';
import { marketOf } from './trading/market-symbol.ts';
import { EXCHANGES } from './trading/signal.ts';
import { StorageError } from './trading/storage-error.ts';
import { createTradingDesk } from './trading/trading-desk.ts';

const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const VERSION = packageJson.version;
const MEBIBYTE = 1024 * 1024;
const FAILED_AUTH_PER_MINUTE = 30;
/** Recipients and refusals per address of a mail server: as many as a webhook key may send. */
const MAILS_PER_MINUTE = 120;
const MAX_MAIL_ADDRESSES = 10_000;

const nowMs = (): number => Date.now();
const monotonicMs = (): number => performance.now();

function readConfig(overrides: Record<string, string | undefined> = {}): Config {
  let dotEnvText: string | undefined;
  try {
    dotEnvText = readFileSync('.env', 'utf8');
  } catch {
    dotEnvText = undefined;
  }
  const checkAddressEntry = (entry: string): string | undefined => allowlistFault([entry]);
  return loadConfig({ ...process.env, ...overrides }, { dotEnvText, checkAddressEntry });
}

/** Everything but the socket. Without `trade` nothing is executed: that is the command line looking at a data folder. */
async function build(config: Config, log: Log, options: { trade: boolean }) {
  const lock = lockDataDir(config.dataDir);
  const undo: (() => Promise<void> | void)[] = [() => lock.release()];
  const tearDown = async (): Promise<void> => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const settingsStorage = openSettingsStorage(config.dataDir);
    undo.push(() => settingsStorage.close());
    const onDeath = (error: Error): void => {
      log.error({ err: error }, 'storage is lost; ending, so that whoever runs Signalbox restarts it');
      void log.close().finally(() => process.exit(1));
    };
    const data = await openDataStorage({ dataDir: config.dataDir, nowMs, onDeath });
    undo.push(() => data.close());
    const queries = createDataQueries(data);
    undo.push(() => queries.close());

    const controls = createControls({
      store: settingsStorage.settings,
      nowMs,
      initial: {
        killSwitch: { active: false, scope: 'all' },
        queueMode: config.queueMode,
        allowlist: config.ipAllowlist,
        limits: { webhookRatePerMinute: config.webhookRatePerMinute, failedAuthPerMinute: FAILED_AUTH_PER_MINUTE },
      },
    });
    const keys = createWebhookKeys({
      store: settingsStorage.webhookKeys,
      staticKeys: config.webhookApiKeys,
      nowMs,
      randomBytes,
      marketOf,
    });
    const prices = createSimulatedMarket({ seed: config.marketSeed, nowMs });
    const openVenue = (exchange: (typeof EXCHANGES)[number]) =>
      openPaperVenue({
        exchange,
        ledger: data.paperLedger,
        prices,
        nowMs,
        startingBalance: config.paperBalance,
        positionMode: config.paperPositionMode,
      });
    const venues = await Promise.all(EXCHANGES.map(openVenue));
    undo.push(() => Promise.all(venues.map((venue) => venue.close())).then(() => undefined));

    const telegram = options.trade ? await connectTelegram(config, controls, settingsStorage.settings, log) : undefined;
    if (telegram) undo.push(() => telegram.close());
    const onTrouble = (what: string, error: unknown, requestId?: string): void => {
      log.error({ err: error, requestId }, what);
      telegram?.onTrouble(what, error);
    };
    const desk = await createTradingDesk({
      ...createGatewayLimits(controls, monotonicMs),
      authenticate: keys.authenticate,
      journal: data.journal,
      signals: data.signals,
      outbox: data.outbox,
      notifier: telegram?.notifier ?? createConsoleNotifier((line) => log.info(line, 'notification')),
      ownerChat: telegram?.ownerChat,
      onAlarm: telegram?.onAlarm,
      venues,
      controls,
      nowMs,
      monotonicMs,
      signalMaxAgeMs: config.signalMaxAgeMs,
      idempotencyWindowMs: config.idempotencyWindowMs,
      onTrouble,
    });
    if (options.trade) undo.push(() => desk.stop(config.drainTimeoutMs));

    const metrics = createMetrics();
    const decisions = metrics.counter({
      name: 'signals_total',
      help: 'Signals by decision of the gates.',
      labels: ['decision'],
    });
    metrics.gauge({
      name: 'trades_in_lanes',
      help: 'Trades waiting or being executed.',
      collect: () => desk.backlog(),
    });
    metrics.gauge({ name: 'journal_commits', help: 'Durable commits since the start.', collect: () => data.commits() });
    const requestIds = createRequestIds({ nowMs, randomBytes });
    const gate = createInternalGate({ token: config.internalToken });
    const app = createApp({
      service: 'gateway',
      errors: GATEWAY_ERRORS,
      shape: gatewayShape,
      requestIds,
      trustedProxies: createAddressList(config.trustedProxies),
      log,
      metrics,
      defaultBodyLimitBytes: MEBIBYTE,
      nowMs: monotonicMs,
    });
    const webhook: SignalDeps = {
      keepers: desk.keepers,
      dispatcher: desk.dispatcher,
      resends: desk.resends,
      queueMode: () => controls.current().queueMode,
      nowMs,
      count: (decision) => decisions.inc({ decision }),
      onFault: (error, requestId) => onTrouble('a signal was not processed', error, requestId),
    };
    const mailReceiver = createMailReceiver({
      ...webhook,
      findByLabel: keys.findByLabel,
      nextRequestId: requestIds,
      maxAgeMs: config.smtpMaxAgeMs,
    });
    const doors = mountGateway(app, {
      gate,
      webhook,
      signals: { signals: data.signals, nowMs, onFault: webhook.onFault },
      trades: { journal: data.journal, prices },
      query: {
        queries,
        monotonicMs,
        log: (line) => log.info(line, 'query'),
        onFault: (error, requestId) => log.error({ err: error, requestId }, 'a query failed'),
      },
      admin: { keys, controls, settings: settingsStorage.settings, allowlistFault, nowMs },
    });
    mountOperations(app, {
      version: VERSION,
      environment: config.environment,
      mode: 'paper',
      prices: prices.label,
      metrics,
      gate,
      openApi: buildOpenApi({
        title: 'Signalbox',
        version: VERSION,
        description: 'Trade signals in, interlocking checks, trades out.',
        serverUrl: config.baseUrl,
        routes: [...GATEWAY_ROUTES, ...OPERATIONS_ROUTES],
        errorShapeSchema: errorSchema,
      }),
      probes: { journal: () => data.journal.probe(), settings: () => settingsStorage.probe() },
      warnings: config.warnings,
    });
    const about = { version: VERSION, environment: config.environment };
    const chatParts = { ...data, ...about, backlog: desk.backlog, venues, prices, trailingStops: async () => [] };
    return { app, doors, desk, keys, lock, mailReceiver, telegram, chatParts, tearDown };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

async function start(): Promise<number> {
  // From the first moment: a signal that comes during the start must end it properly too.
  const stopping = stopSignal();
  const config = readConfig();
  const log = createLog({ level: config.logLevel, name: 'signalbox' });
  for (const warning of config.warnings) log.warn({}, warning);
  const built = await build(config, log, { trade: true });
  try {
    const recovered = await built.desk.start({ afterCrash: built.lock.foundCrash });
    if (recovered > 0) log.info({ recovered }, 'took up unfinished trades');
    const server = await listen({
      listener: nodeListener(built),
      fastLane: built,
      host: config.host,
      port: config.port,
    });
    const mail = await listenForMail(config, built.mailReceiver, log).catch(async (error) => {
      await server.stop(0);
      throw error;
    });
    built.lock.announce({ pid: process.pid, url: server.url });
    greet(server.url, config, built.keys, mail?.address);
    built.telegram?.listen(built.chatParts);
    if (built.lock.foundCrash) built.telegram?.onAlarm('crash', 'Signalbox runs again; it was not stopped properly.');
    const signal = await stopping;
    built.telegram?.deafen();
    log.info({ signal }, 'stopping: finishing what was begun');
    await Promise.all([mail?.stop(config.drainTimeoutMs), server.stop(config.drainTimeoutMs)]);
  } finally {
    await built.tearDown();
    log.info({}, 'stopped');
    await log.close();
  }
  return 0;
}

/** Loaded only when there is a bot: nobody else pays for it. */
async function connectTelegram({ telegram }: Config, controls: Controls, settings: SettingsStore, log: Log) {
  const { token, ...chats } = telegram;
  if (token === undefined) return undefined;
  const { openTelegram } = await import('./adapters/notifiers/telegram/index.ts');
  return openTelegram({ token, ...chats, controls, settings, nowMs, monotonicMs, randomBytes, log });
}

/** Loaded only where mail is wanted: what checks signatures is large. */
async function listenForMail(config: Config, receiver: MailReceiver, log: Log): Promise<MailIntake | undefined> {
  if (config.smtpPort === undefined) return undefined;
  const { openMail } = await import('./adapters/mail/open-mail.ts');
  const perMinute = { capacity: MAILS_PER_MINUTE, refillPerMinute: MAILS_PER_MINUTE };
  const rate = createTokenBuckets({ ...perMinute, nowMs: monotonicMs, maxKeys: MAX_MAIL_ADDRESSES });
  return openMail({
    host: config.smtpHost,
    port: config.smtpPort,
    receiver,
    allowedSenders: config.smtpAllowedSenders,
    authPolicy: config.smtpAuthPolicy,
    admit: (address) => rate.take(address).allowed,
    onMail: ({ text, fault, ...entry }) => {
      const level = fault === undefined ? (entry.code === 250 ? 'info' : 'warn') : 'error';
      log[level]({ ...entry, err: fault }, `mail ${entry.code === 250 ? 'taken' : 'refused'}: ${text}`);
    },
  });
}

/** The handlers stay: npm and a terminal may send the same signal twice, and the second must not cut the drain short. */
const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, resolve);
  });

/** The first start makes a key and shows it once; later starts only tell where to find things. */
function greet(url: string, config: Config, keys: ReturnType<typeof createWebhookKeys>, mailAddress?: string): void {
  const usable = keys.list().filter((key) => key.revokedAtMs === undefined);
  const newKey = usable.length === 0 ? keys.create({ label: 'default' }).apiKey : undefined;
  const { dataDir } = config;
  process.stdout.write(greetingText({ version: VERSION, url, dataDir, newKey, keysInUse: usable.length, mailAddress }));
}

async function connect(options: ConnectOptions): Promise<Connection> {
  const config = readConfig(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir });
  const token = options.token ?? config.internalToken;
  if (options.url !== undefined) return connectOverHttp(options.url, token);
  const running = readInstanceNote(config.dataDir)?.url;
  try {
    return await connectInProcess(config);
  } catch (error) {
    // The folder is taken: whoever has it left its address.
    if (running !== undefined && error instanceof StorageError) return connectOverHttp(running, token);
    throw error;
  }
}

/** No instance runs: the same routes, served here over the data folder. Only trading needs the real thing. */
async function connectInProcess(config: Config): Promise<Connection> {
  const built = await build(config, createLog({ level: 'silent', name: 'signalbox' }), { trade: false });
  return connectThrough(
    (path, init) => {
      if (path.startsWith('/webhook') || path.startsWith('/email-signal')) {
        throw new Error('Signalbox is not running, so nothing can be traded; start it with "signalbox start"');
      }
      return built.app.request(path, init, { peer: '127.0.0.1' });
    },
    `data folder ${config.dataDir} (Signalbox is not running)`,
    config.internalToken,
    built.tearDown,
  );
}

async function doctor(): Promise<DoctorReport> {
  const checks: DoctorCheck[] = [
    { name: 'runtime', ok: 'ok', detail: `Node ${process.versions.node}, SQLite ${process.versions.sqlite}` },
  ];
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map((fault): DoctorCheck => ({ name: 'settings', ok: 'fail', detail: fault }));
    return { checks: [...checks, ...faults], settings: [] };
  }
  checks.push({ name: 'settings', ok: 'ok', detail: 'every value is valid' });
  for (const warning of config.warnings) checks.push({ name: 'settings', ok: 'warn', detail: warning });
  if (config.smtpPort !== undefined) checks.push(checkMail(config));
  checks.push(...(await checkDataDir(config.dataDir)), await checkInstance(config));
  return { checks, settings: maskedSettings(config) };
}

function checkMail(config: Config): DoctorCheck {
  const where = `${config.smtpHost}:${config.smtpPort === 0 ? 'any free port' : config.smtpPort}`;
  const detail = `taken on ${where} from ${config.smtpAllowedSenders.join(', ')}`;
  if (config.smtpAuthPolicy === 'require')
    return { name: 'mail', ok: 'ok', detail: `${detail}, proven by SPF or DKIM` };
  const remedy = 'let the mail server in front check SPF, DKIM and DMARC, or set SMTP_AUTH_POLICY=require';
  return { name: 'mail', ok: 'warn', detail: `${detail}, and believed as it comes`, remedy };
}

async function checkInstance(config: Config): Promise<DoctorCheck> {
  const url = readInstanceNote(config.dataDir)?.url;
  if (url === undefined) return { name: 'instance', ok: 'ok', detail: 'not running on this data folder' };
  try {
    const { status } = await connectOverHttp(url, config.internalToken).call('GET', '/ready');
    if (status === 200) return { name: 'instance', ok: 'ok', detail: `running and ready at ${url}` };
    return { name: 'instance', ok: 'fail', detail: `${url} is not ready`, remedy: `look at ${url}/ready` };
  } catch {
    return { name: 'instance', ok: 'ok', detail: `not running (the last one was at ${url})` };
  }
}

/** Loaded only where a script runs, in a thread of its own. */
async function openScripts(limits: ScriptLimits): Promise<ScriptRunner> {
  const { createScriptPool } = await import('./adapters/scripts/script-pool.ts');
  return createScriptPool({ ...limits, size: 1 });
}

async function main(): Promise<void> {
  // Trades and key digests are nobody else's business: every file made from here on is the owner's alone.
  process.umask(0o077);
  const onFault = (): void => {
    process.exitCode = 1;
  };
  const code = await runCli(process.argv.slice(2), {
    ...openTerminal(process.stdout, process.stderr, onFault),
    start,
    connect,
    doctor,
    env: process.env,
    openScripts,
    newRunId: () => randomUUID(),
    version: VERSION,
  });
  process.exitCode = process.exitCode || code;
}

await main();

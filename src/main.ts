// The composition root: chooses adapters, builds the services, listens, and stops in reverse order. Nobody imports it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSimulatedMarket } from './adapters/market-data/simulated/simulated-market.ts';
import { createConsoleNotifier } from './adapters/notifiers/console.ts';
import { checkDataDir } from './adapters/storage/sqlite/check-data-dir.ts';
import { lockDataDir, readInstanceNote } from './adapters/storage/sqlite/instance-lock.ts';
import { openDataStorage } from './adapters/storage/sqlite/open-data.ts';
import { openSettingsStorage } from './adapters/storage/sqlite/settings.ts';
import { openPaperVenue } from './adapters/venues/paper/paper-venue.ts';
import { connectOverHttp, connectThrough } from './cli/connect.ts';
import type { Connection, ConnectOptions, DoctorCheck, DoctorReport } from './cli/host.ts';
import { runCli } from './cli/index.ts';
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
import { createWebhookKeys } from './keys/webhook-keys.ts';
import { errorSchema, GATEWAY_ERRORS, GATEWAY_ROUTES, gatewayShape, mountGateway } from './services/gateway/index.ts';
import { allowlistFault, createGatewayLimits } from './services/gateway/limits.ts';
import { mountOperations, OPERATIONS_ROUTES } from './services/operations/index.ts';
import { createControls } from './trading/controls.ts';
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

    const desk = await createTradingDesk({
      ...createGatewayLimits(controls, monotonicMs),
      authenticate: keys.authenticate,
      journal: data.journal,
      signals: data.signals,
      outbox: data.outbox,
      notifier: createConsoleNotifier((line) => log.info(line, 'notification')),
      venues,
      controls,
      nowMs,
      monotonicMs,
      signalMaxAgeMs: config.signalMaxAgeMs,
      idempotencyWindowMs: config.idempotencyWindowMs,
      onTrouble: (what, error, requestId) => log.error({ err: error, requestId }, what),
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
    const gate = createInternalGate({ token: config.internalToken });
    const app = createApp({
      service: 'gateway',
      errors: GATEWAY_ERRORS,
      shape: gatewayShape,
      requestIds: createRequestIds({ nowMs, randomBytes }),
      trustedProxies: createAddressList(config.trustedProxies),
      log,
      metrics,
      defaultBodyLimitBytes: MEBIBYTE,
      nowMs: monotonicMs,
    });
    const doors = mountGateway(app, {
      gate,
      webhook: {
        keepers: desk.keepers,
        dispatcher: desk.dispatcher,
        resends: desk.resends,
        queueMode: () => controls.current().queueMode,
        nowMs,
        count: (decision) => decisions.inc({ decision }),
        onFault: (error, requestId) => log.error({ err: error, requestId }, 'a signal was not processed'),
      },
      trades: { journal: data.journal, prices },
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
    return { app, doors, desk, keys, lock, tearDown };
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
    built.lock.announce({ pid: process.pid, url: server.url });
    greet(server.url, config, built.keys);
    const signal = await stopping;
    log.info({ signal }, 'stopping: finishing what was begun');
    await server.stop(config.drainTimeoutMs);
  } finally {
    await built.tearDown();
    log.info({}, 'stopped');
    await log.close();
  }
  return 0;
}

/** The handlers stay: npm and a terminal may send the same signal twice, and the second must not cut the drain short. */
const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, resolve);
  });

/** The first start makes a key and shows it once; later starts only tell where to find things. */
function greet(url: string, config: Config, keys: ReturnType<typeof createWebhookKeys>): void {
  const usable = keys.list().filter((key) => key.revokedAtMs === undefined);
  const issued = usable.length === 0 ? keys.create({ label: 'default' }) : undefined;
  const example = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const body = JSON.stringify({ apiKey: issued?.apiKey ?? 'YOUR_WEBHOOK_KEY', ...example });
  const lines = [
    '',
    `  Signalbox ${VERSION} is listening on ${url}`,
    `  API docs:     ${url}/docs`,
    '  Trading:      paper money on binance, bybit and mexc; prices are simulated',
    `  Data folder:  ${config.dataDir}`,
    '',
    issued
      ? `  Webhook key (shown only now, keep it):  ${issued.apiKey}`
      : `  Webhook keys: ${usable.length} in use; make another with "npx signalbox keys create NAME"`,
    '  Try it:',
    `  curl -s ${url}/webhook -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
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
      if (path.startsWith('/webhook')) {
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
  checks.push(...(await checkDataDir(config.dataDir)), await checkInstance(config));
  return { checks, settings: maskedSettings(config) };
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

async function main(): Promise<void> {
  // Trades and key digests are nobody else's business: every file made from here on is the owner's alone.
  process.umask(0o077);
  process.exitCode = await runCli(process.argv.slice(2), {
    start,
    connect,
    doctor,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    env: process.env,
    isTty: process.stdout.isTTY === true,
    version: VERSION,
  });
}

await main();

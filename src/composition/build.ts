// Builds everything of the trading process but its port: the gateway over its storage, and the script process beside it.

import type { IncomingMessage } from 'node:http';
import { OWNER, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { assertDatabasesThere, bringLogsIn, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import { retireCommitLog } from '../adapters/storage/sqlite/retired-commit-log.ts';
import { openBuiltDashboard } from '../builds/built-dashboard.ts';
import type { Config } from '../config.ts';
import { withoutFolders } from '../errors/storage-error.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import type { App } from '../http/app.ts';
import type { Audit } from '../http/audit.ts';
import { useCors } from '../http/cors.ts';
import type { Log } from '../http/log.ts';
import { maskSecrets } from '../http/mask-secrets.ts';
import { buildOpenApi, type JsonObject, mergeOpenApi } from '../http/openapi.ts';
import { createOrigins, type Origins } from '../http/origins.ts';
import type { Sockets } from '../http/server.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import { mountPages } from '../services/dashboard/pages.ts';
import { mountArchive } from '../services/gateway/admin-archive.ts';
import { mountBackups } from '../services/gateway/admin-backups.ts';
import { mountKeyUsage } from '../services/gateway/admin-key-usage.ts';
import { mountBars } from '../services/gateway/bars.ts';
import { errorSchema, GATEWAY_ERRORS, gatewayShape } from '../services/gateway/index.ts';
import { mountScriptAdmin } from '../services/gateway/script-admin.ts';
import { mountOperations } from '../services/operations/index.ts';
import { auditEntryOf } from '../trading/intake/controls.ts';
import { alarmInWords, createRaisedAlarms, type RaisedAlarm } from '../trading/notifications/raised-alarms.ts';
import { VENUE_MODES, type Venue, type VenueMode } from '../trading/venue.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { InstanceArchive } from './instance-archive.ts';
import { backupInProcess, InstanceBackups } from './instance-backups.ts';
import { barsFault, openBarsLater, openPrices } from './market.ts';
import { createProcessContext, ownOrigins, type ProcessContext } from './process-context.ts';
import { BACKUP_ALARM } from './scheduled-backups.ts';
import { ScriptProcessLink } from './script-process-link.ts';
import { openStoppedDeployments } from './stopped-deployments.ts';
import { createTeardown } from './teardown.ts';
import type { TradingParts } from './trading.ts';
import { API_TITLE, API_VERSION, VERSION } from './version.ts';
import { assertRowsWhereTheyWere } from './where-rows-are.ts';

export type Built = Awaited<ReturnType<typeof build>>;

export interface BuildOptions extends Pick<TradingParts, 'trade'>, Partial<Pick<TradingParts, 'lease'>> {}

/** Without `trade` only the gateway is there, and nothing is executed: the command line looks at a data folder. */
export async function build(config: Config, log: Log, { trade, lease }: BuildOptions) {
  const teardown = createTeardown();
  try {
    const lock = lockDataDir(config.dataDir);
    teardown.add(() => lock.release(() => logsLeft(config, log)));
    await assertRowsReady(config, trade);
    const alarms = createRaisedAlarms({ nowMs, log });
    const context = createProcessContext(trade ? config : alone(config), log, { process: 'trading', alarms });
    const origins = createOrigins(ownOrigins(config));
    const { services } = config;
    const hasScripts = trade && (services.includes('analysis') || services.includes('scripts'));
    // First, because a process takes its time to start, and this one has enough to do meanwhile.
    const scripts = hasScripts ? new ScriptProcessLink({ context, origins, teardown }) : undefined;
    const prices = await openPrices(context, teardown);
    const app = context.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
    useCors(app, { origins, paths: ['/health'] });
    const isGatewayWanted = !trade || services.includes('gateway');
    const backups = openBackups(config, () => alarms.over(BACKUP_ALARM));
    const gateway = isGatewayWanted
      ? await openGateway({ app, context, prices, scripts, teardown, trade, lease })
      : undefined;
    if (trade && gateway) mountBackups(app, backups, context.gate);
    if (gateway) {
      const database = config.databaseUrl === undefined ? 'sqlite' : 'postgresql';
      const archive = new InstanceArchive({ dataDir: config.dataDir, database, journal: gateway.archivable, nowMs });
      teardown.add(() => archive.stop());
      mountArchive(app, archive, context.gate);
    }
    scripts?.serveGateway({ targets: gateway, audit: auditAt(gateway, context) });
    if (!hasScripts) {
      // Nobody has such keys here; a page that asks is told so.
      if (trade) mountKeyUsage(app, {}, context.gate);
      const bars = openBarsLater(context, teardown, { mayKeep: !trade });
      mountBars(app, { bars, nowMs, onFault: barsFault(log) }, context.gate);
    }
    if (!trade) {
      const operator = await openStoppedDeployments(config, teardown, gateway?.trades);
      const onFault = (error: unknown, requestId: string): void =>
        log.error({ err: error, requestId }, 'a store failed');
      mountScriptAdmin(app, { operator, keys: undefined, audit: auditAt(gateway, context), onFault }, context.gate);
    }
    if (trade && services.includes('dashboard')) mountPages(app, { files: openBuiltDashboard() }, context.gate);
    mountOperations(app, {
      version: API_VERSION,
      release: VERSION,
      environment: config.environment,
      ...modesOf(config, gateway?.chatParts.venues ?? []),
      prices: priceLabels(gateway) || prices.label,
      websocket: hasScripts,
      metrics: context.metrics,
      otherMetrics: scripts && (() => scripts.metrics()),
      gate: context.gate,
      openApi: createDescription(config, app, scripts),
      probes: () => ({ ...gateway?.probes, ...scripts?.probes() }),
      warnings: () => [...config.warnings, ...alarms.current().map(publicWords)],
      settings: () => gateway?.settingsInForce() ?? [],
      monotonicMs,
    });
    const sockets = openSockets(context, { origins, gateway, scripts });
    return { alarms, app, sockets, scripts, gateway, backups, lock, tearDown: () => teardown.run() };
  } catch (error) {
    // What cannot be closed either must not hide why it could not be opened.
    await teardown.run().catch((fault: unknown) => log.error({ err: fault }, 'not everything could be closed'));
    throw error;
  }
}

/** Before any database is opened: opening makes what is not there. */
async function assertRowsReady(config: Config, trade: boolean): Promise<void> {
  const { dataDir, databaseUrl } = config;
  assertRowsWhereTheyWere(config);
  if (databaseUrl !== undefined) return;
  assertDatabasesThere(dataDir, trade ? 'trading' : undefined);
  await excuseLogs(dataDir);
  retireCommitLog(dataDir);
  // Those of the script process are its own to look for and to move: if one of them is missing or damaged, trades go on.
  for (const database of [OWNER, TRADING]) moveDatabases(dataDir, database);
}

/** Undefined where nobody has said where they go. */
function openBackups(config: Config, onMade: () => void): InstanceBackups | undefined {
  const { folder } = config.backup;
  return folder === undefined
    ? undefined
    : new InstanceBackups({ folder, make: backupInProcess(config, folder), onMade });
}

/** A command that looks at a data folder counts nothing and follows nothing, so it need not share either. */
const alone = (config: Config): Config => ({ ...config, rateLimits: 'here', liveBars: 'here' });

/** Those of the gateway are served here; every other one belongs to the script process. */
function openSockets(
  context: ProcessContext,
  parts: {
    readonly origins: Origins;
    readonly gateway: Gateway | undefined;
    readonly scripts: ScriptProcessLink | undefined;
  },
): Sockets {
  const { requestIds, trustedProxies, log, metrics, gate } = context;
  const routes = parts.gateway ? [parts.gateway.eventSocket] : [];
  const shape = gatewayShape;
  const own = createWebSockets({
    ...{ routes, requestIds, trustedProxies, origins: parts.origins, log, metrics, nowMs: monotonicMs, shape },
    pages: gate.pages,
  });
  const theirs = parts.scripts?.doors.sockets;
  if (theirs === undefined) return own;
  const isOwn = ({ url = '' }: IncomingMessage): boolean => routes.some(({ path }) => path === url.split('?', 1)[0]);
  return {
    onUpgrade: (incoming, socket, head) => (isOwn(incoming) ? own : theirs).onUpgrade(incoming, socket, head),
    stop: async (drainMs) => void (await Promise.all([own.stop(drainMs), theirs.stop(drainMs)])),
  };
}

/** The most that a trade can be, and what one would be at each exchange. */
function modesOf({ venues: settings }: Config, accounts: readonly Pick<Venue, 'exchange' | 'mode'>[]) {
  const strongest = (modes: readonly VenueMode[]): VenueMode | undefined =>
    VENUE_MODES.findLast((mode) => modes.includes(mode));
  const at = (exchange: Exchange): string =>
    strongest(accounts.filter((each) => each.exchange === exchange).map(({ mode }) => mode)) ?? 'off';
  const allowed = strongest(EXCHANGES.map((exchange) => settings[exchange].mode)) as VenueMode;
  // What the settings would allow counts only where there is no account at all: then nothing is traded, and not on paper either.
  const mode = strongest(accounts.map((account) => account.mode)) ?? allowed;
  return { mode, venues: Object.fromEntries(EXCHANGES.map((exchange) => [exchange, at(exchange)])) };
}

/** Where the prices come from that the accounts go by: each source once; empty without an account. */
function priceLabels(gateway: Gateway | undefined): string {
  const { venues = [], pricesOf } = gateway?.chatParts ?? {};
  return [...new Set(venues.map((venue) => pricesOf?.(venue).label))].join(', ');
}

/** Told, because somebody who tidies up would take such a file for a left-over. */
function logsLeft({ dataDir }: Config, log: Log): readonly string[] {
  const left = bringLogsIn(dataDir);
  if (left.length > 0)
    log.error(
      { files: left.map((name) => `${name}-wal`) },
      'these files could not be brought into their databases: is the disk full? Leave them where they are, the next start does it',
    );
  return left;
}

/** Writes down what the operator changed of the script worker. */
const auditAt =
  (gateway: Gateway | undefined, { log }: ProcessContext): Audit =>
  (change) => {
    log.info(change, 'the operator changed something of the script worker');
    // Nobody waits: it is done already, and a new key that nobody is shown would shut its owner out.
    gateway
      ?.audit(auditEntryOf(change, nowMs()))
      .catch((error: unknown) => log.error({ err: error }, 'a change is not in the audit'));
  };

/** One description of everything behind the address, made when it is first asked for, and again when the script process has told its part. */
function createDescription(config: Config, app: App, scripts: ScriptProcessLink | undefined) {
  let own: JsonObject | undefined;
  let last: { readonly theirs: JsonObject | undefined; readonly all: JsonObject } | undefined;
  return async (): Promise<JsonObject> => {
    const theirs = await scripts?.openApi();
    own ??= buildOpenApi({
      title: API_TITLE,
      version: API_VERSION,
      description: 'Trade signals in, interlocking checks, trades out.',
      serverUrl: config.baseUrl,
      endpoints: app.endpoints,
      errorShapeSchema: errorSchema,
    });
    if (last === undefined || last.theirs !== theirs)
      last = { theirs, all: theirs === undefined ? own : mergeOpenApi(own, theirs) };
    return last.all;
  };
}

/** Anybody may ask whether all is well; where the owner keeps things, and any key in a venue's words, are not for them. */
const publicWords = (alarm: RaisedAlarm): string => withoutFolders(maskSecrets(alarmInWords(alarm)));

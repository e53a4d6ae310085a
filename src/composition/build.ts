// Builds everything but the sockets: the chosen services over their storage, behind one front.

import {
  assertDatabasesThere,
  bringLogsIn,
  excuseLogs,
  listDatabases,
} from '../adapters/storage/sqlite/folder-databases.ts';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { retireCommitLog } from '../adapters/storage/sqlite/retired-commit-log.ts';
import type { Config } from '../config.ts';
import type { App } from '../http/app.ts';
import { useCors } from '../http/cors.ts';
import { createFront } from '../http/front.ts';
import type { Log } from '../http/log.ts';
import { maskSecrets } from '../http/mask-secrets.ts';
import { buildOpenApi } from '../http/openapi.ts';
import { createOrigins } from '../http/origins.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import type { Audit } from '../services/gateway/admin-answers.ts';
import { errorSchema, GATEWAY_ERRORS, gatewayShape, mountScriptAdmin } from '../services/gateway/index.ts';
import type { OnStorageFault } from '../services/gateway/storage-words.ts';
import { mountOperations } from '../services/operations/index.ts';
import { auditEntryOf } from '../trading/controls.ts';
import { alarmInWords, type RaisedAlarm } from '../trading/raised-alarms.ts';
import { withoutFolders } from '../trading/storage-error.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { createGround } from './ground.ts';
import type { KeyService, KeyServiceParts } from './key-services.ts';
import { openMarket } from './market.ts';
import { maxBodyBytes, openScriptPool } from './script-pool.ts';
import { openStoppedDeployments } from './stopped-deployments.ts';
import { createTeardown } from './teardown.ts';
import { VERSION } from './version.ts';

/** What is under way gets so long to end when the process stops. */
const CLOSE_WAIT_MS = 1000;

export type Built = Awaited<ReturnType<typeof build>>;

/** Without `trade` only the gateway is there, and nothing is executed: the command line looks at a data folder. */
export async function build(config: Config, log: Log, { trade }: { trade: boolean }) {
  const teardown = createTeardown();
  try {
    const lock = lockDataDir(config.dataDir);
    teardown.add(() => lock.release(() => logsLeft(config, log)));
    assertDatabasesThere(config.dataDir);
    await excuseLogs(config.dataDir);
    retireCommitLog(config.dataDir);
    const ground = createGround(config, log);
    const wants = (service: Config['services'][number]) =>
      trade ? config.services.includes(service) : service === 'gateway';
    const market = await openMarket(ground, teardown);
    const { prices } = market;
    // Its threads start when they are first needed.
    const runner = openScriptPool({ timeoutMs: config.analysis.limits.runTimeoutMs });
    teardown.add(() => runner.close(CLOSE_WAIT_MS));
    const app = ground.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
    const origins = createOrigins(ownOrigins(config));
    useCors(app, { origins, paths: ['/health'] });
    const gateway = wants('gateway') ? await openGateway({ app, ground, prices, runner, teardown, trade }) : undefined;
    const others = await openOthers({ ground, market, runner, gateway, origins, teardown, wants });
    const services = Object.values(others);
    if (trade) await listDatabases(config.dataDir);
    mountScriptOperator({ app, ground, gateway, services, trade, teardown });
    mountOperations(app, {
      version: VERSION,
      environment: config.environment,
      mode: 'paper',
      prices: prices.label,
      websocket: services.some(({ sockets: routes }) => routes.length > 0),
      metrics: ground.metrics,
      gate: ground.gate,
      openApi: () => describe(config, app, others),
      probes: Object.assign({}, gateway?.probes, ...services.map(({ probes }) => probes)),
      warnings: () => [...config.warnings, ...ground.alarms.current().map(publicWords)],
      settings: () => gateway?.settingsInForce() ?? [],
      monotonicMs,
    });
    const sockets = createWebSockets({
      routes: services.flatMap(({ sockets: routes }) => routes),
      requestIds: ground.requestIds,
      trustedProxies: ground.trustedProxies,
      origins,
      log,
      metrics: ground.metrics,
      nowMs: monotonicMs,
      // Messages that are still coming, beside those that are here.
      limits: { maxUnfinishedBytes: maxBodyBytes() / 2 },
    });
    const front = createFront(
      app,
      services.map(({ service }) => service),
    );
    const start = async (): Promise<void> => {
      for (const { start: begin } of services) await begin?.();
    };
    const { alarms } = ground;
    return { alarms, app: front, sockets, gateway, lock, start, tearDown: () => teardown.run() };
  } catch (error) {
    // What cannot be closed either must not hide why it could not be opened.
    await teardown.run().catch((fault: unknown) => log.error({ err: fault }, 'not everything could be closed'));
    throw error;
  }
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

interface ScriptOperatorParts extends Pick<KeyServiceParts, 'ground' | 'teardown'> {
  readonly app: App;
  readonly gateway: Gateway | undefined;
  readonly services: readonly KeyService[];
  readonly trade: boolean;
}

/** The operator's hand on the script worker; in a folder whose Signalbox does not run, on the records of its deployments. */
function mountScriptOperator({ app, ground, gateway, services, trade, teardown }: ScriptOperatorParts): void {
  const { log, gate, config } = ground;
  const operator = trade
    ? services.find((service) => service.operator !== undefined)?.operator
    : openStoppedDeployments(config.dataDir, teardown);
  const keys = services.find((service) => service.scriptKeys !== undefined)?.scriptKeys;
  const audit: Audit = (change) => {
    log.info(change, 'the operator changed something of the script worker');
    try {
      gateway?.audit(auditEntryOf(change, nowMs()));
    } catch (error) {
      // It is done already, and a new key that nobody is shown would shut its owner out.
      log.error({ err: error }, 'a change is not in the audit');
    }
  };
  const onFault: OnStorageFault = (error, requestId) => log.error({ err: error, requestId }, 'a store failed');
  mountScriptAdmin(app, { operator, keys, audit, onFault }, gate);
}

async function openOthers(parts: KeyServiceParts): Promise<Readonly<Record<string, KeyService>>> {
  if (!parts.wants('analysis') && !parts.wants('scripts')) return {};
  return (await import('./key-services.ts')).openKeyServices(parts);
}

/** One description of everything behind the address; each service with its own shape of errors. */
function describe(config: Config, app: App, others: Readonly<Record<string, KeyService>>) {
  return buildOpenApi({
    title: 'Signalbox',
    version: VERSION,
    description: 'Trade signals in, interlocking checks, trades out.',
    serverUrl: config.baseUrl,
    endpoints: app.endpoints,
    errorShapeSchema: errorSchema,
    others: Object.fromEntries(
      Object.entries(others).map(([name, { service, errorSchema: errorShapeSchema }]) => [
        name,
        { endpoints: service.app.endpoints, errorShapeSchema },
      ]),
    ),
  });
}

/** Anybody may ask whether all is well; where the owner keeps things, and any key in a venue's words, are not for them. */
const publicWords = (alarm: RaisedAlarm): string => withoutFolders(maskSecrets(alarmInWords(alarm)));

/** Pages that come from our own address may use what is behind it. */
const ownOrigins = ({ baseUrl, allowedOrigins }: Config): readonly string[] =>
  baseUrl === undefined ? allowedOrigins : [...allowedOrigins, new URL(baseUrl).origin];

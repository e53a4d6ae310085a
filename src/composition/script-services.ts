// Builds what the script process serves: the Analysis API, the script worker, and the operator's hand on them.

import { createChats } from '../adapters/notifiers/telegram/chats.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { assertDatabasesThere } from '../adapters/storage/sqlite/folder-databases.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import type { Audit } from '../http/audit.ts';
import { createFront } from '../http/front.ts';
import type { Log } from '../http/log.ts';
import { buildOpenApi } from '../http/openapi.ts';
import { createOrigins } from '../http/origins.ts';
import { passedOrigin } from '../http/passed-on.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import type { MarketBars } from '../market-data/market-bars.ts';
import { mountBars } from '../services/gateway/bars.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../services/gateway/errors.ts';
import { errorSchema } from '../services/gateway/schemas.ts';
import { mountScriptAdmin } from '../services/gateway/script-admin.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { GatewayTargets } from './deployments.ts';
import { type KeyService, openKeyServices } from './key-services.ts';
import { barsFault, openBarMarket } from './market.ts';
import type { Remote } from './process-channel.ts';
import { createProcessContext, ownOrigins, type ProcessContext } from './process-context.ts';
import type { TradingCalls } from './script-calls.ts';
import type { ScriptConfig } from './script-config.ts';
import { maxBodyBytes, openScriptPool } from './script-pool.ts';
import { createTeardown } from './teardown.ts';
import { API_TITLE, API_VERSION } from './version.ts';

/** What is under way gets so long to end when the process stops. */
const CLOSE_WAIT_MS = 1000;

export interface ScriptServicesParts {
  readonly config: ScriptConfig;
  readonly log: Log;
  readonly trading: Remote<TradingCalls>;
}

export async function openScriptServices({ config, log, trading }: ScriptServicesParts) {
  const teardown = createTeardown();
  const context = createProcessContext(config, log, { process: 'scripts', alarms: passedAlarms(trading) });
  if (!config.isOnPostgres) {
    assertDatabasesThere(config.dataDir, 'scripts');
    moveDatabases(config.dataDir, STRANGERS);
  }
  const market = await openBarMarket(context, teardown, { keep: true });
  // Its threads start when they are first needed.
  const runner = openScriptPool({ timeoutMs: config.analysis.limits.runTimeoutMs });
  teardown.add(() => runner.close(CLOSE_WAIT_MS));
  const origins = createOrigins(ownOrigins(config));
  const gateway = config.services.includes('gateway') ? targetsAt(trading, config) : undefined;
  const audit: Audit = (change) =>
    void trading.audit(change).catch((error: unknown) => log.error({ err: error }, 'a change is not in the audit'));
  const deploymentKey = () => trading.deploymentKey();
  const strangersUrl = () => trading.strangersUrl();
  const shared = { context, market, runner, gateway, origins, audit, deploymentKey, strangersUrl, teardown };
  const named = await openKeyServices(shared);
  const services = Object.values(named);
  const admin = openAdmin({ context, services, audit, bars: market.bars });
  const sockets = createWebSockets({
    routes: services.flatMap(({ sockets: routes }) => routes),
    requestIds: context.requestIds,
    trustedProxies: context.trustedProxies,
    originOf: passedOrigin,
    origins,
    pages: context.gate.pages,
    log,
    metrics: context.metrics,
    nowMs: monotonicMs,
    // Messages that are still coming, beside those that are here.
    limits: { maxUnfinishedBytes: maxBodyBytes() / 2 },
  });
  const front = createFront(
    admin,
    services.map(({ service }) => service),
  );
  return {
    front,
    sockets,
    runner,
    metrics: context.metrics,
    probes: Object.assign({}, ...services.map(({ probes }) => probes)) as KeyService['probes'],
    openApi: () =>
      buildOpenApi({
        title: API_TITLE,
        version: API_VERSION,
        description: '',
        endpoints: admin.endpoints,
        errorShapeSchema: errorSchema,
        others: Object.fromEntries(
          Object.entries(named).map(([name, { service, errorSchema: errorShapeSchema }]) => [
            name,
            { endpoints: service.app.endpoints, errorShapeSchema },
          ]),
        ),
      }),
    /** Begins what runs by itself. */
    async start(): Promise<void> {
      for (const { start: begin } of services) await begin?.();
    },
    async close(): Promise<void> {
      await teardown.run().catch((error: unknown) => log.error({ err: error }, 'not everything could be closed'));
      await log.close();
    },
  };
}

interface AdminParts {
  readonly context: ProcessContext<ScriptConfig>;
  readonly services: readonly KeyService[];
  readonly audit: Audit;
  readonly bars: MarketBars;
}

/** The operator's endpoints over script keys, deployments and bars, in the gateway's own shape, of which they are a part. */
function openAdmin({ context, services, audit, bars }: AdminParts) {
  const { log, gate } = context;
  const app = context.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
  const operator = services.find((service) => service.operator !== undefined)?.operator;
  const { scriptKeys: keys, scriptUsage } = services.find((service) => service.scriptKeys !== undefined) ?? {};
  const analysisKeys = services.find((service) => service.analysisKeys !== undefined)?.analysisKeys;
  const onFault = (error: unknown, requestId: string): void => log.error({ err: error, requestId }, 'a store failed');
  const comparisons = services.find((service) => service.comparisons !== undefined)?.comparisons;
  mountScriptAdmin(app, { operator, comparisons, keys, scriptUsage, analysisKeys, audit, onFault }, gate);
  mountBars(app, { bars: async () => bars, nowMs, onFault: barsFault(log) }, gate);
  return app;
}

/** What the gateway lends to deployments: its bot, where one is set, and its list of signals. */
const targetsAt = (trading: Remote<TradingCalls>, { chats }: ScriptConfig): GatewayTargets => ({
  telegram:
    chats === undefined
      ? undefined
      : { notifier: { faultOf: createChats(chats).faultOf, send: (message) => trading.sendChat(message) } },
  signals: { add: (record) => trading.addSignal(record), list: (filter) => trading.listSignals(filter) },
  trades: {
    identify: (apiKey) => trading.webhookKey(apiKey),
    trade: (alert) => trading.tradeAlert(alert),
    held: (of) => trading.strategyHeld(of),
    accountsOf: (of) => trading.keyAccounts(of),
    arrived: (of) => trading.alertsArrived(of),
    past: (of) => trading.strategyTrades(of),
    completeFromMs: () => trading.strategyTradesFrom(),
  },
  // The state itself is stored; who misses the news of it finds it in the list of deployments.
  onDeployment: (change) => void trading.deploymentChanged(change).catch(() => {}),
});

/** They are shown, logged and sent by the trading process. An end is told only of what was raised: most are of nothing. */
function passedAlarms(trading: Remote<TradingCalls>): RaisedAlarms {
  const raised = new Set<string>();
  return {
    raise(kind, text) {
      raised.add(kind);
      void trading.raiseAlarm(kind, text).catch(() => {});
    },
    stand(kind, text) {
      this.raise(kind, text);
    },
    over(kind) {
      if (raised.delete(kind)) void trading.endAlarm(kind).catch(() => {});
    },
    current: () => [],
    sendTo: () => {},
    watch: () => {},
  };
}

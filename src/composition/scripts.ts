// Puts the script worker together: keys, the script library, usage, sign-in at code hosts, and the stream of bars.

import { randomBytes } from 'node:crypto';
import { createDeviceFlow } from '../adapters/oauth/device-flow.ts';
import { beat } from '../adapters/storage/sql/heartbeat.ts';
import type { SqlDatabase } from '../adapters/storage/sql/sql.ts';
import { hasLibrary } from '../adapters/storage/sql/strangers/find-library.ts';
import { runStore } from '../adapters/storage/sql/strangers/runs.ts';
import { publicationStore } from '../adapters/storage/sql/strangers/scripts/publications.ts';
import { scriptStore, usageStore } from '../adapters/storage/sql/strangers/scripts/scripts.ts';
import type { Audit } from '../http/audit.ts';
import { useCors } from '../http/cors.ts';
import type { ServiceApp } from '../http/front.ts';
import { mountEndpoints } from '../http/mount-endpoints.ts';
import type { Origins } from '../http/origins.ts';
import { socketEndpoint } from '../http/socket-handshake.ts';
import { statusErrorSchema, statusShape } from '../http/status-shape.ts';
import { createScriptKeys } from '../keys/script-keys.ts';
import { createPublications, type Publications } from '../library/publications.ts';
import type { CallerRunner, ScriptChecker } from '../library/request-runner.ts';
import { createRuns } from '../library/runs/runs.ts';
import { newScriptId } from '../library/script-id.ts';
import type { ScriptStore } from '../library/script-store.ts';
import { createScripts } from '../library/scripts.ts';
import { createUsageCounter } from '../library/usage.ts';
import type { ServeRun } from '../services/analysis/index.ts';
import { deploymentEndpoints } from '../services/scripts/deployments.ts';
import { mountScripts, SCRIPTS_ERRORS } from '../services/scripts/index.ts';
import { comparisonEndpoint } from '../services/scripts/live-comparison.ts';
import { keptRunEndpoints } from '../services/scripts/runs.ts';
import { createMarketStream, STREAM_DOC } from '../services/scripts/stream.ts';
import { backgroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { type GatewayTargets, openDeployments } from './deployments.ts';
import { isLibraryIn } from './find-library.ts';
import type { KeyStores } from './key-stores.ts';
import type { BarMarket } from './market.ts';
import { marketInfo } from './market-info.ts';
import type { ProcessContext } from './process-context.ts';
import type { ScriptConfig } from './script-config.ts';
import { SCRIPTS_WORDS } from './script-paths.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

/** A burst of runs is counted with one durable write. */
const GATHER_MS = 250;

export interface ScriptsParts {
  readonly context: ProcessContext<ScriptConfig>;
  readonly stores: KeyStores;
  readonly strangers: () => Promise<SqlDatabase>;
  readonly origins: Origins;
  readonly market: BarMarket;
  readonly gateway: GatewayTargets | undefined;
  readonly serveRun: ServeRun;
  /** Runs what is kept and compared, and looks at what is to be published. */
  readonly runner: CallerRunner & ScriptChecker;
  readonly audit: Audit;
  /** The key that secrets of deployments are sealed with. */
  readonly deploymentKey: () => Promise<string>;
  readonly teardown: Teardown;
}

export async function openScripts(parts: ScriptsParts) {
  const { context, stores, origins, market, serveRun, audit } = parts;
  const { config, log } = context;
  const { allowOpenKeys, requireRunAuth, clientIds } = config.scripts;
  const keyStore = (await stores.scripts())?.store;
  const keys = keyStore && createScriptKeys({ store: keyStore, nowMs, randomBytes, hasLibrary: findsLibrary(parts) });
  // None with SCRIPT_DATABASE=none.
  const db = config.scripts.database === 'none' ? undefined : await parts.strangers();
  const library = db && openLibrary(db, parts);
  const app = context.makeApp('scripts', SCRIPTS_ERRORS, statusShape);
  useCors(app, { origins });
  const { authenticate, stored, gates } = mountScripts(app, {
    gate: context.gate,
    guesses: context.guesses,
    keys,
    scripts: library?.scripts,
    publications: library?.publications,
    usage: library?.usage,
    allowOpenKeys,
    requireRunAuth,
    adminToken: config.adminToken,
    serveRun,
    deviceFlow: createDeviceFlow(),
    oauthClientIds: clientIds,
    monotonicMs,
    audit,
    onFault: (error, requestId) => log.error({ err: error, requestId }, 'a store of the script worker failed'),
  });
  const live = library && (await openDeployments({ ...parts, ...library.sources, keys }));
  const identifyKey = parts.gateway?.trades.identify;
  const deploymentDeps = { authenticate, deployments: live?.deployments, identifyKey, stored, monotonicMs };
  const runs = library && openRuns(parts, library.sources);
  const runEndpoints = keptRunEndpoints({ authenticate, runs, stored, monotonicMs });
  const compare = comparisonEndpoint({ authenticate, comparisons: live?.comparisons, stored, monotonicMs });
  const endpoints = [...deploymentEndpoints(deploymentDeps), compare, ...runEndpoints, socketEndpoint(STREAM_DOC)];
  mountEndpoints(app, endpoints, gates);
  const service: ServiceApp = { app, firstWords: SCRIPTS_WORDS };
  const sockets = [createMarketStream({ hub: market.hub, monotonicMs })];
  const probes = {
    ...(keyStore === undefined ? {} : { 'script keys': () => keyStore.probe() }),
    ...(library === undefined ? {} : { scripts: () => library.probe(), deployments: live?.probe ?? (() => {}) }),
  };
  const { operator, comparisons } = live ?? {};
  return {
    service,
    sockets,
    errorSchema: statusErrorSchema,
    probes,
    operator,
    comparisons,
    scriptKeys: keys,
    scriptUsage: library?.usage,
    start: async () => live?.start(),
  };
}

const findsLibrary =
  ({ context, strangers }: ScriptsParts) =>
  async (userId: string): Promise<boolean> =>
    context.config.isOnPostgres
      ? hasLibrary((await strangers()).reads, userId)
      : isLibraryIn({ dataDir: context.config.dataDir }, userId);

function openLibrary(db: SqlDatabase, { context, runner: checker, teardown }: ScriptsParts) {
  const store = scriptStore(db);
  const onFault = (error: unknown): void =>
    context.log.error({ err: error }, 'the usage of script keys could not be stored');
  const gather = () => wait(GATHER_MS, { timers: backgroundTimers });
  const usage = createUsageCounter({ store: usageStore(db), nowMs, onFault, gather });
  teardown.add(() => usage.settle());
  const scripts = createScripts({ store, nowMs, newId: () => newScriptId({ nowMs, randomBytes }) });
  const publications = createPublications({ store: publicationStore(db), scripts: store, checker, nowMs });
  const sources: Sources = { db, scripts: store, libraries: publications };
  return { scripts, publications, usage, sources, probe: () => beat(db) };
}

/** Where deployments and kept runs find what they are made of, and are stored. */
interface Sources {
  readonly db: SqlDatabase;
  readonly scripts: ScriptStore;
  readonly libraries: Publications;
}

function openRuns({ context, market, runner }: ScriptsParts, { db, scripts, libraries }: Sources) {
  return createRuns({
    store: runStore(db),
    scripts,
    libraries,
    runner,
    market: { bars: (name, timeframeMs, fromMs, toMs) => market.archive.bars(name, timeframeMs, fromMs, toMs) },
    infoOf: marketInfo,
    nowMs,
    newId: () => newScriptId({ nowMs, randomBytes }),
    engine: VERSION,
    timeoutMs: context.config.analysis.limits.runTimeoutMs,
  });
}

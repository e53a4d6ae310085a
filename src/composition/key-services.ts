// Puts the key-authenticated services together over what they share: threads for scripts, key stores, origins of pages.

import type { SqlDatabase } from '../adapters/storage/sql/sql.ts';
import type { Audit } from '../http/audit.ts';
import type { ServiceApp } from '../http/front.ts';
import type { ServiceDoc } from '../http/openapi.ts';
import type { Origins } from '../http/origins.ts';
import type { SocketRoute } from '../http/web-sockets.ts';
import type { AnalysisKeys } from '../keys/analysis-keys.ts';
import type { ScriptKeys } from '../keys/script-keys.ts';
import type { BacktestRunner } from '../library/backtest-runner.ts';
import type { DeploymentOperator } from '../library/deployments/index.ts';
import type { LiveComparisons } from '../library/live-comparison/live-comparisons.ts';
import type { CallerRunner, RequestRunner, ScriptChecker } from '../library/request-runner.ts';
import type { UsageCounter } from '../library/usage.ts';
import { openAnalysis, openRunRoad } from './analysis.ts';
import type { GatewayTargets } from './deployments.ts';
import { createKeyStores } from './key-stores.ts';
import { openLongJobs } from './long-jobs.ts';
import type { BarMarket } from './market.ts';
import type { ProcessContext } from './process-context.ts';
import type { ScriptConfig } from './script-config.ts';
import { openScripts } from './scripts.ts';
import { openStrangersAt } from './strangers.ts';
import type { Teardown } from './teardown.ts';

export interface KeyServiceParts {
  readonly context: ProcessContext<ScriptConfig>;
  readonly market: BarMarket;
  readonly runner: RequestRunner & ScriptChecker & CallerRunner & BacktestRunner;
  readonly gateway: GatewayTargets | undefined;
  readonly origins: Origins;
  readonly audit: Audit;
  /** The key that secrets of deployments are sealed with. */
  readonly deploymentKey: () => Promise<string>;
  /** Where the rows of strangers are, if they are in PostgreSQL. */
  readonly strangersUrl: () => Promise<string>;
  readonly teardown: Teardown;
}

export interface KeyService {
  readonly service: ServiceApp;
  readonly sockets: readonly SocketRoute[];
  readonly errorSchema: ServiceDoc['errorShapeSchema'];
  /** Begins what runs by itself, once the process listens. */
  readonly start?: () => Promise<void>;
  readonly probes: Readonly<Record<string, () => unknown>>;
  /** The operator's hand on live deployments, where this service keeps some. */
  readonly operator?: DeploymentOperator | undefined;
  /** Live deployments beside their backtests, where this service keeps some. */
  readonly comparisons?: LiveComparisons | undefined;
  /** Where this service keeps script keys. */
  readonly scriptKeys?: ScriptKeys | undefined;
  /** What they have used, where something keeps the counts. */
  readonly scriptUsage?: UsageCounter | undefined;
  /** Where this service has keys of the analysis. */
  readonly analysisKeys?: AnalysisKeys | undefined;
}

/** The kind of the alarm about the file of the analysis keys; the greeting shows it too. */
const KEY_FILE = 'analysis keys';

function tellOfRedis({ alarms }: ProcessContext<ScriptConfig>, fault: Error | undefined): void {
  if (fault === undefined) alarms.over('redis');
  else alarms.raise('redis', `Redis is lost; keys kept there open nothing until it is back: ${fault.message}`);
}

function tellOfKeys({ alarms }: ProcessContext<ScriptConfig>, words: string | undefined): void {
  if (words === undefined) alarms.over(KEY_FILE);
  else alarms.raise(KEY_FILE, words);
}

export async function openKeyServices(parts: KeyServiceParts): Promise<Readonly<Record<string, KeyService>>> {
  const { context, runner, market, origins, audit, teardown } = parts;
  const { services } = context.config;
  const strangers = strangersOf(parts);
  const stores = createKeyStores(context.config, {
    strangers,
    onRedisState: (fault) => tellOfRedis(context, fault),
    onKeyFileState: (words) => tellOfKeys(context, words),
  });
  teardown.add(() => stores.close());
  const analysis = services.includes('analysis')
    ? await openAnalysis({
        ...{ context, runner, market, stores, origins, audit },
        longJobs: await openLongJobs({ ...context, runner, teardown }),
      })
    : undefined;
  if (!services.includes('scripts')) return analysis === undefined ? {} : { Analysis: analysis };
  const serveRun = analysis?.serveRun ?? openRunRoad(context, runner, market);
  const scripts = await openScripts({ ...parts, stores, strangers, serveRun });
  return { ...(analysis === undefined ? {} : { Analysis: analysis }), Scripts: scripts };
}

/** Opened when it is first asked for, and once for all who need it. */
function strangersOf({ context, strangersUrl, teardown }: KeyServiceParts): () => Promise<SqlDatabase> {
  const { dataDir, isOnPostgres } = context.config;
  let opened: Promise<SqlDatabase> | undefined;
  const open = async (): Promise<SqlDatabase> =>
    openStrangersAt({ dataDir, databaseUrl: isOnPostgres ? await strangersUrl() : undefined });
  // One that could not be opened was told as such.
  teardown.add(async () => (await opened?.catch(() => undefined))?.close());
  return () => (opened ??= open());
}

// Puts the Analysis API together: its keys, the threads its scripts run in, and the endpoints over them.

import { randomBytes, randomUUID } from 'node:crypto';
import type { App } from '../http/app.ts';
import type { Audit } from '../http/audit.ts';
import { useCors } from '../http/cors.ts';
import type { ServiceApp } from '../http/front.ts';
import type { Origins } from '../http/origins.ts';
import { statusErrorSchema, statusShape } from '../http/status-shape.ts';
import { createAnalysisKeys } from '../keys/analysis-keys.ts';
import type { RequestRunner } from '../library/request-runner.ts';
import {
  ANALYSIS_ERRORS,
  createRunForwarder,
  createRunSocket,
  mountAnalysis,
  type RunLine,
} from '../services/analysis/index.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { KeyStores } from './key-stores.ts';
import type { LongJobs } from './long-jobs.ts';
import type { BarMarket } from './market.ts';
import type { ProcessContext } from './process-context.ts';
import type { ScriptConfig } from './script-config.ts';
import { ANALYSIS_WORDS } from './script-paths.ts';
import { maxBodyBytes } from './script-pool.ts';

export interface AnalysisParts {
  readonly context: ProcessContext<ScriptConfig>;
  readonly runner: RequestRunner;
  readonly longJobs: LongJobs;
  readonly market: BarMarket;
  readonly stores: KeyStores;
  readonly origins: Origins;
  readonly audit: Audit;
}

export async function openAnalysis({ context, runner, longJobs, market, stores, origins, audit }: AnalysisParts) {
  const { config, log } = context;
  const { store, warning } = await stores.analysis();
  if (warning !== undefined) log.warn({}, warning);
  const { usageReset, freeRatePerMinute } = config.analysis;
  const keys = createAnalysisKeys({ store, nowMs, randomBytes, usageReset });
  const app: App = context.makeApp('analysis', ANALYSIS_ERRORS, statusShape);
  useCors(app, { origins });
  const { serveRun, openRunSession } = mountAnalysis(app, {
    ...runParts(context, runner, market),
    ...longJobs,
    keys,
    gate: context.gate,
    guesses: context.guesses,
    adminToken: config.adminToken,
    freeRatePerMinute,
    nowMs,
    audit,
    onSearchFault: (error) => log.error({ err: error }, 'a parameter search failed'),
    trouble: (error, requestId) => log.error({ err: error, requestId }, 'the store of the analysis keys failed'),
  });
  const service: ServiceApp = { app, firstWords: ANALYSIS_WORDS };
  const probes = { 'analysis keys': () => store.probe() };
  const sockets = [createRunSocket({ openRunSession, requestIds: context.requestIds })];
  return { serveRun, service, sockets, errorSchema: statusErrorSchema, probes, analysisKeys: keys };
}

const runParts = ({ config, log }: ProcessContext<ScriptConfig>, runner: RequestRunner, market: BarMarket) => ({
  runner,
  marketBars: market.bars,
  limits: config.analysis.limits,
  maxBodyBytes: maxBodyBytes(),
  newRunId: () => randomUUID(),
  monotonicMs,
  log: (line: RunLine) => log.info(line, 'script run'),
});

/** What the script worker needs of it where the Analysis API itself is not served. */
export const openRunRoad = (context: ProcessContext<ScriptConfig>, runner: RequestRunner, market: BarMarket) =>
  createRunForwarder(runParts(context, runner, market));

// Puts the Analysis API on an app: runs and help for editors are free, previews and backtests need a key and are counted.

import { createAdminGate } from '../../http/admin-gate.ts';
import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import type { AnalysisKeys } from '../../keys/analysis-keys.ts';
import type { ChartDrawer } from '../../library/chart-drawer.ts';
import type { ScriptRunner } from '../../library/script-runner.ts';
import { mountAuth } from './auth.ts';
import { createBacktest } from './backtest.ts';
import { mountBatch } from './batch.ts';
import { createBodyReader } from './body-reader.ts';
import { createEvaluate, type Evaluate, type EvaluateDeps, type RunLimits, type RunLine } from './evaluate.ts';
import { createFreeRate } from './free-rate.ts';
import { createLargeBodies } from './large-bodies.ts';
import { mountLsp } from './lsp.ts';
import { createPreviews } from './previews.ts';
import { protect } from './protect.ts';
import { createServeRun, mountRun } from './run.ts';
import { openRunSession, type RunSession, type SessionCaller } from './ws-run.ts';

export { ANALYSIS_ERRORS, type AnalysisErrorCode } from './errors.ts';
export type { Evaluate, RunLimits, RunLine } from './evaluate.ts';
export { ANALYSIS_ROUTES } from './routes.ts';
export { createRunSocket } from './run-socket.ts';
export { errorSchema } from './schemas.ts';
export type { RunSession, SessionCaller } from './ws-run.ts';

export interface AnalysisDeps {
  readonly runner: ScriptRunner & ChartDrawer;
  readonly keys: AnalysisKeys;
  /** ADMIN_TOKEN; without one no keys can be made. */
  readonly adminToken: string | undefined;
  readonly limits: RunLimits;
  /** FREE_RATE_LIMIT: scripts per address and minute; 0 turns it off. */
  readonly freeRatePerMinute?: number;
  readonly newRunId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: (line: RunLine) => void;
  /** Told when the key store fails, with the request it failed. */
  readonly trouble: (error: unknown, requestId: string) => void;
}

export interface Analysis {
  /** The evaluate contract itself, for other roads to it. */
  readonly evaluate: Evaluate;
  /** The same from request to response, without a limit of calls: the other road has its own. */
  readonly serveRun: (c: KitContext) => Promise<Response>;
  /** One per socket of WS /ws/run. */
  readonly openRunSession: (caller: SessionCaller) => RunSession;
}

/** The app must have been made with this service's error table and shape. */
export function mountAnalysis(app: App, deps: AnalysisDeps): Analysis {
  const { runner, limits, adminToken, freeRatePerMinute = 0, monotonicMs } = deps;
  const evaluate = createEvaluate(deps);
  const rate = createFreeRate(freeRatePerMinute, monotonicMs);
  const parseBody = createBodyReader();
  const run = { evaluate, takeRate: rate.run, parseBody, readLarge: createLargeBodies(parseBody) };
  const serveRun = createServeRun(run);
  mountRun(app, serveRun, rate.run);
  mountBatch(app, run);
  mountLsp(app, { runner, limits, takeRate: rate.editor });
  mountAuth(app, { ...deps, adminGate: createAdminGate({ token: adminToken }) });
  const previews = createPreviews({ ...deps, drawer: runner, readLarge: run.readLarge });
  app.post('/preview/chart', protect(deps, previews.chart));
  app.post('/preview/indicator', protect(deps, previews.indicator));
  app.post('/backtest/quick', protect(deps, createBacktest({ ...deps, readLarge: run.readLarge })));
  return { evaluate, serveRun: (c) => serveRun(c), openRunSession: (caller) => openRunSession(app, run, caller) };
}

/** The road to the evaluate contract alone, for a process that does not serve the Analysis API itself. */
export function createRunRoad(deps: EvaluateDeps): (c: KitContext) => Promise<Response> {
  const readLarge = createLargeBodies(createBodyReader());
  const serveRun = createServeRun({ evaluate: createEvaluate(deps), readLarge });
  return (c) => serveRun(c);
}

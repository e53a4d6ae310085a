// Puts the Analysis API on an app: runs and help for editors are free, previews and backtests need a key and are counted.

import { ADMIN_FORMS, createAdminGate, requireAdmin } from '../../http/admin-gate.ts';
import type { App } from '../../http/app.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { type Gates, mountEndpoints } from '../../http/mount-endpoints.ts';
import { socketEndpoint } from '../../http/socket-handshake.ts';
import type { AnalysisKeys } from '../../keys/analysis-keys.ts';
import type { ChartDrawer } from '../../library/chart-drawer.ts';
import type { ScriptRunner } from '../../library/script-runner.ts';
import { createAuth } from './auth.ts';
import { createBacktest } from './backtest.ts';
import { createBatch } from './batch.ts';
import { createBodyReader } from './body-reader.ts';
import { ANALYSIS_DOCS } from './docs.ts';
import { createEvaluate, type Evaluate, type EvaluateDeps, type RunLimits, type RunLine } from './evaluate.ts';
import { createFreeRate } from './free-rate.ts';
import { KEY_DOCS } from './key-docs.ts';
import { requireKey } from './key-door.ts';
import { createLargeBodies } from './large-bodies.ts';
import { createLsp } from './lsp.ts';
import { createPreviews } from './previews.ts';
import { protect } from './protect.ts';
import { createRun, createServeRun } from './run.ts';
import { openRunSession, type RunSession, type SessionCaller } from './ws-run.ts';

export { ANALYSIS_ERRORS, type AnalysisErrorCode } from './errors.ts';
export type { Evaluate, RunLimits, RunLine } from './evaluate.ts';
export { createRunSocket } from './run-socket.ts';
export { errorSchema } from './schemas.ts';
export type { RunSession, SessionCaller } from './ws-run.ts';

export interface AnalysisDeps {
  readonly runner: ScriptRunner & ChartDrawer;
  readonly keys: AnalysisKeys;
  /** Before whatever declares no door. */
  readonly gate: InternalGate;
  /** ADMIN_TOKEN; without one no keys can be made. */
  readonly adminToken: string | undefined;
  /** Wrong admin tokens by address; not counted when left out. */
  readonly guesses?: GuessLimit;
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
  const { runner, limits, freeRatePerMinute = 0, monotonicMs } = deps;
  const evaluate = createEvaluate(deps);
  const rate = createFreeRate(freeRatePerMinute, monotonicMs);
  const parseBody = createBodyReader();
  const run = { evaluate, takeRate: rate.run, parseBody, readLarge: createLargeBodies(parseBody) };
  const serveRun = createServeRun(run);
  const lsp = createLsp({ runner, limits, takeRate: rate.editor });
  const auth = createAuth(deps);
  const previews = createPreviews({ ...deps, drawer: runner, readLarge: run.readLarge });
  const backtest = createBacktest({ ...deps, readLarge: run.readLarge });
  const endpoints: readonly Endpoint[] = [
    { ...ANALYSIS_DOCS.run, handler: createRun(serveRun, rate.run) },
    { ...ANALYSIS_DOCS.batch, handler: createBatch(run, app.kit.fail) },
    { ...ANALYSIS_DOCS.completion, handler: lsp.completion },
    { ...ANALYSIS_DOCS.hover, handler: lsp.hover },
    { ...ANALYSIS_DOCS.diagnostics, handler: lsp.diagnostics },
    { ...KEY_DOCS.chart, handler: protect(deps, previews.chart) },
    { ...KEY_DOCS.indicator, handler: protect(deps, previews.indicator) },
    { ...KEY_DOCS.backtest, handler: protect(deps, backtest) },
    { ...KEY_DOCS.createKey, handler: auth.createKey },
    { ...KEY_DOCS.usage, handler: auth.usage },
    { ...KEY_DOCS.validate, handler: auth.validate },
    socketEndpoint(ANALYSIS_DOCS.runSocket),
  ];
  mountEndpoints(app, endpoints, gatesOf(deps));
  return { evaluate, serveRun: (c) => serveRun(c), openRunSession: (caller) => openRunSession(app, run, caller) };
}

function gatesOf(deps: AnalysisDeps): Gates {
  const adminGate = createAdminGate({ token: deps.adminToken, guesses: deps.guesses });
  return {
    ...internalGates(deps.gate),
    analysisKey: requireKey(deps),
    admin: (c) => requireAdmin(adminGate, c, ADMIN_FORMS),
  };
}

/** The road to the evaluate contract alone, for a process that does not serve the Analysis API itself. */
export function createRunRoad(deps: EvaluateDeps): (c: KitContext) => Promise<Response> {
  const readLarge = createLargeBodies(createBodyReader());
  const serveRun = createServeRun({ evaluate: createEvaluate(deps), readLarge });
  return (c) => serveRun(c);
}

// Puts the Analysis API on an app: runs and help for editors are free, previews and backtests need a key and are counted.

import { ADMIN_FORMS, createAdminGate, requireAdmin } from '../../http/admin-gate.ts';
import type { App } from '../../http/app.ts';
import type { Audit } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { type Gates, mountEndpoints } from '../../http/mount-endpoints.ts';
import { socketEndpoint } from '../../http/socket-handshake.ts';
import type { AnalysisKeys } from '../../keys/analysis-keys.ts';
import type { BacktestRunner } from '../../library/backtest-runner.ts';
import type { RequestKind } from '../../library/request-runner.ts';
import type { SearchStore } from '../../library/search/shared-searches.ts';
import { createAuth } from './auth.ts';
import { BATCHES } from './backtest-batch.ts';
import { BACKTEST_BATCH_DOCS } from './backtest-batch-docs.ts';
import { createBatch } from './batch.ts';
import { ANALYSIS_DOCS } from './docs.ts';
import { createFreeRate } from './free-rate.ts';
import { KEY_DOCS } from './key-docs.ts';
import { keyCaller, requireKey } from './key-door.ts';
import { createLongJobs } from './long-jobs.ts';
import { createLsp } from './lsp.ts';
import { SEARCHES } from './optimize.ts';
import { OPTIMIZE_DOCS } from './optimize-docs.ts';
import { protect } from './protect.ts';
import { createRequestForwarder, type ForwarderDeps } from './request-forwarder.ts';
import { createRun, createServeRun, onlyAnswer, type ServeRun } from './run.ts';
import { createGetRunBars } from './run-bars.ts';
import { openRunSession, type RunSession, type SessionCaller } from './ws-run.ts';

export { ANALYSIS_ERRORS, type AnalysisErrorCode } from './errors.ts';
export type { RunLine } from './request-forwarder.ts';
export type { ServeRun } from './run.ts';
export { createRunSocket } from './run-socket.ts';
export type { RunSession, SessionCaller } from './ws-run.ts';

export interface AnalysisDeps extends ForwarderDeps {
  readonly keys: AnalysisKeys;
  /** The threads that searches run in. */
  readonly backtests: BacktestRunner;
  /** Where other processes see the searches of this one, and it theirs. */
  readonly searchStore?: SearchStore | undefined;
  /** The gate of endpoints that declare no `door`: they are internal. */
  readonly gate: InternalGate;
  /** ADMIN_TOKEN; without one no keys can be made. */
  readonly adminToken: string | undefined;
  /** Wrong admin tokens by address; not counted when left out. */
  readonly guesses?: GuessLimit;
  /** FREE_RATE_LIMIT: scripts per address and minute; 0 turns it off. */
  readonly freeRatePerMinute?: number;
  readonly nowMs: () => number;
  readonly audit: Audit;
  /** Told of a search that failed through a fault of ours. */
  readonly onSearchFault?: (error: unknown) => void;
  /** Told when the key store fails, with the request it failed. */
  readonly trouble: (error: unknown, requestId: string) => void;
}

export interface Analysis {
  /** The evaluate contract from request to response, without a limit of calls: the other service has its own. */
  readonly serveRun: ServeRun;
  /** One per socket of WS /ws/run. */
  readonly openRunSession: (caller: SessionCaller) => RunSession;
}

/** The app must have been made with this service's error table and shape. */
export function mountAnalysis(app: App, deps: AnalysisDeps): Analysis {
  const { freeRatePerMinute = 0, monotonicMs } = deps;
  const getRunBars = createGetRunBars(deps.marketBars);
  const forwarder = createRequestForwarder(deps, getRunBars);
  const rate = createFreeRate(freeRatePerMinute, monotonicMs);
  const run = { forwarder, takeRate: rate.run };
  const editor = { forwarder, takeRate: rate.editor };
  const serveRun = createServeRun(forwarder);
  const auth = createAuth(deps);
  const optimize = createLongJobs({ ...deps, forwarder, getRunBars }, SEARCHES);
  const batches = createLongJobs({ ...deps, forwarder, getRunBars }, BATCHES);
  const keyed = (kind: RequestKind) =>
    protect(deps, async (c, rawKey) => {
      const { json } = onlyAnswer(await forwarder.serve(c, { kind, caller: keyCaller(rawKey) }));
      return { body: json, status: 200 };
    });
  const endpoints: readonly Endpoint[] = [
    { ...ANALYSIS_DOCS.run, handler: createRun(serveRun, rate.run) },
    { ...ANALYSIS_DOCS.batch, handler: createBatch(run, app.kit.fail) },
    { ...ANALYSIS_DOCS.completion, handler: createLsp(editor, 'lsp-completion') },
    { ...ANALYSIS_DOCS.hover, handler: createLsp(editor, 'lsp-hover') },
    { ...ANALYSIS_DOCS.diagnostics, handler: createLsp(editor, 'lsp-diagnostics') },
    { ...ANALYSIS_DOCS.convert, handler: createLsp(editor, 'lsp-convert') },
    { ...KEY_DOCS.chart, handler: keyed('preview-chart') },
    { ...KEY_DOCS.indicator, handler: keyed('preview-indicator') },
    { ...KEY_DOCS.backtest, handler: keyed('backtest-quick') },
    { ...OPTIMIZE_DOCS.start, handler: optimize.start },
    { ...OPTIMIZE_DOCS.look, handler: optimize.look },
    { ...OPTIMIZE_DOCS.end, handler: optimize.end },
    { ...BACKTEST_BATCH_DOCS.start, handler: batches.start },
    { ...BACKTEST_BATCH_DOCS.look, handler: batches.look },
    { ...BACKTEST_BATCH_DOCS.end, handler: batches.end },
    { ...KEY_DOCS.createKey, handler: auth.createKey },
    { ...KEY_DOCS.usage, handler: auth.usage },
    { ...KEY_DOCS.validate, handler: auth.validate },
    socketEndpoint(ANALYSIS_DOCS.runSocket),
  ];
  mountEndpoints(app, endpoints, gatesOf(deps));
  return { serveRun, openRunSession: (caller) => openRunSession(app, run, caller) };
}

function gatesOf(deps: AnalysisDeps): Gates {
  const adminGate = createAdminGate({ token: deps.adminToken, keysOf: '--analysis', guesses: deps.guesses });
  return {
    ...internalGates(deps.gate),
    analysisKey: requireKey(deps),
    admin: (c) => requireAdmin(adminGate, c, ADMIN_FORMS),
  };
}

/** The evaluate contract alone, for a process that does not serve the Analysis API itself. */
export const createRunForwarder = (deps: ForwarderDeps): ServeRun =>
  createServeRun(createRequestForwarder(deps, createGetRunBars(deps.marketBars)));

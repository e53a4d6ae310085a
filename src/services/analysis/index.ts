// Puts the free routes of the Analysis API on an app: run, batch, and help for editors; sessions for the socket besides.

import type { App } from '../../http/app.ts';
import type { ScriptRunner } from '../../library/script-runner.ts';
import { mountBatch } from './batch.ts';
import { createEvaluate, type Evaluate, type RunLimits, type RunLine } from './evaluate.ts';
import { createFreeRate } from './free-rate.ts';
import { mountLsp } from './lsp.ts';
import { mountRun } from './run.ts';
import { createBodyReader } from './sliced-json.ts';
import { openRunSession, type RunSession, type SessionCaller } from './ws-run.ts';

export { ANALYSIS_ERRORS, type AnalysisErrorCode } from './errors.ts';
export type { Evaluate, RunLimits, RunLine } from './evaluate.ts';
export { ANALYSIS_ROUTES } from './routes.ts';
export type { RunSession, SessionCaller } from './ws-run.ts';

export interface AnalysisDeps {
  readonly runner: ScriptRunner;
  readonly limits: RunLimits;
  /** FREE_RATE_LIMIT: scripts per address and minute; 0 turns it off. */
  readonly freeRatePerMinute?: number;
  readonly newRunId: () => string;
  readonly monotonicMs: () => number;
  readonly log: (line: RunLine) => void;
}

export interface Analysis {
  /** The evaluate contract itself, for other roads to it. */
  readonly evaluate: Evaluate;
  /** One per socket of WS /ws/run. */
  readonly openRunSession: (caller: SessionCaller) => RunSession;
}

/** The app must have been made with this service's error table and shape. */
export function mountAnalysis(app: App, deps: AnalysisDeps): Analysis {
  const { runner, limits, freeRatePerMinute = 0, monotonicMs } = deps;
  const evaluate = createEvaluate(deps);
  const rate = createFreeRate(freeRatePerMinute, monotonicMs);
  const run = { evaluate, takeRate: rate.run, parseBody: createBodyReader() };
  mountRun(app, run);
  mountBatch(app, run);
  mountLsp(app, { runner, limits, takeRate: rate.editor });
  return { evaluate, openRunSession: (caller) => openRunSession(app, run, caller) };
}

// The Analysis API on an app without a socket: over a real pool, or over a runner that answers what a test says.

import { simulatedBars } from '../../../../tests/support/bars-app.ts';
import { checkAnswersOf } from '../../../../tests/support/checked-app.ts';
import { createInternalGate } from '../../../http/internal-auth.ts';
import { statusShape } from '../../../http/status-shape.ts';
import { createFixture, type Fixture } from '../../../http/testing/app-fixture.ts';
import { type AnalysisKeys, createAnalysisKeys } from '../../../keys/analysis-keys.ts';
import { openMemoryAnalysisKeys } from '../../../keys/testing/memory-analysis-keys.ts';
import type { BacktestRunner } from '../../../library/backtest-runner.ts';
import type { RequestRunner, ScriptEngine } from '../../../library/request-runner.ts';
import type { EvaluateRequest } from '../../../library/script-runner.ts';
import { runAnswer } from '../../../library/testing/run-answer.ts';
import { handleRequest } from '../in-thread/handle-request.ts';
import { ANALYSIS_ERRORS, type Analysis, type AnalysisDeps, mountAnalysis, type RunLine } from '../index.ts';

const MEBIBYTE = 1024 * 1024;
export const ADMIN_TOKEN = 'correct-horse-battery-staple';
export const NOW_MS = Date.UTC(2026, 10, 15, 12);
export const LIMITS = { maxBars: 50_000, maxScriptChars: 262_144, runTimeoutMs: 10_000 };

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnyAnswer;
}

/** The fields that tests look at, of all answers together: which of them there must be, each test says itself. */
export interface AnyAnswer {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly run_id: string;
  readonly plots: readonly number[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  readonly plot_meta: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly drawings: readonly Readonly<Record<string, unknown>>[];
  readonly logs: readonly { readonly message: string }[];
  readonly diagnostics: readonly object[];
  readonly results: readonly (AnyAnswer & { readonly status_code: number })[];
  readonly items: readonly { readonly label: string; readonly insertTextFormat: string; readonly kind: string }[];
  readonly isIncomplete: boolean;
  readonly hover: { readonly contents: string; readonly range: object };
  readonly ok: boolean;
  readonly text: string;
  readonly api_key: string;
  readonly chart: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly tier_info: Readonly<Record<string, unknown>>;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly trades: readonly Readonly<Record<string, unknown>>[];
  readonly equity_curve: readonly { readonly time: number; readonly equity: number }[];
}

export interface AnalysisApp extends Fixture {
  readonly analysis: Analysis;
  readonly keys: AnalysisKeys;
  /** What the service told of a failing key store. */
  readonly troubles: unknown[];
  readonly runs: RunLine[];
  /** What the scripted runner was asked, in order. */
  readonly asked: EvaluateRequest[];
  post(path: string, body: unknown, init?: RequestInit & { peer?: string }): Promise<Sent>;
}

/** Ends every call as a test says; answers with the smallest whole answer where it says nothing. */
export type Script = Partial<ScriptEngine>;

/** Over a real pool, or over a scripted engine: then what a thread does happens right here. */
export function openAnalysis(
  given: Script | RequestRunner | (RequestRunner & BacktestRunner) = {},
  deps: Partial<AnalysisDeps> = {},
): AnalysisApp {
  const asked: EvaluateRequest[] = [];
  const runs: RunLine[] = [];
  const fixture = createFixture({
    service: 'analysis',
    errors: ANALYSIS_ERRORS,
    shape: statusShape,
    defaultBodyLimitBytes: MEBIBYTE,
  });
  checkAnswersOf(fixture.app);
  const runner = 'request' in given ? given : inProcess(given, asked);
  let ids = 0;
  const troubles: unknown[] = [];
  const random = (size: number) => {
    ids += 1;
    return new Uint8Array(size).fill(ids);
  };
  const store = openMemoryAnalysisKeys();
  const keys =
    deps.keys ?? createAnalysisKeys({ store, nowMs: () => NOW_MS, randomBytes: random, usageReset: 'monthly' });
  const analysis = mountAnalysis(fixture.app, {
    runner,
    keys,
    backtests: 'backtests' in given ? given : noBacktests,
    gate: createInternalGate({ token: undefined }),
    adminToken: ADMIN_TOKEN,
    limits: LIMITS,
    marketBars: simulatedBars(),
    nowMs: () => NOW_MS,
    audit: () => {},
    trouble: (error) => troubles.push(error),
    newRunId: () => {
      ids += 1;
      return `run-${ids}`;
    },
    monotonicMs: () => 0,
    log: (line) => runs.push(line),
    ...deps,
  });
  const post: AnalysisApp['post'] = async (path, body, { peer = '198.51.100.1', ...init } = {}) => {
    const bytes = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fixture.app.request(path, { method: 'POST', body: bytes, ...init }, { peer });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  return { ...fixture, analysis, keys, troubles, runs, asked, post };
}

function inProcess(script: Script, asked: EvaluateRequest[]): RequestRunner {
  const engine: ScriptEngine = {
    evaluate: () => ({ kind: 'answer', json: Buffer.from(JSON.stringify(runAnswer())), warnings: [] }),
    run: unused,
    space: unused,
    draw: unused,
    check: unused,
    complete: unused,
    hover: unused,
    convert: unused,
    ...script,
  };
  return {
    refusal: () => undefined,
    async request({ caller: _, onProgress, signal, ...request }) {
      // As with a thread, nothing happens before the caller has waited.
      await Promise.resolve();
      if (signal?.aborted) return { kind: 'canceled', reason: 'canceled' };
      const heard = signal && { signal };
      const scripted: ScriptEngine = {
        evaluate(one) {
          asked.push({ ...one, ...heard });
          return engine.evaluate({ ...one, ...heard });
        },
        run: (one) => engine.run({ ...one, ...heard }),
        space: (one) => engine.space({ ...one, ...heard }),
        draw: (one) => engine.draw({ ...one, ...heard }),
        check: (one) => engine.check({ ...one, ...heard }),
        complete: (one) => engine.complete({ ...one, ...heard }),
        hover: (one) => engine.hover({ ...one, ...heard }),
        convert: (one) => engine.convert({ ...one, ...heard }),
      };
      return handleRequest(request, scripted, (progress) => onProgress?.(progress));
    },
  };
}

const unused = (): never => {
  throw new Error('this test expects no such call');
};

const noBacktests: BacktestRunner = { threads: 1, backtests: unused, space: unused };

export const GOOD = '//@version=6\nindicator("test")\nplot(close, "Close")';

const MINUTE_MS = 60_000;
export const START_MS = 1_700_000_040_000;

export function barsOf(count: number, stepMs = MINUTE_MS) {
  return Array.from({ length: count }, (_, i) => ({
    time: START_MS + i * stepMs,
    open: i + 1,
    high: i + 3,
    low: i,
    close: i + 2,
    volume: 10,
  }));
}

export const requestOf = (more: object = {}) => ({ script: GOOD, data: barsOf(3), ...more });

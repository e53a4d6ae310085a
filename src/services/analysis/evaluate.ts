// The evaluate contract over the script runner, whatever road a request comes by: checks it, runs it, names every fault.

import { ClientGone } from '../../http/errors.ts';
import type { EvaluateRequest, Refused, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import { timeframeOfBars } from '../../market-data/bar-timeframe.ts';
import type { BarColumns, LibrarySource, SymbolInfo } from '../../pine/index.ts';
import { readBars } from './bars.ts';
import { checked, refusal } from './read-request.ts';
import { type EvaluateHead, evaluateHeadSchema } from './schemas.ts';

export interface RunLimits {
  readonly maxBars: number;
  /** UTF-16 units, of the script and of each library. */
  readonly maxScriptChars: number;
  readonly runTimeoutMs: number;
}

export interface RunLine {
  /** How it ended. Never a word of the script. */
  readonly run: 'answer' | Refused['kind'] | Stopped['kind'];
  readonly bars: number;
  readonly ms: number;
  readonly requestId: string;
}

export interface EvaluateDeps {
  readonly runner: Pick<ScriptRunner, 'evaluate'>;
  readonly limits: RunLimits;
  readonly newRunId: () => string;
  readonly monotonicMs: () => number;
  /** Told of every script that ran or waited to. */
  readonly log: (line: RunLine) => void;
}

/** Who asks, and how long an answer is of use. */
export interface Caller {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** A parsed body to the bytes of the answer; throws a refusal. `at` is where the request stands in its body. */
export type Evaluate = (value: unknown, caller: Caller, at?: string) => Promise<Uint8Array>;

/** A script takes a second at most as a rule, so a second later is worth a try. */
const RETRY_AFTER_S = '1';

export function createEvaluate({ runner, limits, newRunId, monotonicMs, log }: EvaluateDeps): Evaluate {
  return async (value, { requestId, signal }, at = '') => {
    // It may have left while others were read.
    if (signal.aborted) throw clientGone();
    const head = checked(evaluateHeadSchema, value, at);
    checkScript(head.script, limits, under(at, 'script'));
    checkLibraries(head.libraries, limits, at);
    const { maxBars } = limits;
    if (head.data.length > maxBars)
      throw refusal('TOO_MANY_BARS', `${under(at, 'data')}: has ${head.data.length} bars, send at most ${maxBars}`);
    const request = requestOf(head, readBars(head.data, under(at, 'data')), limits);
    const startedMs = monotonicMs();
    const outcome = await runner.evaluate({ ...request, runId: newRunId(), signal });
    const ms = Math.round(monotonicMs() - startedMs);
    log({ run: outcome.kind, bars: request.bars.count, ms, requestId });
    if (outcome.kind === 'answer') return outcome.json;
    throw outcomeFault(outcome, signal);
  };
}

const clientGone = (): ClientGone => new ClientGone('The client left before its script was done.');

const under = (at: string, field: string): string => (at === '' ? field : `${at}.${field}`);

export function checkScript(source: string, { maxScriptChars }: RunLimits, at: string): void {
  if (source.length <= maxScriptChars) return;
  throw refusal('SCRIPT_TOO_LARGE', `${at}: has ${source.length} characters, send at most ${maxScriptChars}`);
}

export function checkLibraries(libraries: readonly LibrarySource[] = [], limits: RunLimits, at = ''): void {
  for (const [index, { source }] of libraries.entries())
    checkScript(source, limits, under(at, `libraries.${index}.source`));
}

function requestOf(
  { script, inputs, libraries, symbol, symbol_info, timeframe, timeout_seconds }: EvaluateHead,
  bars: BarColumns,
  { runTimeoutMs }: RunLimits,
): Omit<EvaluateRequest, 'runId' | 'signal'> {
  const info = withoutNulls(symbol_info ?? {});
  const named = info.ticker || info.tickerid || !symbol ? info : { ...info, ticker: symbol };
  const known = timeframe || info.period || timeframeOfBars(bars.time);
  return {
    source: script,
    bars,
    symbol: named,
    timeoutMs: timeout_seconds === undefined ? runTimeoutMs : Math.min(timeout_seconds * 1000, runTimeoutMs),
    ...(known === undefined ? {} : { timeframe: known }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(libraries === undefined ? {} : { libraries }),
  };
}

/** Null counts as not said, as it does in the engine. */
const withoutNulls = (info: Readonly<Record<string, string | number | null | undefined>>): SymbolInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null));

/** What to throw for an outcome that is no answer: the caller's faults are refusals, ours an error for the log. */
export function outcomeFault(outcome: Refused | Stopped, signal: AbortSignal): Error {
  switch (outcome.kind) {
    case 'compile-failed':
      return refusal('SCRIPT_ERROR', undefined, { extra: { diagnostics: outcome.diagnostics } });
    case 'runtime-error': {
      const { message, barIndex, line, column } = outcome;
      return refusal('RUNTIME_ERROR', message, { extra: { bar_index: barIndex, line, column } });
    }
    case 'input-fault':
      return refusal('INVALID_FIELD', outcome.reason);
    case 'timeout':
      return refusal('TIMEOUT', outcome.reason);
    case 'too-large':
      return refusal('MEMORY_LIMIT', outcome.reason);
    case 'busy':
      return refusal('BUSY', outcome.reason, { headers: { 'retry-after': RETRY_AFTER_S } });
    case 'canceled':
      if (signal.aborted) return clientGone();
      return refusal('STOPPING', outcome.reason, { headers: { 'retry-after': RETRY_AFTER_S } });
    case 'failed': {
      const fault = new Error(outcome.reason);
      if (outcome.detail !== undefined) fault.stack = outcome.detail;
      return fault;
    }
  }
}

// The evaluate contract over the script runner, whatever road a request comes by: checks it, runs it, names every fault.

import { ClientGone } from '../../http/errors.ts';
import { checkStrict } from '../../http/strict-body.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import type { Refused, RunRequest, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import { timeframeOfBars } from '../../market-data/bar-timeframe.ts';
import type { BarColumns, LibrarySource, SymbolInfo } from '../../pine/index.ts';
import { BarRows } from './bar-rows.ts';
import { readBarColumns, readBarRows, readBars } from './bars.ts';
import { refusal } from './refusal.ts';
import { type EvaluateHead, evaluateHeadSchema } from './schemas.ts';

export interface RunLimits {
  readonly maxBars: number;
  /** UTF-16 units, of the script and of each library. */
  readonly maxScriptChars: number;
  readonly runTimeoutMs: number;
}

export interface RunLine {
  /** How it ended. Never a word of the script. */
  readonly run: 'answer' | 'drawn' | Refused['kind'] | Stopped['kind'];
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
    const head = checkStrict(evaluateHeadSchema, value, at);
    checkScript(head.script, limits, under(at, 'script'));
    const request = { source: head.script, ...readRun(head, limits, at) };
    const startedMs = monotonicMs();
    const outcome = await runner.evaluate({ ...request, runId: newRunId(), signal });
    const ms = Math.round(monotonicMs() - startedMs);
    log({ run: outcome.kind, bars: request.bars.count, ms, requestId });
    if (outcome.kind === 'answer') return outcome.json;
    throw outcomeFault(outcome, signal);
  };
}

export const clientGone = (): ClientGone => new ClientGone('The client left before its script was done.');

const under = (at: string, field: string): string => (at === '' ? field : `${at}.${field}`);

export function checkScript(source: string, { maxScriptChars }: RunLimits, at: string): void {
  if (source.length <= maxScriptChars) return;
  throw refusal('SCRIPT_TOO_LARGE', `${at}: has ${source.length} characters, send at most ${maxScriptChars}`);
}

export function checkLibraries(libraries: readonly LibrarySource[] = [], limits: RunLimits, at = ''): void {
  for (const [index, { source }] of libraries.entries())
    checkScript(source, limits, under(at, `libraries.${index}.source`));
}

/** What every request over bars has, whatever is done with them. */
export interface RunFields extends Pick<EvaluateHead, 'symbol' | 'symbol_info' | 'timeframe' | 'timeout_seconds'> {
  readonly data: readonly unknown[] | BarRows | Readonly<Record<string, unknown>>;
  readonly inputs?: EvaluateHead['inputs'];
  readonly libraries?: EvaluateHead['libraries'];
}

export function readRun(
  { data, inputs, libraries, symbol, symbol_info, timeframe, timeout_seconds }: RunFields,
  limits: RunLimits,
  at = '',
): Omit<RunRequest, 'source'> & { readonly timeoutMs: number } {
  checkLibraries(libraries, limits, at);
  const bars = readData(data, limits, under(at, 'data'));
  const info = withoutNulls(symbol_info ?? {});
  const named = info.ticker || info.tickerid || !symbol ? info : { ...info, ticker: symbol };
  const known = timeframe || info.period || timeframeOfBars(bars.time);
  const { runTimeoutMs } = limits;
  return {
    bars,
    symbol: named,
    timeoutMs: timeout_seconds === undefined ? runTimeoutMs : Math.min(timeout_seconds * 1000, runTimeoutMs),
    ...(known === undefined ? {} : { timeframe: known }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(libraries === undefined ? {} : { libraries }),
  };
}

/** As rows or, where the schema lets them through, as columns. */
function readData(data: RunFields['data'], { maxBars }: RunLimits, at: string): BarColumns {
  const isRows = Array.isArray(data) || data instanceof BarRows;
  const list = isRows ? data : (data as Readonly<Record<string, unknown>>).time;
  const count = Array.isArray(list) || list instanceof BarRows ? list.length : 0;
  if (count > maxBars) throw refusal('TOO_MANY_BARS', `${at}: has ${count} bars, send at most ${maxBars}`);
  if (data instanceof BarRows) return readBarRows(data, at);
  return Array.isArray(data) ? readBars(data, at) : readBarColumns(data as Readonly<Record<string, unknown>>, at);
}

/** Null counts as not said, as it does in the engine. */
const withoutNulls = (info: Readonly<Record<string, string | number | null | undefined>>): SymbolInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null));

/** What to throw for an outcome that is no answer: the caller's faults are refusals, ours an error for the log. */
export function outcomeFault(outcome: Refused | Stopped, signal: AbortSignal): Error {
  if (outcome.kind === 'canceled' && signal.aborted) return clientGone();
  const fault = runFaultOf(outcome);
  if (fault instanceof Error) return fault;
  const retry = fault.isPassing && { headers: { 'retry-after': RETRY_AFTER_S } };
  return refusal(fault.code, fault.message, { ...retry, extra: fault.extra ?? {} });
}

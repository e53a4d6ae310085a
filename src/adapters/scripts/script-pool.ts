// The pool of threads that scripts run in: a runaway script ends alone, and the event loop never waits for any of them.

import { availableParallelism } from 'node:os';
import type { BacktestRunner } from '../../library/backtest-runner.ts';
import type { CallerRunner, RequestRunner, ScriptChecker } from '../../library/request-runner.ts';
import type { ScriptRunner } from '../../library/script-runner.ts';
import { oneOf, REFUSED } from './engine-calls.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/**
 * One core stays for the trades, and no machine needs more threads than this unless its owner says so. Two at least,
 * however few cores there are: one of them is never given to strangers.
 */
const MIN_DEFAULT_SIZE = 2;
const MAX_DEFAULT_SIZE = 4;
const defaultSize = (): number => Math.max(MIN_DEFAULT_SIZE, Math.min(availableParallelism() - 1, MAX_DEFAULT_SIZE));

export const poolDefaults = (): ThreadPoolOptions => ({
  size: defaultSize(),
  editorThreads: 0,
  duty: 'service',
  memoryMb: 256,
  timeoutMs: 10_000,
  maxQueued: 64,
  maxWaitMs: 30_000,
  thread: new URL('./thread-start.ts', import.meta.url),
});

export type ScriptPool = ScriptRunner & RequestRunner & ScriptChecker & CallerRunner & BacktestRunner;

export function createScriptPool(options: Partial<ThreadPoolOptions> = {}): ScriptPool {
  const settings = { ...poolDefaults(), ...options };
  const pool = new ThreadPool(settings);
  return {
    threads: settings.size,
    async run({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'run', ...request }, { timeoutMs, signal }), 'result', ...REFUSED);
    },
    async runFor(caller, { timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'run', ...request }, { caller, timeoutMs, signal }), 'result', ...REFUSED);
    },
    async evaluate({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'evaluate', ...request }, { timeoutMs, signal }), 'answer', ...REFUSED);
    },
    async check({ timeoutMs, signal, caller, ...request }: Parameters<ScriptChecker['check']>[0]) {
      return oneOf(await pool.ask({ kind: 'check', ...request }, { timeoutMs, signal, caller }), 'checked');
    },
    async backtests({ timeoutMs, signal, caller, ...request }) {
      const outcome = await pool.ask({ kind: 'backtests', ...request }, { timeoutMs, signal, caller });
      return oneOf(outcome, 'backtested', ...REFUSED);
    },
    async space({ timeoutMs, signal, caller, ...request }) {
      return oneOf(await pool.ask({ kind: 'space', ...request }, { timeoutMs, signal, caller }), 'space', ...REFUSED);
    },
    refusal: (caller) => pool.refusal(caller),
    async request({ caller, signal, onProgress, ...request }) {
      const body = request.body.map(inOwnMemory);
      const outcome = await pool.ask(
        { kind: 'request', request: { ...request, body } },
        { caller, signal, onProgress },
      );
      return oneOf(outcome, 'answered', 'split', 'draft', 'needs-bars', 'needs-libraries', 'rejected', ...REFUSED);
    },
    close: (waitMs) => pool.close(waitMs),
  };
}

/** Bytes can be handed over instead of copied where nothing else lives in the same memory. */
function inOwnMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length;
  return isAlone ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

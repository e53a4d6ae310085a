// The pool of threads that scripts run in: a runaway script ends alone, and the event loop never waits for any of them.

import { availableParallelism } from 'node:os';
import type { ChartDrawer } from '../../library/chart-drawer.ts';
import type { ScriptRunner, Stopped } from '../../library/script-runner.ts';
import type { Outcome } from './messages.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/** One core stays for the trades, and no machine needs more threads than this unless its owner says so. */
const MAX_DEFAULT_SIZE = 4;
const defaultSize = (): number => Math.max(1, Math.min(availableParallelism() - 1, MAX_DEFAULT_SIZE));

const defaults = (): ThreadPoolOptions => ({
  size: defaultSize(),
  duty: 'service',
  memoryMb: 256,
  timeoutMs: 10_000,
  maxQueued: 64,
  maxWaitMs: 30_000,
  thread: new URL('./thread-start.ts', import.meta.url),
});

const REFUSED = ['compile-failed', 'input-fault', 'runtime-error'] as const;

export function createScriptPool(options: Partial<ThreadPoolOptions> = {}): ScriptRunner & ChartDrawer {
  const pool = new ThreadPool({ ...defaults(), ...options });
  return {
    async run({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'run', ...request }, { timeoutMs, signal }), 'result', ...REFUSED);
    },
    async evaluate({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'evaluate', ...request }, { timeoutMs, signal }), 'answer', ...REFUSED);
    },
    async draw({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'draw', ...request }, { timeoutMs, signal }), 'drawn', ...REFUSED);
    },
    async check({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'check', ...request }, { timeoutMs, signal }), 'checked');
    },
    async complete({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'complete', ...request }, { timeoutMs, signal }), 'completed');
    },
    async hover({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'hover', ...request }, { timeoutMs, signal }), 'hovered');
    },
    close: (waitMs) => pool.close(waitMs),
  };
}

const STOPPED = ['timeout', 'too-large', 'canceled', 'busy', 'failed'] as const satisfies readonly Stopped['kind'][];

/** The outcome, when it is one that the order can have. */
function oneOf<K extends Outcome['kind']>(
  outcome: Outcome | Stopped,
  ...kinds: readonly K[]
): Extract<Outcome, { kind: K }> | Stopped {
  if ((STOPPED as readonly string[]).includes(outcome.kind)) return outcome as Stopped;
  if ((kinds as readonly string[]).includes(outcome.kind)) return outcome as Extract<Outcome, { kind: K }>;
  return { kind: 'failed', reason: `the script engine answered with "${outcome.kind}"; report it, please` };
}

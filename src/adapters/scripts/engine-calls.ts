// The engine of a thread as the calls that requests make of it: each is a job, answered at once.

import type { ScriptEngine } from '../../library/request-runner.ts';
import type { Stopped } from '../../library/script-runner.ts';
import type { Outcome, ScriptJob, ScriptOutcome } from './messages.ts';

/** How a script may end that compiles and runs otherwise. */
export const REFUSED = ['compile-failed', 'input-fault', 'runtime-error'] as const;
const STOPPED = ['timeout', 'too-large', 'canceled', 'busy', 'failed'] as const satisfies readonly Stopped['kind'][];

/** Deadline and signal are watched from outside of the thread. */
const withoutLimits = <T extends { timeoutMs?: unknown; signal?: unknown; caller?: unknown }>({
  timeoutMs: _,
  signal: __,
  caller: ___,
  ...rest
}: T) => rest;

export function engineOf(answer: (job: ScriptJob) => ScriptOutcome): ScriptEngine {
  return {
    evaluate: (request) => oneOf(answer({ kind: 'evaluate', ...withoutLimits(request) }), 'answer', ...REFUSED),
    run: (request) => oneOf(answer({ kind: 'run', ...withoutLimits(request) }), 'result', ...REFUSED),
    space: (request) => oneOf(answer({ kind: 'space', ...withoutLimits(request) }), 'space', ...REFUSED),
    draw: (request) => oneOf(answer({ kind: 'draw', ...withoutLimits(request) }), 'drawn', 'not-drawn', ...REFUSED),
    check: (request) => oneOf(answer({ kind: 'check', ...withoutLimits(request) }), 'checked'),
    complete: (request) => oneOf(answer({ kind: 'complete', ...withoutLimits(request) }), 'completed'),
    convert: (request) =>
      oneOf(answer({ kind: 'convert', ...withoutLimits(request) }), 'converted', 'not-old', 'compile-failed'),
    hover: (request) => oneOf(answer({ kind: 'hover', ...withoutLimits(request) }), 'hovered'),
  };
}

/** The outcome, when it is one that the job can have. */
export function oneOf<K extends Outcome['kind']>(
  outcome: Outcome | Stopped,
  ...kinds: readonly K[]
): Extract<Outcome, { kind: K }> | Stopped {
  if ((STOPPED as readonly string[]).includes(outcome.kind)) return outcome as Stopped;
  if ((kinds as readonly string[]).includes(outcome.kind)) return outcome as Extract<Outcome, { kind: K }>;
  return { kind: 'failed', reason: `the script engine answered with "${outcome.kind}"; report it, please` };
}

// What is to be told of a run that gave no result: a code of the evaluate contract, in the same words on every road to it.

import type { Refused, ScriptDiagnostic, Stopped } from './script-runner.ts';

export interface RunFault {
  readonly code:
    | ('SCRIPT_ERROR' | 'RUNTIME_ERROR' | 'INVALID_FIELD' | 'TIMEOUT' | 'MEMORY_LIMIT')
    | ('BUSY' | 'STOPPING');
  readonly message: string;
  /** Besides code and message. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Trying again in a moment may help. */
  readonly isPassing?: true;
}

/**
 * The first error with its line and remedy, because most clients show a message and nothing else: "line 3: clse is not
 * declared. Did you mean close?". How many more there are is said; where they are, the diagnostics tell.
 */
export function firstErrorOf(diagnostics: readonly ScriptDiagnostic[]): string {
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
  if (first === undefined) return 'the script has errors; the diagnostics tell where';
  const { line, message, remedy = '' } = first;
  const words = `line ${line}: ${message} ${remedy}`.trim().replace(/\.$/, '');
  if (others.length === 0) return words;
  return `${words} (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'}: see diagnostics)`;
}

/** The caller's faults by their code; a fault of ours, INTERNAL to everybody, as an error for whoever runs Signalbox. */
export function runFaultOf(outcome: Refused | Stopped): RunFault | Error {
  switch (outcome.kind) {
    case 'compile-failed':
      return {
        code: 'SCRIPT_ERROR',
        message: firstErrorOf(outcome.diagnostics),
        extra: { diagnostics: outcome.diagnostics },
      };
    case 'runtime-error': {
      const { message, barIndex, line, column } = outcome;
      return { code: 'RUNTIME_ERROR', message, extra: { bar_index: barIndex, line, column } };
    }
    case 'input-fault':
      return { code: 'INVALID_FIELD', message: outcome.reason };
    case 'timeout':
      return { code: 'TIMEOUT', message: outcome.reason };
    case 'too-large':
      return { code: 'MEMORY_LIMIT', message: outcome.reason };
    case 'busy':
      return { code: 'BUSY', message: outcome.reason, isPassing: true };
    case 'canceled':
      return { code: 'STOPPING', message: outcome.reason, isPassing: true };
    case 'failed': {
      const fault = new Error(outcome.reason);
      if (outcome.detail !== undefined) fault.stack = outcome.detail;
      return fault;
    }
  }
}

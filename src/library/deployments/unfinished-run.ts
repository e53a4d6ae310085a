// A run of a deployment that did not come to its end, and why, in words for its log.

import { firstErrorOf } from '../run-fault.ts';
import type { Refused, Stopped } from '../script-runner.ts';

export type Unfinished = Refused | Stopped;

export function reasonOf(outcome: Unfinished): string {
  switch (outcome.kind) {
    case 'runtime-error':
      return `line ${outcome.line}: ${outcome.message}`;
    case 'compile-failed':
      return `the script does not compile any more: ${firstErrorOf(outcome.diagnostics)}`;
    default:
      return outcome.reason;
  }
}

// Offsets of `[]` that are known before the script runs.

import type { Expr } from '../check/tree.ts';
import { LONGEST_HISTORY } from '../run/history.ts';

/** The offset where it is known and allowed; every other one is looked at when it is used. */
export function constantOffset(offset: Expr): number | undefined {
  const value =
    offset.kind === 'constant' ? offset.value : offset.kind === 'variable' ? offset.variable.constant : undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= LONGEST_HISTORY ? value : undefined;
}

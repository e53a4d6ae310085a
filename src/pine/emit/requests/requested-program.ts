// The part of a script that a requested expression needs, as a program of its own for the bars of another symbol.

import type { BuiltinCallExpr, CheckedProgram, Variable } from '../../check/tree.ts';
import { flatten } from './flatten.ts';
import { sliceOf } from './slice.ts';

export interface RequestedProgram {
  readonly program: CheckedProgram;
  /** What the expression reads and only the chart knows: the turn of a loop. */
  readonly missing: readonly Variable[];
}

export function requestedProgram(program: CheckedProgram, request: BuiltinCallExpr): RequestedProgram {
  const { statements, capture, own, laidOpen } = flatten(program, request);
  const slice = sliceOf(statements, { root: capture, own, laidOpen });
  return {
    program: {
      ...program,
      scriptType: 'indicator',
      settings: {},
      main: { statements: slice.statements, value: null },
      outputs: [],
    },
    missing: slice.missing,
  };
}

// What the emitter must know of the whole program before it writes the first line.

import type { Block, CheckedProgram, FunctionInstance, Variable } from '../check/tree.ts';
import { crossing, partsOfMain } from './main-parts.ts';
import { walkBlock } from './walk-tree.ts';

export interface Analysis {
  /** The statements of the outermost scope, in as many functions. */
  readonly parts: readonly Block[];
  /** Global variables that several functions know: they live in the main frame and not in a local. */
  readonly captured: ReadonlySet<Variable>;
  /** Functions that may be called more than once on one bar by the same call. */
  readonly repeated: ReadonlySet<FunctionInstance>;
  /** Whether the checker took a `var` for a constant that is given other values, as v5 does. */
  readonly constantsChange: boolean;
}

export function analyse(program: CheckedProgram): Analysis {
  const parts = partsOfMain(program.main);
  const captured = crossing(parts);
  const repeated = new Set<FunctionInstance>();
  const reached = new Set<FunctionInstance>();
  let constantsChange = false;
  const note = ({ mode, reassigned, type }: Variable): void => {
    if (mode !== 'plain' && reassigned && type.qualifier !== 'series') constantsChange = true;
  };
  const visit = (callee: FunctionInstance, inLoop: boolean): void => {
    if (reached.has(callee) && (!inLoop || repeated.has(callee))) return;
    reached.add(callee);
    if (inLoop) repeated.add(callee);
    walkBlock(
      callee.body,
      (expr, deeper) => {
        if (expr.kind === 'variable') note(expr.variable);
        if (expr.kind === 'variable' && expr.variable.scope === 'global') captured.add(expr.variable);
        if (expr.kind === 'user-call') visit(expr.callee, deeper);
      },
      inLoop,
    );
  };
  walkBlock(program.main, (expr, inLoop) => {
    if (expr.kind === 'variable') note(expr.variable);
    if (expr.kind === 'user-call') visit(expr.callee, inLoop);
  });
  return { parts, captured, repeated, constantsChange };
}

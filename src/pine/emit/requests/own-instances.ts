// Gives every call of a function that requests other data a copy of that function: what it requests depends on the
// arguments of the call, which are worked out on the bars of the requested symbol.

import type { Block, CheckedProgram, FunctionInstance, Variable } from '../../check/tree.ts';
import { walkBlock } from '../walk-tree.ts';
import { cloneTree } from './clone-tree.ts';
import { FreshIds } from './fresh-ids.ts';

/** The functions with an expression that is worked out on other bars. */
export const REQUESTS: ReadonlySet<string> = new Set(['request.security', 'request.security_lower_tf']);

/** Of copies; calls in calls multiply, and no script may have nearly as many requests. */
const MAX_COPIES = 500;

export interface OwnInstances {
  readonly program: CheckedProgram;
  /** Whether there would be more copies than any script needs. */
  readonly isTooLarge: boolean;
}

export function withOwnInstances(program: CheckedProgram): OwnInstances {
  const requesting = requestingFunctions(program.main);
  if (requesting.size === 0) return { program, isTooLarge: false };
  const ids = new FreshIds(program);
  let copies = 0;
  const calleeOf = (callee: FunctionInstance): FunctionInstance => {
    if (!requesting.has(callee) || copies >= MAX_COPIES) return callee;
    copies += 1;
    const own = new Map<Variable, Variable>();
    const variable = (known: Variable): Variable => {
      if (known.scope === 'global') return known;
      const made = own.get(known) ?? { ...known, id: ids.next() };
      own.set(known, made);
      return made;
    };
    return {
      ...callee,
      id: ids.next(),
      parameters: callee.parameters.map(variable),
      body: cloneTree(callee.body, { variable, callee: calleeOf }),
    };
  };
  const main = cloneTree(program.main, { variable: (known) => known, callee: calleeOf });
  return { program: { ...program, main }, isTooLarge: copies >= MAX_COPIES };
}

/** Functions that request, themselves or through others. */
function requestingFunctions(main: Block): Set<FunctionInstance> {
  const known = new Map<FunctionInstance, boolean>();
  const requests = (block: Block): boolean => {
    let found = false;
    walkBlock(block, (expr) => {
      if (expr.kind === 'call' && REQUESTS.has(expr.name)) found = true;
      if (expr.kind !== 'user-call') return;
      const { callee } = expr;
      if (!known.has(callee)) known.set(callee, requests(callee.body));
      found ||= known.get(callee)!;
    });
    return found;
  };
  requests(main);
  return new Set([...known].filter(([, found]) => found).map(([callee]) => callee));
}

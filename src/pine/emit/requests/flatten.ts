// The script around a request as one list of statements, with the requested expression where the request stands.
//
// On the bars of the requested symbol the expression has a value on every bar, wherever its request stands: blocks and
// functions that lead to it are laid open. What they declare is declared anew under other variables, since the same
// blocks may stand in the list a second time as what they are.

import type { Block, BuiltinCallExpr, CheckedProgram, Expr, Stmt, UserCallExpr, Variable } from '../../check/tree.ts';
import { blocksOf, partsOf } from '../walk-tree.ts';
import { cloneTree } from './clone-tree.ts';
import { FreshIds } from './fresh-ids.ts';

/** What leads from the outermost block to the request: into a block at a statement, or into the function of a call. */
type Step =
  | { readonly kind: 'block'; readonly block: Block; readonly at: number }
  | { readonly kind: 'call'; readonly call: UserCallExpr };

export interface Flattened {
  readonly statements: readonly Stmt[];
  /** The statement that works the expression out. */
  readonly capture: Stmt;
  /** Variables that were declared anew, and the statements they stand in. */
  readonly own: ReadonlySet<Variable>;
  readonly laidOpen: ReadonlySet<Stmt>;
}

/** The call that keeps the value of a requested expression; scripts cannot write it. */
export const CAPTURE = 'request.capture';

const origins = new WeakMap<object, object>();

/** The call of the script that a call laid open is a copy of. */
export const originOf = (call: object): object => origins.get(call) ?? call;

export function flatten(program: CheckedProgram, request: BuiltinCallExpr): Flattened {
  const steps = stepsIn(program.main, request);
  if (steps?.[0]?.kind !== 'block') throw new Error(`the script has no such call of ${request.name}`);
  const [outer, ...inner] = steps;
  const own = new Map<Variable, Variable>();
  const ids = new FreshIds(program);
  const replace = {
    callee: <T>(callee: T): T => callee,
    copied: (copy: object, original: object): void => {
      origins.set(copy, originOf(original));
    },
    variable: (known: Variable): Variable => {
      if (known.scope === 'global') return known;
      const made = own.get(known) ?? {
        ...known,
        id: ids.next(),
        scope: isDirect(known, inner) ? 'global' : known.scope,
      };
      own.set(known, made);
      return made;
    },
  };
  const before: Stmt[] = [];
  const after: Stmt[] = [];
  for (const step of inner) {
    if (step.kind === 'block') {
      before.push(...cloneTree(step.block.statements.slice(0, step.at), replace));
      after.unshift(...cloneTree(step.block.statements.slice(step.at), replace));
      continue;
    }
    const { callee, arguments: given, span } = step.call;
    for (const [place, parameter] of callee.parameters.entries())
      before.push({
        kind: 'declare',
        variable: replace.variable(parameter),
        value: cloneTree(given[place]!, replace),
        span,
      });
  }
  const capture = captureOf(cloneTree(request, replace));
  const { statements } = outer.block;
  return {
    statements: [...statements.slice(0, outer.at), ...before, capture, ...after, ...statements.slice(outer.at)],
    capture,
    own: new Set(own.values()),
    laidOpen: new Set([...before, ...after]),
  };
}

/** Whether a variable is declared by what is laid open itself, and not deeper: then every bar gives it a value. */
function isDirect(variable: Variable, steps: readonly Step[]): boolean {
  return steps.some((step) =>
    step.kind === 'call'
      ? step.call.callee.parameters.includes(variable)
      : step.block.statements.some((statement) => declares(statement, variable)),
  );
}

function declares(statement: Stmt, variable: Variable): boolean {
  if (statement.kind === 'declare') return statement.variable === variable;
  return statement.kind === 'declare-tuple' && statement.variables.includes(variable);
}

function captureOf(request: BuiltinCallExpr): Stmt {
  const argument = request.arguments.find(({ parameter }) => parameter.name === 'expression')!;
  const call: Expr = { ...request, name: CAPTURE, arguments: [argument] };
  return { kind: 'evaluate', value: call, span: request.span };
}

function stepsIn(block: Block, request: BuiltinCallExpr): Step[] | null {
  const values = [...block.statements.map(valuesOf), block.value === null ? [] : [block.value]];
  for (const [at, exprs] of values.entries())
    for (const expr of exprs) {
      const steps = stepsThrough(expr, request);
      if (steps !== null) return [{ kind: 'block', block, at }, ...steps];
    }
  return null;
}

function valuesOf(statement: Stmt): Expr[] {
  if (!('value' in statement)) return [];
  return statement.kind === 'assign-field' ? [statement.target, statement.value] : [statement.value];
}

function stepsThrough(expr: Expr, request: BuiltinCallExpr): Step[] | null {
  if (expr === request) return [];
  for (const part of partsOf(expr)) {
    const steps = stepsThrough(part, request);
    if (steps !== null) return steps;
  }
  for (const block of blocksOf(expr)) {
    const steps = stepsIn(block, request);
    if (steps !== null) return steps;
  }
  if (expr.kind !== 'user-call') return null;
  const steps = stepsIn(expr.callee.body, request);
  return steps === null ? null : [{ kind: 'call', call: expr }, ...steps];
}

// What `[]` reads inside of an operand that may be skipped, such as one side of `?:`, is worked out on every run of the block
// around it: `inSession() and not inSession()[1]` asks for the bar before, not for the last time the right side was looked
// at. Only what cannot fail and has no effect is moved out like that; the rest is worked out where it stands.

import { findFunction } from '../builtins/index.ts';
import { scalar, typeOf } from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { isInt, naExpr } from './shapes.ts';
import type { Block, BuiltinCallExpr, Expr, FieldExpr, FunctionInstance, Stmt, Variable } from './tree.ts';

/** Functions that answer for whatever they are given. */
const HARMLESS: ReadonlySet<string> = new Set(['na', 'nz', 'fixnan', 'int', 'float', 'bool', 'time', 'time_close']);

/** The operand as a variable that gets its value before the statement, or as it is where that would not be right. */
export function onEveryRun(c: Checker, operand: Expr, span: Span): Expr {
  const { before, place } = c;
  if (before === null || place.lazy !== 'yes' || isKept(operand)) return operand;
  const value = operand.kind === 'field' ? fieldOrNa(c, operand) : isHarmless(c, operand) ? operand : null;
  if (value === null) return operand;
  const { type } = operand;
  const variable: Variable = {
    ...{ id: c.program.nextId(), name: '', type, span },
    ...{ scope: place.local ? 'local' : 'global', mode: 'plain', reassigned: false, history: 0 },
  };
  before.push({ kind: 'declare', variable, value, span });
  return { kind: 'variable', variable, type, span };
}

/** The field of a variable, na while there is no object. */
function fieldOrNa(c: Checker, field: FieldExpr): Expr | null {
  const { object, type, span } = field;
  if (object.kind !== 'variable') return null;
  const overload = findFunction('na')!.overloads[0]!;
  const condition: Expr = {
    ...{ kind: 'call', name: 'na', overload, typeArguments: [], span },
    arguments: [{ parameter: overload.parameters[0]!, values: [object] }],
    type: typeOf('series', scalar('bool')),
  };
  const whenTrue = naExpr(type.shape, c.version, span);
  return { kind: 'conditional', condition, whenTrue, whenFalse: field, type, span };
}

/** Has a past of its own already. */
const isKept = ({ kind }: Expr): boolean => kind === 'variable' || kind === 'builtin' || kind === 'constant';

function isHarmless(c: Checker, expr: Expr): boolean {
  const every = (parts: readonly (Expr | null)[]): boolean =>
    parts.every((part) => part === null || isHarmless(c, part));
  switch (expr.kind) {
    case 'constant':
    case 'variable':
    case 'builtin':
    case 'enum':
      return true;
    case 'unary':
    case 'to-bool':
      return isHarmless(c, expr.operand);
    case 'binary':
      return every([expr.left, expr.right]);
    case 'conditional':
      return every([expr.condition, expr.whenTrue, expr.whenFalse]);
    case 'tuple':
      return every(expr.elements);
    case 'history':
      return typeof expr.depth === 'number' && isHarmless(c, expr.operand);
    case 'call':
      return isHarmlessCall(expr) && every(expr.arguments.flatMap(({ values }) => values));
    case 'user-call':
      return every(expr.arguments) && isHarmlessFunction(c, expr.callee);
    case 'if':
      return (
        every(expr.branches.map(({ condition }) => condition)) &&
        [...expr.branches.map(({ body }) => body), expr.otherwise].every((block) => isHarmlessBlock(c, block))
      );
    default:
      return false;
  }
}

/** A length that changes may be none on a bar on which nobody asks for it. */
function isHarmlessCall({ name, arguments: given }: BuiltinCallExpr): boolean {
  if (HARMLESS.has(name)) return true;
  if (name.startsWith('math.') && name !== 'math.sum') return name !== 'math.random';
  if (!name.startsWith('ta.') && name !== 'math.sum') return false;
  return given.every(({ parameter, values }) => isSource(parameter.name) || !values.some(isChangingInt));
}

const isSource = (name: string): boolean => name.startsWith('source') || name === 'series';

const isChangingInt = ({ type: { qualifier, shape } }: Expr): boolean => qualifier === 'series' && isInt(shape);

function isHarmlessFunction(c: Checker, callee: FunctionInstance): boolean {
  const known = c.program.harmless.get(callee);
  if (known !== undefined) return known;
  const found = isHarmlessBlock(c, callee.body);
  c.program.harmless.set(callee, found);
  return found;
}

const isHarmlessBlock = (c: Checker, block: Block | null): boolean =>
  block === null ||
  (block.statements.every((statement) => isHarmlessStatement(c, statement)) &&
    (block.value === null || isHarmless(c, block.value)));

function isHarmlessStatement(c: Checker, statement: Stmt): boolean {
  if (statement.kind === 'declare') return statement.variable.mode === 'plain' && isHarmless(c, statement.value);
  if (statement.kind === 'declare-tuple' || statement.kind === 'assign') return isHarmless(c, statement.value);
  return statement.kind === 'evaluate' && isHarmless(c, statement.value);
}

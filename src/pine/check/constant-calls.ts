// User functions called with constants: where everything in the body is known at compile time, so is the answer.

import { constantValue } from './constants.ts';
import type { Block, ConstantExpr, ConstantValue, Expr, Stmt, UserCallExpr, Variable } from './tree.ts';

type Known = ReadonlyMap<Variable, ConstantValue>;

/** The call as its value, if that is known; the call itself if not. */
export function foldUserCall(call: UserCallExpr): UserCallExpr | ConstantExpr {
  const { callee, arguments: given, type, span } = call;
  if (type.qualifier !== 'const' || type.shape.kind === 'tuple' || type.shape.kind === 'void') return call;
  const known = new Map<Variable, ConstantValue>();
  for (const [i, parameter] of callee.parameters.entries()) {
    const value = constantValue(given[i]!);
    if (value === undefined) return call;
    known.set(parameter, value);
  }
  const value = blockValue(callee.body, known);
  return value === undefined ? call : { kind: 'constant', value, type, span };
}

/** Of a body that only declares names and ends in a value. */
function blockValue({ statements, value }: Block, given: Known): ConstantValue | undefined {
  if (value === null) return undefined;
  const known = new Map(given);
  for (const statement of statements) if (!declares(statement, known)) return undefined;
  return constantValue(withKnown(value, known));
}

function declares(statement: Stmt, known: Map<Variable, ConstantValue>): boolean {
  if (statement.kind !== 'declare' || statement.variable.reassigned) return false;
  const value = constantValue(withKnown(statement.value, known));
  if (value !== undefined) known.set(statement.variable, value);
  return value !== undefined;
}

/** The expression with the variables written out whose values are known. */
function withKnown(expr: Expr, known: Known): Expr {
  const inner = (part: Expr): Expr => withKnown(part, known);
  switch (expr.kind) {
    case 'variable': {
      const value = known.get(expr.variable);
      return value === undefined ? expr : { kind: 'constant', value, type: expr.type, span: expr.span };
    }
    case 'unary':
    case 'to-bool':
      return { ...expr, operand: inner(expr.operand) };
    case 'binary':
      return { ...expr, left: inner(expr.left), right: inner(expr.right) };
    case 'conditional':
      return {
        ...expr,
        condition: inner(expr.condition),
        whenTrue: inner(expr.whenTrue),
        whenFalse: inner(expr.whenFalse),
      };
    case 'call': {
      const args = expr.arguments.map(({ parameter, values }) => ({ parameter, values: values.map(inner) }));
      return { ...expr, arguments: args };
    }
    default:
      return expr;
  }
}

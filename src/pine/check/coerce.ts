// Gives an expression the shape its place asks for: na its value, and a number of v5 the bool it stands for.

import { findFunction } from '../builtins/index.ts';
import { type PineVersion, type Shape, typeOf } from '../builtins/types.ts';
import { isBool, isInt, isNumber, isUnknown, naExpr, QUOTIENT } from './shapes.ts';
import type { Block, Expr } from './tree.ts';

/** The expression with the shape, which it must fit already. */
export function coerce(expr: Expr, shape: Shape, version: PineVersion): Expr {
  const from = expr.type.shape;
  if (isUnknown(from) || isUnknown(shape) || from === shape) return expr;
  if (shape.kind === 'union') return coerce(expr, memberFor(from, shape.members), version);
  if (from.kind === 'na' && shape.kind !== 'na') return withShape(expr, shape, version);
  if (from === QUOTIENT && isInt(shape)) return cut(expr, shape);
  if (isNumber(from) && isBool(shape)) {
    const type = typeOf(expr.type.qualifier, shape);
    return { kind: 'to-bool', operand: expr, type, span: expr.span };
  }
  if (from.kind === 'tuple' && shape.kind === 'tuple' && differs(from, shape)) return withShape(expr, shape, version);
  return expr;
}

/** The whole part of a number, as `int()` gives it. */
export function cut(expr: Expr, shape: Shape): Expr {
  const overload = findFunction('int')!.overloads[0]!;
  const args = [{ parameter: overload.parameters[0]!, values: [expr] }];
  const type = typeOf(expr.type.qualifier, shape);
  return { kind: 'call', name: 'int', overload, arguments: args, typeArguments: [], type, span: expr.span };
}

/** Which of several shapes is meant: na takes the first, anything else stays what it is. */
const memberFor = (from: Shape, members: readonly Shape[]): Shape => (from.kind === 'na' ? (members[0] ?? from) : from);

/** Whether an item of a tuple must change for it to have the other's shape; int as float does not count. */
const differs = (from: Shape & { kind: 'tuple' }, to: Shape & { kind: 'tuple' }): boolean =>
  from.items.some(({ shape }, i) => {
    const wanted = to.items[i]?.shape;
    return (
      wanted !== undefined && ((shape.kind === 'na' && wanted.kind !== 'na') || (isNumber(shape) && isBool(wanted)))
    );
  });

/** Goes into what only passes a value on, down to the na itself. */
function withShape(expr: Expr, shape: Shape, version: PineVersion): Expr {
  const type = typeOf(expr.type.qualifier, shape);
  const block = (body: Block): Block => blockWithShape(body, shape, version);
  switch (expr.kind) {
    case 'constant':
      return naExpr(shape, version, expr.span);
    case 'tuple': {
      const items = shape.kind === 'tuple' ? shape.items : [];
      const elements = expr.elements.map((element, i) => coerce(element, items[i]?.shape ?? shape, version));
      return { ...expr, elements, type };
    }
    case 'conditional': {
      const whenTrue = coerce(expr.whenTrue, shape, version);
      return { ...expr, whenTrue, whenFalse: coerce(expr.whenFalse, shape, version), type };
    }
    case 'if': {
      const branches = expr.branches.map(({ condition, body }) => ({ condition, body: block(body) }));
      return { ...expr, branches, otherwise: expr.otherwise && block(expr.otherwise), type };
    }
    case 'switch': {
      const arms = expr.arms.map(({ match, body }) => ({ match, body: block(body) }));
      return { ...expr, arms, otherwise: expr.otherwise && block(expr.otherwise), type };
    }
    case 'for':
    case 'for-in':
    case 'while':
      return { ...expr, body: block(expr.body), empty: expr.empty && coerce(expr.empty, shape, version), type };
    default:
      return expr.type.shape.kind === 'na' ? runForNa(expr, shape, version) : expr;
  }
}

export const blockWithShape = (body: Block, shape: Shape, version: PineVersion): Block =>
  body.value === null ? body : { statements: body.statements, value: coerce(body.value, shape, version) };

/**
 * A call that can answer nothing but na: it runs, and na of the wanted shape is the value. A plain expression, since
 * such a call may stand in the middle of another; what the comparison finds does not matter.
 */
function runForNa(expr: Expr, shape: Shape, version: PineVersion): Expr {
  const { span, type } = expr;
  const value = naExpr(shape, version, span);
  const condition: Expr = {
    kind: 'binary',
    operator: '==',
    operands: 'item',
    left: expr,
    right: { kind: 'constant', value: null, type, span },
    lazy: false,
    type: typeOf(type.qualifier, { kind: 'scalar', name: 'bool' }),
    span,
  };
  const result = typeOf(type.qualifier, shape);
  return { kind: 'conditional', condition, whenTrue: value, whenFalse: value, type: result, span };
}

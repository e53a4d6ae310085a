// Expressions by their kind; literals, choices and tuples are here, the rest has files of its own.

import { laterQualifier, NA, type Qualifier, type ScalarName, scalar, tupleOf, typeOf } from '../builtins/types.ts';
import type { Conditional, Expression, Literal, Tuple } from '../syntax/index.ts';
import { checkCall } from './check-calls.ts';
import { checkHistory } from './check-history.ts';
import { checkMember } from './check-members.ts';
import { checkName } from './check-names.ts';
import { binary, checkCondition, checkUnary } from './check-operators.ts';
import { checkStructure } from './check-structures.ts';
import type { Checker, Want } from './checker.ts';
import { coerce } from './coerce.ts';
import { describe, joinTypes, unknownExpr } from './shapes.ts';
import type { ConstantExpr, Expr } from './tree.ts';

export function checkExpression(c: Checker, node: Expression, want: Want): Expr {
  switch (node.kind) {
    case 'int':
    case 'float':
    case 'string':
    case 'color':
    case 'bool':
    case 'na':
      return literal(node);
    case 'identifier':
      return checkName(c, node);
    case 'member':
      return checkMember(c, node);
    case 'history':
      return checkHistory(c, node);
    case 'call':
      return checkCall(c, node);
    case 'unary':
      return checkUnary(c, node);
    case 'binary': {
      const left = c.value(node.left);
      const lazy = c.version === 6 && (node.operator === 'and' || node.operator === 'or');
      const right = lazy ? c.lazily(left.type.qualifier, () => c.value(node.right)) : c.value(node.right);
      // As written: a zero that only comes out of a variable or a call makes the quotient na.
      if (c.version === 5 && node.operator === '/' && isZero(node.right))
        return c.refuse('badOperands', 'Division by zero.', node.right.span);
      return binary(c, node.operator, left, right, node.span);
    }
    case 'conditional':
      return checkConditional(c, node);
    case 'tuple':
      return checkTuple(c, node);
    case 'hole':
      c.broken = true;
      return unknownExpr(node.span);
    default:
      return checkStructure(c, node, want);
  }
}

function literal(node: Literal): ConstantExpr {
  const { span } = node;
  if (node.kind === 'na') return { kind: 'constant', value: null, type: typeOf('const', NA), span };
  const name: ScalarName = node.kind;
  return { kind: 'constant', value: node.value, type: typeOf('const', scalar(name)), span };
}

function checkConditional(c: Checker, node: Conditional): Expr {
  const condition = checkCondition(c, node.condition);
  const { qualifier } = condition.type;
  const whenTrue = c.lazily(qualifier, () => c.value(node.whenTrue));
  const whenFalse = c.lazily(qualifier, () => c.value(node.whenFalse));
  if (c.version === 6 && [whenTrue, whenFalse].some((side) => side.type.shape.kind === 'tuple'))
    return c.refuse('badTuple', '"?:" cannot give a tuple.', node.span, 'Use "if" or "switch" instead.');
  const type = joinTypes(whenTrue.type, whenFalse.type, c.version);
  if (type === null) {
    const message = `The two values are of different types: ${describe(whenTrue.type)} and ${describe(whenFalse.type)}.`;
    return c.refuse('branchesDiffer', message, node.span, 'Give both the same type.');
  }
  return {
    kind: 'conditional',
    condition,
    whenTrue: coerce(whenTrue, type.shape, c.version),
    whenFalse: coerce(whenFalse, type.shape, c.version),
    type: typeOf(laterQualifier(type.qualifier, qualifier), type.shape),
    span: node.span,
  };
}

function checkTuple(c: Checker, node: Tuple): Expr {
  const elements = node.elements.map((element) => {
    const value = c.value(element);
    if (value.type.shape.kind !== 'tuple') return value;
    return c.refuse('badTuple', 'A tuple cannot lie in another.', element.span, 'Write its values one by one.');
  });
  const qualifier = elements.reduce<Qualifier>((latest, { type }) => laterQualifier(latest, type.qualifier), 'const');
  return {
    kind: 'tuple',
    elements,
    type: typeOf(qualifier, tupleOf(elements.map(({ type }) => type))),
    span: node.span,
  };
}

/** A zero that stands in the text itself, with or without a sign. */
function isZero(node: Expression): boolean {
  const number = node.kind === 'unary' ? node.operand : node;
  return (number.kind === 'int' || number.kind === 'float') && number.value === 0;
}

// Operators: what they take, what they answer, and what na and the numbers of v5 become beside them.

import {
  laterQualifier,
  type PineType,
  type PineVersion,
  type Qualifier,
  type Shape,
  sameShape,
  scalar,
  typeOf,
} from '../builtins/types.ts';
import type { BinaryOperator, Expression, Span, Unary } from '../syntax/index.ts';
import { type Checker, isFaulty } from './checker.ts';
import { coerce } from './coerce.ts';
import { constantValue } from './constants.ts';
import { displaySum } from './display-sums.ts';
import { isReference } from './given-values.ts';
import {
  describe,
  isBool,
  isInt,
  isNumber,
  isString,
  isUnknown,
  NA_ALONE,
  QUOTIENT,
  UNEVEN,
  UNKNOWN_TYPE,
} from './shapes.ts';
import type { BinaryExpr, Expr, OperandKind } from './tree.ts';

const BOOL = scalar('bool');
const FLOAT = scalar('float');

/** An expression as the condition of something. */
export function checkCondition(c: Checker, node: Expression): Expr {
  return asCondition(c, c.value(node));
}

export function asCondition(c: Checker, expr: Expr): Expr {
  const { shape } = expr.type;
  if (isUnknown(shape) || isBool(shape)) return expr;
  if (c.version === 5 && (isNumber(shape) || shape.kind === 'na')) return coerce(expr, BOOL, 5);
  const remedy = isNumber(shape) ? 'Compare it with something, such as "!= 0".' : 'Write a comparison, or a bool.';
  return c.refuse('badCondition', `A bool is needed here, not ${describe(expr.type)}.`, expr.span, remedy);
}

export function checkUnary(c: Checker, node: Unary): Expr {
  const { operator, span } = node;
  if (operator === 'not') {
    const operand = checkCondition(c, node.operand);
    return { kind: 'unary', operator, operand, type: typeOf(operand.type.qualifier, BOOL), span };
  }
  const operand = c.value(node.operand);
  if (isFaulty(operand)) return operand;
  const { qualifier, shape } = operand.type;
  if (shape.kind === 'na') return coerce(operand, NA_ALONE, c.version);
  if (isNumber(shape)) return { kind: 'unary', operator, operand, type: typeOf(qualifier, shape), span };
  return c.refuse('badOperands', `"${operator}" needs a number, not ${describe(operand.type)}.`, span);
}

const KINDS: Readonly<Record<BinaryOperator, 'logic' | 'equality' | 'order' | 'arithmetic'>> = {
  and: 'logic',
  or: 'logic',
  '==': 'equality',
  '!=': 'equality',
  '<': 'order',
  '<=': 'order',
  '>': 'order',
  '>=': 'order',
  '+': 'arithmetic',
  '-': 'arithmetic',
  '*': 'arithmetic',
  '/': 'arithmetic',
  '%': 'arithmetic',
};

/** `left operator right`, both checked already. */
export function binary(c: Checker, operator: BinaryOperator, left: Expr, right: Expr, span: Span): Expr {
  const qualifier = laterQualifier(left.type.qualifier, right.type.qualifier);
  const kind = KINDS[operator];
  if (kind === 'logic') return logic(c, operator, asCondition(c, left), asCondition(c, right), qualifier, span);
  if (isFaulty(left) || isFaulty(right)) {
    const type: PineType = kind === 'arithmetic' ? UNKNOWN_TYPE : typeOf(qualifier, BOOL);
    return { kind: 'binary', operator, operands: 'item', left, right, lazy: false, type, span };
  }
  const display = displaySum(operator, left, right, span);
  if (display !== null) return display;
  const common = kind === 'equality' ? equalShape(c, left, right) : numberShape(left, right, operator === '+');
  if (common === null) return wrongOperands(c, operator, left, right, span);
  const operands = operandKind(common, c.version);
  const parts = { left: coerce(left, common, c.version), right: coerce(right, common, c.version), lazy: false, span };
  if (kind !== 'arithmetic') return { kind: 'binary', operator, operands, ...parts, type: typeOf(qualifier, BOOL) };
  if (operator !== '/') return { kind: 'binary', operator, operands, ...parts, type: typeOf(qualifier, common) };
  const whole = c.version === 5 && operands === 'int' && qualifier === 'const' && isKnown(left) && isKnown(right);
  const type = typeOf(qualifier, whole ? common : operands === 'int' || common === QUOTIENT ? QUOTIENT : FLOAT);
  return { kind: 'binary', operator: whole ? 'int-quotient' : '/', operands, ...parts, type };
}

/** Not so a parameter: the manual's own `2 / (length + 1)` in a function is no 0 when a literal length is handed over. */
const isKnown = (expr: Expr): boolean => constantValue(expr) !== undefined;

function logic(
  c: Checker,
  operator: BinaryOperator,
  left: Expr,
  right: Expr,
  qualifier: Qualifier,
  span: Span,
): BinaryExpr {
  const type = typeOf(qualifier, BOOL);
  return { kind: 'binary', operator, operands: 'bool', left, right, lazy: c.version === 6, type, span };
}

/** What both sides of an equality are seen as, or null when they cannot be equal. */
function equalShape(c: Checker, left: Expr, right: Expr): Shape | null {
  const a = left.type.shape;
  const b = right.type.shape;
  if (a.kind === 'tuple' || b.kind === 'tuple') return null;
  if (c.version === 6 && !areComparable(a, b)) return null;
  if (a.kind === 'na' || b.kind === 'na') return a.kind !== 'na' ? a : b.kind !== 'na' ? b : NA_ALONE;
  if (isNumber(a) && isNumber(b)) return bothNumbers(a, b);
  if (c.version === 5 && ((isBool(a) && isNumber(b)) || (isNumber(a) && isBool(b)))) return BOOL;
  return sameShape(a, b) ? a : null;
}

/** Since v6 nothing is compared with na itself, and of references only lines and labels can be told apart. */
const areComparable = (a: Shape, b: Shape): boolean =>
  a.kind !== 'na' && b.kind !== 'na' && [a, b].every((shape) => !isReference(shape) || isLineOrLabel(shape));

const isLineOrLabel = (shape: Shape): boolean =>
  shape.kind === 'object' && (shape.name === 'line' || shape.name === 'label');

function bothNumbers(a: Shape, b: Shape): Shape {
  if (isInt(a) && isInt(b)) return a === UNEVEN ? a : b;
  return (isInt(a) || a === QUOTIENT) && (isInt(b) || b === QUOTIENT) ? QUOTIENT : FLOAT;
}

/** What both sides of a sum or comparison are seen as; texts only where `texts` says so. */
function numberShape(left: Expr, right: Expr, texts: boolean): Shape | null {
  const a = left.type.shape;
  const b = right.type.shape;
  const [one, other] = a.kind === 'na' ? [b, a] : [a, b];
  if (one.kind === 'na') return NA_ALONE;
  if (isNumber(one)) {
    if (other.kind === 'na') return one;
    return isNumber(other) ? bothNumbers(one, other) : null;
  }
  const joins = (shape: Shape) => isString(shape) || isTextFormat(shape);
  return texts && joins(one) && (other.kind === 'na' || sameShape(one, other)) ? one : null;
}

/** `text.format_bold + text.format_italic` is both; they join as texts do, and drawings read what is in them. */
const isTextFormat = (shape: Shape): boolean => shape.kind === 'option' && shape.name === 'text_format';

export function operandKind(shape: Shape, version: PineVersion): OperandKind {
  if (isTextFormat(shape)) return 'string';
  if (version === 6 && isLineOrLabel(shape)) return 'reference';
  if (shape.kind !== 'scalar') return 'item';
  return shape.name === 'int' || shape.name === 'float' || shape.name === 'string' ? shape.name : 'item';
}

function wrongOperands(c: Checker, operator: BinaryOperator, left: Expr, right: Expr, span: Span): Expr {
  const got = `${describe(left.type)} and ${describe(right.type)}`;
  const text = operator === '+' && (isString(left.type.shape) || isString(right.type.shape));
  return c.refuse(
    'badOperands',
    `"${operator}" does not take ${got}.`,
    span,
    text ? TEXT_REMEDY : equalityRemedy(operator, left, right),
  );
}

const TEXT_REMEDY = 'Turn the other side into text with str.tostring().';

function equalityRemedy(operator: BinaryOperator, ...sides: readonly Expr[]): string | undefined {
  if (KINDS[operator] !== 'equality') return undefined;
  if (sides.some(({ type }) => type.shape.kind === 'na')) return 'Ask na() whether there is a value.';
  return sides.some(({ type }) => isReference(type.shape)) ? 'Compare what they hold.' : undefined;
}

// Expressions as JavaScript. A structure is no expression there: it is written as statements in front, into a target.

import type {
  BinaryExpr,
  ConditionalExpr,
  Expr,
  FieldExpr,
  HistoryExpr,
  UnaryExpr,
  UserCallExpr,
} from '../check/tree.ts';
import { ringSize } from '../run/history.ts';
import type { Body } from './body.ts';
import { emitBuiltin, emitBuiltinHistory } from './built-in-variables.ts';
import { emitCall } from './calls.ts';
import { constantOffset } from './constant-offset.ts';
import { enumConstant, fieldName, frameOf, typeClass } from './declarations.ts';
import { literal, naOf } from './literals.ts';
import { isPlain, isStructure } from './walk-tree.ts';

export function emit(body: Body, expr: Expr): string {
  switch (expr.kind) {
    case 'constant':
      return literal(expr.value);
    case 'variable':
      return expr.variable.constant === undefined ? body.storage(expr.variable) : literal(expr.variable.constant);
    case 'builtin':
      return emitBuiltin(body, expr);
    case 'history':
      return emitHistory(body, expr);
    case 'call':
      return emitCall(body, expr);
    case 'user-call':
      return emitUserCall(body, expr);
    case 'field':
      return emitField(body, expr);
    case 'new':
      return `new ${typeClass(expr.userType)}(R.journal${expr.fields.map((field) => `, ${body.expr(field)}`).join('')})`;
    case 'copy':
      return `${body.library('copyOf')}(${body.expr(expr.object)})`;
    case 'enum':
      return `${enumConstant(body.module, expr.userEnum)}[${expr.member}]`;
    case 'unary':
      return emitUnary(body, expr);
    case 'binary':
      return emitBinary(body, expr);
    case 'conditional':
      return emitConditional(body, expr);
    case 'tuple':
      return `[${expr.elements.map((element) => body.expr(element)).join(', ')}]`;
    case 'to-bool':
      return `${body.library('toBool')}(${body.expr(expr.operand)})`;
    default:
      return body.early(expr);
  }
}

function emitUnary(body: Body, { operator, operand }: UnaryExpr): string {
  const value = body.expr(operand);
  return operator === 'not' ? `!${value}` : operator === '-' ? `(-${value})` : value;
}

function emitConditional(body: Body, { condition, whenTrue, whenFalse }: ConditionalExpr): string {
  const test = body.expr(condition);
  return `(${test} ? ${body.maybe(() => body.expr(whenTrue))} : ${body.maybe(() => body.expr(whenFalse))})`;
}

function emitBinary(body: Body, expr: BinaryExpr): string {
  const { operator, left, right, operands } = expr;
  // `x += if …`: the structure comes first in the text, and x is what it was before.
  const a = isStructure(right) ? body.kept(left) : body.expr(left);
  if (operator === 'and' || operator === 'or') {
    const passesOver = expr.lazy || isPlain(right);
    const b = expr.lazy ? body.maybe(() => body.expr(right)) : body.expr(right);
    if (passesOver && isSure(left) && isSure(right)) return `(${a} ${operator === 'and' ? '&&' : '||'} ${b})`;
    if (passesOver) return `(${a} === true ${operator === 'and' ? '&&' : '||'} ${b} === true)`;
    return `${body.library(operator === 'and' ? 'bothOf' : 'eitherOf')}(${a}, ${b})`;
  }
  const b = body.expr(right);
  switch (operator) {
    case '+':
      return operands === 'string' ? `${body.library('concatenate')}(${a}, ${b})` : `(${a} + ${b})`;
    case '-':
    case '*':
    case '/':
    case '%':
      return `(${a} ${operator} ${b})`;
    case 'int-quotient':
      return `${body.library('intDivide')}(${a}, ${b})`;
    default:
      return comparison(body, operator, operands, a, b);
  }
}

/** Whether a bool is never na, as only some are in v5. */
const isSure = ({ kind, type }: Expr): boolean =>
  kind === 'binary' || kind === 'unary' || kind === 'to-bool' || type.qualifier === 'const';

const COMPARISONS = { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' } as const;

export function comparison(
  body: Body,
  operator: keyof typeof COMPARISONS,
  operands: BinaryExpr['operands'],
  a: string,
  b: string,
): string {
  if (operands === 'int' && operator !== '!=') return `(${a} ${operator === '==' ? '===' : operator} ${b})`;
  if (operands === 'int' || operands === 'float') return `${body.library(COMPARISONS[operator])}(${a}, ${b})`;
  if (operands === 'reference') return `(${a} ${operator}= ${b})`;
  if (operands === 'string') return `${body.library(operator === '==' ? 'sameText' : 'differentText')}(${a}, ${b})`;
  return `${body.library(operator === '==' ? 'sameItem' : 'differentItem')}(${a}, ${b})`;
}

// History

function emitHistory(body: Body, expr: HistoryExpr): string {
  const { operand, offset } = expr;
  if (operand.kind === 'builtin') {
    const known = emitBuiltinHistory(body, operand, offset);
    if (known !== null) return known;
  }
  const na = naOf(expr.type.shape, body.version);
  if (operand.kind === 'variable' && operand.variable.history !== 0) {
    const { variable } = operand;
    const ring = body.historyOf(variable);
    const mask = ringSize(variable.history) - 1;
    return variable.scope === 'global' ? readBars(body, ring, mask, na, offset) : readReached(body, ring, offset);
  }
  const size = ringSize(expr.depth);
  if (!body.conditional && !body.repeats) {
    const ring = body.ownBarRing(expr.type.shape, size);
    return `(${ring}[i & ${size - 1}] = ${body.expr(operand)}, ${readBars(body, ring, size - 1, na, offset)})`;
  }
  const field = `q${body.module.number()}`;
  body.frame.part(field, body.reachedRing(expr.type.shape, size));
  const ring = `${body.frameName}.${field}`;
  return `(${body.putReached(ring, expr.type.shape, body.expr(operand))}, ${readReached(body, ring, offset)})`;
}

function readBars(body: Body, ring: string, mask: number, na: string, offset: Expr): string {
  const fixed = constantOffset(offset);
  // Places of bars before the first are still na.
  if (fixed !== undefined && fixed <= mask) return `${ring}[(i - ${fixed}) & ${mask}]`;
  const bar = body.temporary();
  return `((${bar} = ${body.library('barBack')}(i, ${body.expr(offset)})) < 0 ? ${na} : ${ring}[${bar} & ${mask}])`;
}

function readReached(body: Body, ring: string, offset: Expr): string {
  const fixed = constantOffset(offset);
  return fixed === undefined ? `${ring}.at(${body.expr(offset)})` : `${ring}.back(${fixed})`;
}

// Functions and objects

function emitUserCall(body: Body, { callee, arguments: values }: UserCallExpr): string {
  const given = values.map((value) => `, ${body.expr(value)}`).join('');
  const frame = frameOf(body, callee);
  if (frame === null) return `f${callee.id}(null, i${given})`;
  const field = `c${body.module.number()}`;
  body.frame.late(field);
  const own = `${body.frameName}.${field}`;
  return `f${callee.id}(${own} === null ? ${own} = new ${frame.className}() : ${own}, i${given})`;
}

export function emitField(body: Body, { object, owner, field }: FieldExpr): string {
  return `${needed(body, owner, field)}(${body.expr(object)}).f${field}`;
}

/** The function that refuses na where an object is needed. */
export function needed(body: Body, owner: FieldExpr['owner'], field: number): string {
  const type = owner === 'chart.point' ? owner : owner.name;
  return body.module.constant(`${body.library('needs')}(${literal(type)}, ${literal(fieldName(owner, field))})`);
}

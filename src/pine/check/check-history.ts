// The history operator: what it reads, and how far back.

import { type Shape, shapeText, typeOf } from '../builtins/types.ts';
import type { Expression, History } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { coerce } from './coerce.ts';
import { constantValue } from './constants.ts';
import { describe, isInt, isUnknown, QUOTIENT, unknownExpr } from './shapes.ts';
import type { Expr, HistoryDepth } from './tree.ts';

/** Bars that Pine keeps of a series at most; a constant beyond it is treated as any other number. */
const MAX_CONSTANT_DEPTH = 10_000;

export function checkHistory(c: Checker, node: History): Expr {
  const operand = c.value(node.operand);
  const offset = checkOffset(c, node);
  const refusal = isUnknown(operand.type.shape) ? null : refusalFor(c, operand, node);
  if (refusal !== null) return c.refuse('badHistory', refusal.message, node.span, refusal.remedy);
  if (isUnknown(operand.type.shape)) return unknownExpr(node.span);
  const depth = depthOf(offset);
  if (operand.kind === 'variable') operand.variable.history = deeper(operand.variable.history, depth);
  return { kind: 'history', operand, offset, depth, type: typeOf('series', operand.type.shape), span: node.span };
}

function checkOffset(c: Checker, { offset: node }: History): Expr {
  const offset = c.value(node);
  const { shape } = offset.type;
  if (isUnknown(shape)) return offset;
  const negative = constantValue(offset);
  if (typeof negative === 'number' && negative < 0)
    return c.refuse(
      'badHistory',
      'The future cannot be read: the offset is negative.',
      node.span,
      'Count bars back from 0.',
    );
  if (isInt(shape)) return offset;
  if (shape === QUOTIENT) return coerce(offset, { kind: 'scalar', name: 'int' }, c.version);
  if (shape.kind === 'na') return coerce(offset, { kind: 'scalar', name: 'int' }, c.version);
  const remedy = shapeText(shape) === 'float' ? 'Wrap it in int().' : undefined;
  return c.refuse('badHistory', `The offset is a whole number, not ${describe(offset.type)}.`, node.span, remedy);
}

/** Literals, and members such as `color.red`; a variable or a call that is known to be constant is still a series. */
const WRITTEN_CONSTANTS: ReadonlySet<Expression['kind']> = new Set([
  'int',
  'float',
  'string',
  'color',
  'bool',
  'member',
]);

interface Refusal {
  readonly message: string;
  readonly remedy: string;
}

function refusalFor(c: Checker, operand: Expr, node: History): Refusal | null {
  const { shape } = operand.type;
  if (operand.kind === 'history')
    return { message: '"[]" cannot follow "[]".', remedy: 'Add the offsets, or keep the first in a variable.' };
  if (hasNoHistory(shape))
    return { message: `${describe(operand.type)} has no history.`, remedy: 'Read a value of it.' };
  if (c.version === 5) return null;
  if (operand.kind === 'constant' && WRITTEN_CONSTANTS.has(node.operand.kind))
    return { message: 'A constant has no history.', remedy: 'Leave out the "[]", or keep the value in a variable.' };
  if (operand.kind === 'field' && shape.kind !== 'user' && shape.kind !== 'object')
    return {
      message: 'A field has no history of its own.',
      remedy: 'Read the field of the earlier object: (object[1]).field.',
    };
  return null;
}

const hasNoHistory = ({ kind }: Shape): boolean => kind === 'tuple' || kind === 'na' || kind === 'void';

function depthOf(offset: Expr): HistoryDepth {
  const value = constantValue(offset);
  return typeof value === 'number' && value >= 0 && value <= MAX_CONSTANT_DEPTH ? Math.trunc(value) : 'any';
}

const deeper = (a: HistoryDepth, b: HistoryDepth): HistoryDepth =>
  a === 'any' || b === 'any' ? 'any' : Math.max(a, b);

// The history operator: what it reads, and how far back.

import { findFunction } from '../builtins/index.ts';
import { type Shape, typeOf } from '../builtins/types.ts';
import type { Expression, History, Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { coerce } from './coerce.ts';
import { noteHistory, noteSkipped } from './consistency.ts';
import { constantValue } from './constants.ts';
import { onEveryRun } from './every-run.ts';
import { describe, isInt, isNumber, isUnknown, QUOTIENT, unknownExpr } from './shapes.ts';
import type { Expr, HistoryDepth, Stmt, Variable } from './tree.ts';

/** Bars that Pine keeps of a series at most; a constant beyond it is treated as any other number. */
const MAX_CONSTANT_DEPTH = 10_000;

export function checkHistory(c: Checker, node: History): Expr {
  const read = c.onEveryRun(() => c.value(node.operand));
  const offset = checkOffset(c, node);
  const refusal = isUnknown(read.type.shape) ? null : refusalFor(c, read, node);
  if (refusal !== null) return c.refuse('badHistory', refusal.message, node.span, refusal.remedy);
  if (isUnknown(read.type.shape)) return unknownExpr(node.span);
  const depth = depthOf(offset);
  const operand = depth === 0 ? read : onEveryRun(c, asRemembered(c, read), node.operand.span);
  if (operand === read && c.place.lazy === 'yes') noteSkipped(c, read);
  if (depth !== 0) noteHistory(c, operand, node.span);
  if (operand.kind === 'variable') operand.variable.history = deeper(operand.variable.history, depth);
  return { kind: 'history', operand, offset, depth, type: typeOf('series', operand.type.shape), span: node.span };
}

/**
 * In a function the past of a variable of the script, and of bar_index, is what the function's own calls saw of it: it
 * is remembered at every call, like a parameter. Only the prices and times of the chart have one past for all.
 */
function asRemembered(c: Checker, operand: Expr): Expr {
  const { remembered } = c;
  if (remembered === null) return operand;
  const key = rememberedBy(operand);
  if (key === null) return operand;
  const name = typeof key === 'string' ? key : key.name;
  const variable = remembered.get(key) ?? hiddenVariable(c, operand, name);
  remembered.set(key, variable);
  return { kind: 'variable', variable, type: operand.type, span: operand.span };
}

function rememberedBy(operand: Expr): Variable | string | null {
  if (operand.kind === 'variable') return operand.variable.scope === 'global' ? operand.variable : null;
  return operand.kind === 'builtin' && operand.name === 'bar_index' ? operand.name : null;
}

const hiddenVariable = (c: Checker, { type, span }: Expr, name: string): Variable => ({
  ...{ id: c.program.nextId(), name, type, span },
  ...{ scope: 'local', mode: 'plain', reassigned: false, history: 0 },
});

/** What a function does first on every call, so that its past has what the call saw. */
export function rememberFirst({ remembered }: Checker, span: Span): Stmt[] {
  return [...(remembered ?? [])].map(([key, variable]): Stmt => {
    const { type } = variable;
    const value: Expr =
      typeof key === 'string'
        ? { kind: 'builtin', name: key, type, span }
        : { kind: 'variable', variable: key, type: key.type, span };
    return { kind: 'declare', variable, value, span };
  });
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
  if (isNumber(shape)) return cut(offset);
  return c.refuse('badHistory', `The offset is a number, not ${describe(offset.type)}.`, node.span);
}

/** Half a bar back is still this one, and so is half a bar ahead. */
function cut(offset: Expr): Expr {
  const overload = findFunction('int')!.overloads[0]!;
  const args = [{ parameter: overload.parameters[0]!, values: [offset] }];
  const type = typeOf(offset.type.qualifier, { kind: 'scalar', name: 'int' });
  return { kind: 'call', name: 'int', overload, arguments: args, typeArguments: [], type, span: offset.span };
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

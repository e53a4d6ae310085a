// Checked expressions and calls built by hand, for the tests of constants, inputs, outputs and declarations.

import { findFunction, findValue } from '../../builtins/index.ts';
import { defaultOf, type Parameter } from '../../builtins/model.ts';
import { resolveOverload } from '../../builtins/resolve-overload.ts';
import {
  laterQualifier,
  type PineVersion,
  type Qualifier,
  type ScalarName,
  type Shape,
  scalar,
  tupleOf,
  typeOf,
} from '../../builtins/types.ts';
import { parseColor } from '../../values/index.ts';
import type {
  BinaryExpr,
  BuiltinCallExpr,
  BuiltinExpr,
  ConditionalExpr,
  ConstantExpr,
  ConstantValue,
  EnumExpr,
  Expr,
  OperandKind,
  TupleExpr,
  UnaryExpr,
  UserEnum,
  VariableExpr,
} from '../tree.ts';

const span = { start: 0, end: 1 };

const constant = (shape: Shape, value: ConstantValue): ConstantExpr => ({
  kind: 'constant',
  span,
  type: typeOf('const', shape),
  value,
});

export const int = (value: number) => constant(scalar('int'), value);
export const float = (value: number) => constant(scalar('float'), value);
export const bool = (value: boolean | null) => constant(scalar('bool'), value);
export const text = (value: string | null) => constant(scalar('string'), value);
export const color = (literal: string | null) =>
  constant(scalar('color'), literal === null ? null : parseColor(literal));

/** A built-in constant or variable by its name. */
export function named(name: string, version: PineVersion = 6): ConstantExpr | BuiltinExpr {
  const entry = findValue(name);
  if (entry === null) throw new Error(`${name} is no built-in value`);
  if (entry.kind === 'variable') return { kind: 'builtin', span, type: entry.type, name };
  return { kind: 'constant', span, type: entry.type, value: version === 5 ? entry.valueInV5 : entry.value };
}

/** A variable of the script; without a value it is one that changes from bar to bar. */
export function variable(shape: ScalarName, value?: ConstantValue): VariableExpr {
  const type = typeOf(value === undefined ? 'series' : 'const', scalar(shape));
  const declared = { id: 1, name: 'x', type, scope: 'global', mode: 'plain', reassigned: false, history: 0 } as const;
  return {
    kind: 'variable',
    span,
    type,
    variable: value === undefined ? { ...declared, span } : { ...declared, span, constant: value },
  };
}

const latest = (...parts: readonly Expr[]): Qualifier =>
  parts.reduce<Qualifier>((qualifier, { type }) => laterQualifier(qualifier, type.qualifier), 'const');

export const unary = (operator: UnaryExpr['operator'], operand: Expr): UnaryExpr => ({
  kind: 'unary',
  span,
  type: operand.type,
  operator,
  operand,
});

export function binary(
  operator: BinaryExpr['operator'],
  operands: OperandKind,
  left: Expr,
  right: Expr,
  lazy = false,
): BinaryExpr {
  const holds = ['and', 'or', '==', '!=', '<', '<=', '>', '>='].includes(operator);
  const type = typeOf(latest(left, right), holds ? scalar('bool') : left.type.shape);
  return { kind: 'binary', span, type, operator, operands, left, right, lazy };
}

export const conditional = (condition: Expr, whenTrue: Expr, whenFalse: Expr): ConditionalExpr => ({
  kind: 'conditional',
  span,
  type: typeOf(latest(condition, whenTrue, whenFalse), whenTrue.type.shape),
  condition,
  whenTrue,
  whenFalse,
});

export const list = (...elements: readonly Expr[]): TupleExpr => ({
  kind: 'tuple',
  span,
  type: typeOf('const', tupleOf(elements.map(({ type }) => type))),
  elements,
});

export const enumOf = (name: string, members: Readonly<Record<string, string>>): UserEnum => ({
  id: 1,
  name,
  key: name,
  members: Object.entries(members).map(([member, title]) => ({ name: member, title })),
});

export const member = (userEnum: UserEnum, place: number): EnumExpr => ({
  kind: 'enum',
  span,
  type: typeOf('const', { kind: 'enum', name: userEnum.key }),
  userEnum,
  member: place,
});

/** A default that the table writes as an expression: a literal or the name of a built-in value. */
function defaultExpr(parameter: Parameter, version: PineVersion): Expr | null {
  const fallback = defaultOf(parameter, version);
  if (fallback === null || fallback.inWords) return null;
  const written = fallback.text;
  if (written.startsWith('"')) return text(written.slice(1, -1));
  if (written.startsWith('#')) return color(written);
  if (/^-?\d/.test(written)) return written.includes('.') ? float(Number(written)) : int(Number(written));
  return named(written, version);
}

interface Given {
  readonly expr: Expr;
  readonly name: string | null;
}

/** A call as the checker would leave it. Argument number n stands at 10 + n, so that refusals can be told apart. */
export function call(
  name: string,
  positional: readonly Expr[],
  byName: Readonly<Record<string, Expr>> = {},
  version: PineVersion = 6,
): BuiltinCallExpr {
  const entry = findFunction(name);
  if (entry === null) throw new Error(`${name} is no built-in function`);
  const given: Given[] = [
    ...positional.map((expr) => ({ expr, name: null })),
    ...Object.entries(byName).map(([key, expr]) => ({ expr, name: key })),
  ];
  const placed = given.map(({ expr }, place) => ({ ...expr, span: { start: 10 + place, end: 11 + place } }));
  const found = resolveOverload(entry, {
    version,
    arguments: given.map(({ expr, name: key }) => ({ name: key, type: expr.type })),
  });
  if (!found.ok) throw new Error(found.message);
  return {
    kind: 'call',
    span,
    type: found.type,
    name,
    overload: found.overload,
    typeArguments: [],
    arguments: found.slots.map(({ parameter, arguments: places }) => {
      if (places.length > 0) return { parameter, values: places.map((place) => placed[place]!) };
      const fallback = defaultExpr(parameter, version);
      return { parameter, values: fallback === null ? [] : [fallback] };
    }),
  };
}

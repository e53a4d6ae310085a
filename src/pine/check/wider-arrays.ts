// Collections of ints where those of floats are asked for: a declaration keeps them apart, everything else takes them.

import { elementFits, type PineVersion, type Shape } from '../builtins/types.ts';
import { fits, isInt, QUOTIENT } from './shapes.ts';
import type { Expr } from './tree.ts';

const isArrayOf = (shape: Shape, name: 'int' | 'float'): boolean =>
  shape.kind === 'array' && shape.element.kind === 'scalar' && shape.element.name === name;

/**
 * Where a new value is made for its place: `array.from(0, 1)` of constants is the array of floats that is asked for, and
 * one of quotients of ints the array of ints.
 */
export const fitsNew = (value: Expr, shape: Shape, version: PineVersion): boolean =>
  fits(value.type.shape, shape, version) ||
  (isWider(value, shape) && isListOf(value, ({ type }) => type.qualifier === 'const')) ||
  (isArrayOf(shape, 'int') && isListOf(value, ({ type }) => isInt(type.shape) || type.shape === QUOTIENT));

/** As an argument, or before the dot of a method: a collection of ints is taken, and stays the same one. */
export const fitsParameter = (from: Shape, to: Shape, version: PineVersion): boolean =>
  fits(from, to, version) || holdsFitting(from, to);

function holdsFitting(from: Shape, to: Shape): boolean {
  if (from.kind === 'map' && to.kind === 'map')
    return elementFits(from.key, to.key) && elementFits(from.value, to.value);
  const isList = from.kind === 'array' || from.kind === 'matrix';
  return isList && from.kind === to.kind && elementFits(from.element, to.element);
}

/** Right of `:=`: any array of ints is taken, and stays the same array. */
export const fitsGiven = (value: Expr, shape: Shape, version: PineVersion): boolean =>
  fits(value.type.shape, shape, version) || isWider(value, shape);

const isWider = (value: Expr, shape: Shape): boolean => isArrayOf(value.type.shape, 'int') && isArrayOf(shape, 'float');

const isListOf = (value: Expr, test: (item: Expr) => boolean): boolean =>
  value.kind === 'call' &&
  value.name === 'array.from' &&
  value.arguments.every(({ values }) => values.every((item) => test(item)));

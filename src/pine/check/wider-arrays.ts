// Arrays of ints where arrays of floats are asked for: Pine keeps them apart, with two doors that scripts go through.

import type { PineVersion, Shape } from '../builtins/types.ts';
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

/** Right of `:=`: any array of ints is taken, and stays the same array. */
export const fitsGiven = (value: Expr, shape: Shape, version: PineVersion): boolean =>
  fits(value.type.shape, shape, version) || isWider(value, shape);

const isWider = (value: Expr, shape: Shape): boolean => isArrayOf(value.type.shape, 'int') && isArrayOf(shape, 'float');

const isListOf = (value: Expr, test: (item: Expr) => boolean): boolean =>
  value.kind === 'call' &&
  value.name === 'array.from' &&
  value.arguments.every(({ values }) => values.every((item) => test(item)));

// Values as JavaScript text. Nothing of a user's script reaches the generated source in any other way.

import type { PineVersion, Shape } from '../builtins/types.ts';
import type { ConstantValue } from '../check/tree.ts';

export function literal(value: ConstantValue): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '(-Infinity)';
  // A sign in front would run into an operator.
  return value < 0 || Object.is(value, -0) ? `(${Object.is(value, -0) ? '-0' : value})` : String(value);
}

export const isNumber = (shape: Shape): boolean =>
  shape.kind === 'scalar' && (shape.name === 'int' || shape.name === 'float');

export const isBool = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'bool';

export const isColor = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'color';

/** na of a shape, as text. */
export const naOf = (shape: Shape, version: PineVersion): string =>
  isNumber(shape) ? 'NaN' : isBool(shape) && version === 6 ? 'false' : 'null';

// The operators of the language as the oracle sees them, on plain values: na is NaN for numbers and null for the rest.

import type { PineVersion, Shape } from '../../../src/pine/builtins/types.ts';
import type { BinaryExpr, OperandKind } from '../../../src/pine/check/tree.ts';
import { concatenate, eq, ge, gt, intDivide, le, lt, ne, TOLERANCE } from '../../../src/pine/values/index.ts';

export const isNumber = (shape: Shape): boolean =>
  shape.kind === 'scalar' && (shape.name === 'int' || shape.name === 'float');

export function naOf(shape: Shape, version: PineVersion): unknown {
  if (isNumber(shape)) return Number.NaN;
  if (shape.kind === 'tuple') return shape.items.map((item) => naOf(item.shape, version));
  return shape.kind === 'scalar' && shape.name === 'bool' && version === 6 ? false : null;
}

export const isNa = (value: unknown): boolean => value === null || value === undefined || Number.isNaN(value);

export function equals(operands: OperandKind, left: unknown, right: unknown): boolean {
  if (operands === 'reference') return left === right;
  if (operands === 'string') return (left ?? '') === (right ?? '');
  if (isNa(left) || isNa(right)) return false;
  return operands === 'float' ? eq(left as number, right as number) : left === right;
}

type Operator = Exclude<BinaryExpr['operator'], 'and' | 'or'>;

export function binary(operator: Operator, operands: OperandKind, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '==':
      return equals(operands, left, right);
    case '!=':
      if (operands === 'reference' || operands === 'string') return !equals(operands, left, right);
      if (isNa(left) || isNa(right)) return false;
      return operands === 'float' ? ne(left as number, right as number) : left !== right;
    case '+':
      if (operands === 'string') return concatenate(left as string | null, right as string | null);
      return (left as number) + (right as number);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator, operands, left as number, right as number);
    default:
      return calculate(operator, left as number, right as number);
  }
}

function compare(operator: '<' | '<=' | '>' | '>=', operands: OperandKind, left: number, right: number): boolean {
  const isFloat = operands === 'float';
  if (operator === '<') return isFloat ? lt(left, right) : left < right;
  if (operator === '<=') return isFloat ? le(left, right) : left <= right;
  if (operator === '>') return isFloat ? gt(left, right) : left > right;
  return isFloat ? ge(left, right) : left >= right;
}

function calculate(operator: '-' | '*' | '/' | '%' | 'int-quotient', left: number, right: number): number {
  switch (operator) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case 'int-quotient':
      return intDivide(left, right);
  }
}

/** A condition holds when it is true; na does not hold. */
export const holds = (value: unknown): boolean => value === true;

/** A number taken for a bool, or a bool as it is. */
export const toBool = (value: unknown): boolean =>
  typeof value === 'number' ? Math.abs(value) > TOLERANCE : holds(value);

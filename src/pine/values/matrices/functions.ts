// The functions of `matrix.*` that calculate: arithmetic, linear algebra and statistics over the cells.

import type { PineArray } from '../arrays/array.ts';
import { numbersOf } from '../arrays/functions.ts';
import { NumberArray } from '../arrays/number-array.ts';
import type { Journal } from '../rollback.ts';
import { PineRuntimeError } from '../runtime-error.ts';
import { eigen } from './eigen.ts';
import * as linear from './linear.ts';
import { checkShape, PineMatrix } from './matrix.ts';

type Numbers = PineMatrix<number>;

/** The cells of a matrix of numbers, in place. */
export function cellsOf(id: Numbers): Float64Array {
  return id.view() as Float64Array;
}

const blockOf = (id: Numbers): linear.Block => ({ rows: id.rows(), columns: id.columns(), cells: cellsOf(id) });

const matrixOf = (journal: Journal, block: linear.Block): Numbers =>
  new PineMatrix<number>(journal, true, block.rows, block.columns, block.cells);

function squareBlock(method: string, id: Numbers): linear.Block {
  if (id.rows() !== id.columns())
    throw new PineRuntimeError(
      `In 'matrix.${method}()' function. The matrix must be square; it has ${id.rows()} rows and ${id.columns()} columns.`,
    );
  return blockOf(id);
}

export function sum(id: Numbers, other: Numbers | number): Numbers {
  return cellwise('sum', id, other, 1);
}

export function diff(id: Numbers, other: Numbers | number): Numbers {
  return cellwise('diff', id, other, -1);
}

function cellwise(method: string, id: Numbers, other: Numbers | number, factor: number): Numbers {
  const block = blockOf(id);
  if (typeof other === 'number')
    return matrixOf(id.journal, { ...block, cells: block.cells.map((cell) => cell + factor * other) });
  if (other.rows() !== id.rows() || other.columns() !== id.columns())
    throw new PineRuntimeError(
      `In 'matrix.${method}()' function. Both matrices need the same shape; they are ${id.rows()}x${id.columns()} and ${other.rows()}x${other.columns()}.`,
    );
  const right = cellsOf(other);
  const cells = block.cells.map((cell, place) => cell + factor * (right[place] as number));
  return matrixOf(id.journal, { ...block, cells });
}

/** Times a number or a matrix gives a matrix; times an array (as a column) gives an array. */
export function mult(id: Numbers, other: Numbers | PineArray<number> | number): Numbers | NumberArray {
  const left = blockOf(id);
  if (typeof other === 'number')
    return matrixOf(id.journal, { ...left, cells: left.cells.map((cell) => cell * other) });
  if (other instanceof PineMatrix) {
    checkInner(left.columns, other.rows());
    checkShape(left.rows, other.columns());
    return matrixOf(id.journal, linear.product(left, blockOf(other)));
  }
  checkInner(left.columns, other.size());
  const column = { rows: other.size(), columns: 1, cells: new Float64Array(numbersOf(other)) };
  return NumberArray.of(id.journal, linear.product(left, column).cells);
}

function checkInner(columns: number, rows: number): void {
  if (columns !== rows)
    throw new PineRuntimeError(
      `In 'matrix.mult()' function. The columns of the first matrix (${columns}) must match the rows of the second (${rows}).`,
    );
}

/** Repeated squaring; the power 0 gives the identity. */
export function pow(id: Numbers, power: number): Numbers {
  const block = squareBlock('pow', id);
  if (!(power >= 0 && Number.isInteger(power)))
    throw new PineRuntimeError(`In 'matrix.pow()' function. The power must be a whole number from 0; it is ${power}.`);
  let result = linear.identity(block.rows);
  let base = block;
  for (let rest = power; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = linear.product(result, base);
    if (rest > 1) base = linear.product(base, base);
  }
  return matrixOf(id.journal, result);
}

export function kron(id: Numbers, other: Numbers): Numbers {
  checkShape(id.rows() * other.rows(), id.columns() * other.columns());
  return matrixOf(id.journal, linear.kronecker(blockOf(id), blockOf(other)));
}

export function det(id: Numbers): number {
  return linear.determinant(squareBlock('det', id));
}

/** A matrix of na when there is no inverse. */
export function inv(id: Numbers): Numbers {
  const block = squareBlock('inv', id);
  const none = { ...block, cells: new Float64Array(block.cells.length).fill(Number.NaN) };
  return matrixOf(id.journal, linear.inverse(block) ?? none);
}

export function pinv(id: Numbers): Numbers {
  return matrixOf(id.journal, linear.pseudoInverse(blockOf(id)));
}

export function rank(id: Numbers): number {
  return linear.rankOf(blockOf(id));
}

export function trace(id: Numbers): number {
  const { rows, cells } = squareBlock('trace', id);
  let total = 0;
  for (let i = 0; i < rows; i += 1) total += cells[i * rows + i] as number;
  return total;
}

export function eigenvalues(id: Numbers): NumberArray {
  return NumberArray.of(id.journal, eigen(squareBlock('eigenvalues', id)).values);
}

export function eigenvectors(id: Numbers): Numbers {
  return matrixOf(id.journal, eigen(squareBlock('eigenvectors', id)).vectors);
}

// The questions `matrix.is_*`, with the tolerance of comparisons; an na is no zero and no one, and differs from nothing.

import { eq, ne } from '../compare.ts';
import type { PineMatrix } from './matrix.ts';

type Numbers = PineMatrix<number>;

export function isSquare(id: PineMatrix<unknown>): boolean {
  return id.rows() === id.columns();
}

/** Whether every cell passes, given its row and column. */
function all(id: Numbers, passes: (cell: number, row: number, column: number) => boolean): boolean {
  const columns = id.columns();
  const cells = id.view();
  for (let place = 0; place < cells.length; place += 1)
    if (!passes(cells[place] as number, Math.floor(place / columns), place % columns)) return false;
  return true;
}

export function isZero(id: Numbers): boolean {
  return all(id, (cell) => eq(cell, 0));
}

export function isBinary(id: Numbers): boolean {
  return all(id, (cell) => eq(cell, 0) || eq(cell, 1));
}

export function isIdentity(id: Numbers): boolean {
  return isSquare(id) && all(id, (cell, row, column) => eq(cell, row === column ? 1 : 0));
}

export function isDiagonal(id: Numbers): boolean {
  return isSquare(id) && all(id, (cell, row, column) => row === column || eq(cell, 0));
}

/** Zero everywhere but from the top right to the bottom left. */
export function isAntidiagonal(id: Numbers): boolean {
  const last = id.rows() - 1;
  return isSquare(id) && all(id, (cell, row, column) => row + column === last || eq(cell, 0));
}

export function isSymmetric(id: Numbers): boolean {
  return isSquare(id) && all(id, (cell, row, column) => !ne(cell, id.get(column, row)));
}

/** The transpose is the negative; the diagonal is therefore zero. */
export function isAntisymmetric(id: Numbers): boolean {
  return isSquare(id) && all(id, (cell, row, column) => !ne(cell, -id.get(column, row)));
}

/** Nothing below the diagonal, or nothing above it. */
export function isTriangular(id: Numbers): boolean {
  return (
    isSquare(id) &&
    (all(id, (cell, row, column) => row <= column || eq(cell, 0)) ||
      all(id, (cell, row, column) => row >= column || eq(cell, 0)))
  );
}

/** No cell below zero and every row with the sum 1. */
export function isStochastic(id: Numbers): boolean {
  const columns = id.columns();
  const sums = new Float64Array(id.rows());
  const positive = all(id, (cell, row) => {
    sums[row] = (sums[row] as number) + cell;
    return cell >= 0;
  });
  return columns > 0 && positive && sums.every((sum) => eq(sum, 1));
}

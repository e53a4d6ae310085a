// `matrix.*` for the emitter; `matrix.new<number>` is for ints and floats, `matrix.new<item>` for everything else.

import type { PineArray } from '../arrays/array.ts';
import { functions, methods, type ValueEntries, type ValueHost } from '../entry.ts';
import * as statistics from '../statistics.ts';
import * as algebra from './functions.ts';
import { matrixId, PineMatrix } from './matrix.ts';
import * as predicates from './predicates.ts';

type Numbers = PineMatrix<number>;

const METHODS = [
  ...['rows', 'columns', 'elements_count', 'get', 'set', 'fill', 'row', 'col', 'add_row', 'add_col'],
  ...['remove_row', 'remove_col', 'swap_rows', 'swap_columns', 'reverse', 'sort', 'reshape'],
  ...['submatrix', 'transpose', 'copy'],
];

export function matrixEntries({ journal, version }: ValueHost): ValueEntries {
  const noBool = version === 6 ? false : null;
  return {
    ...methods('matrix.', matrixId, METHODS),
    ...functions('matrix.', {
      'new<number>': (rows = 0, columns = 0, initial = Number.NaN) =>
        PineMatrix.ofNumbers(journal, rows, columns, initial),
      'new<item>': (rows = 0, columns = 0, initial: unknown = null) =>
        PineMatrix.ofItems(journal, rows, columns, initial),
      'new<bool>': (rows = 0, columns = 0, initial: boolean | null = noBool) =>
        PineMatrix.ofItems(journal, rows, columns, initial),
      ...calculations,
      ...questions,
    }),
  };
}

const cells = (id: Numbers) => algebra.cellsOf(matrixId(id));

/** The second operand of arithmetic: a number as it is (na included), a matrix or an array that is there. */
const operand = <T>(value: T): T => matrixId(value);

const calculations = {
  concat: (id: PineMatrix<unknown>, other: PineMatrix<unknown>) => matrixId(id).concat(matrixId(other)),
  sum: (id: Numbers, other: Numbers | number) => algebra.sum(matrixId(id), operand(other)),
  diff: (id: Numbers, other: Numbers | number) => algebra.diff(matrixId(id), operand(other)),
  mult: (id: Numbers, other: Numbers | PineArray<number> | number) => algebra.mult(matrixId(id), operand(other)),
  pow: (id: Numbers, power: number) => algebra.pow(matrixId(id), power),
  kron: (id: Numbers, other: Numbers) => algebra.kron(matrixId(id), matrixId(other)),
  det: (id: Numbers) => algebra.det(matrixId(id)),
  inv: (id: Numbers) => algebra.inv(matrixId(id)),
  pinv: (id: Numbers) => algebra.pinv(matrixId(id)),
  rank: (id: Numbers) => algebra.rank(matrixId(id)),
  trace: (id: Numbers) => algebra.trace(matrixId(id)),
  eigenvalues: (id: Numbers) => algebra.eigenvalues(matrixId(id)),
  eigenvectors: (id: Numbers) => algebra.eigenvectors(matrixId(id)),
  avg: (id: Numbers) => statistics.mean(cells(id)),
  max: (id: Numbers) => statistics.largest(cells(id)),
  median: (id: Numbers) => statistics.median(cells(id)),
  min: (id: Numbers) => statistics.smallest(cells(id)),
  mode: (id: Numbers) => statistics.mode(cells(id)),
};

const questions = {
  is_square: (id: Numbers) => predicates.isSquare(matrixId(id)),
  is_zero: (id: Numbers) => predicates.isZero(matrixId(id)),
  is_binary: (id: Numbers) => predicates.isBinary(matrixId(id)),
  is_identity: (id: Numbers) => predicates.isIdentity(matrixId(id)),
  is_diagonal: (id: Numbers) => predicates.isDiagonal(matrixId(id)),
  is_antidiagonal: (id: Numbers) => predicates.isAntidiagonal(matrixId(id)),
  is_symmetric: (id: Numbers) => predicates.isSymmetric(matrixId(id)),
  is_antisymmetric: (id: Numbers) => predicates.isAntisymmetric(matrixId(id)),
  is_triangular: (id: Numbers) => predicates.isTriangular(matrixId(id)),
  is_stochastic: (id: Numbers) => predicates.isStochastic(matrixId(id)),
};

// Tests of matrix arithmetic: results worked out by hand, and the laws that every result must keep.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal, type NumberArray, PineMatrix } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';

const { call } = openLibrary();
const NA = Number.NaN;
type Numbers = PineMatrix<number>;

function make(...rows: readonly number[][]): Numbers {
  const id = PineMatrix.ofNumbers(new Journal(), rows.length, rows[0]?.length ?? 0);
  for (const [row, cells] of rows.entries()) for (const [column, cell] of cells.entries()) id.set(row, column, cell);
  return id;
}

const cellsOf = (id: Numbers) => Array.from(id.view());

function near(actual: Numbers, expected: Numbers, digits = 8): void {
  expect([actual.rows(), actual.columns()]).toEqual([expected.rows(), expected.columns()]);
  const wanted = cellsOf(expected);
  for (const [place, cell] of cellsOf(actual).entries()) expect(cell).toBeCloseTo(wanted[place] as number, digits);
}

const cell = fc.integer({ min: -9, max: 9 });
const square = fc
  .integer({ min: 1, max: 6 })
  .chain((size) =>
    fc.array(fc.array(cell, { minLength: size, maxLength: size }), { minLength: size, maxLength: size }),
  );
const oblong = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
  .chain(([rows, columns]) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
  );
const mult = (a: Numbers, b: Numbers) => call<Numbers>('matrix.mult', a, b);
const turned = (a: Numbers) => call<Numbers>('matrix.transpose', a);

describe('arithmetic', () => {
  const a = make([1, 2], [3, 4]);

  it('adds and subtracts matrices and numbers without touching them', () => {
    expect(cellsOf(call('matrix.sum', a, make([1, 1], [2, 2])))).toEqual([2, 3, 5, 6]);
    expect(cellsOf(call('matrix.sum', a, 10))).toEqual([11, 12, 13, 14]);
    expect(cellsOf(call('matrix.diff', a, a))).toEqual([0, 0, 0, 0]);
    expect(cellsOf(call('matrix.diff', a, 1))).toEqual([0, 1, 2, 3]);
    expect(cellsOf(call('matrix.sum', a, NA))).toEqual([NA, NA, NA, NA]);
    expect(cellsOf(a)).toEqual([1, 2, 3, 4]);
    expect(errorOf(() => call('matrix.sum', a, make([1])))).toContain('same shape; they are 2x2 and 1x1');
    expect(errorOf(() => call('matrix.diff', a, make([1])))).toContain("'matrix.diff()'");
  });

  it('multiplies by a matrix, a number and an array', () => {
    expect(cellsOf(mult(a, make([5, 6], [7, 8])))).toEqual([19, 22, 43, 50]);
    expect(cellsOf(call('matrix.mult', a, 2))).toEqual([2, 4, 6, 8]);
    expect(call<NumberArray>('matrix.mult', a, call('array.from<number>', 1, 10)).toList()).toEqual([21, 43]);
    expect(errorOf(() => mult(a, make([1, 2, 3])))).toContain('columns of the first matrix (2)');
    expect(errorOf(() => call('matrix.mult', a, call('array.from<number>', 1)))).toContain('rows of the second (1)');
  });

  it('raises to a power and makes Kronecker products', () => {
    expect(cellsOf(call('matrix.pow', make([1, 1], [1, 0]), 10))).toEqual([89, 55, 55, 34]);
    expect(cellsOf(call('matrix.pow', a, 0))).toEqual([1, 0, 0, 1]);
    expect(cellsOf(call('matrix.pow', a, 1))).toEqual([1, 2, 3, 4]);
    for (const power of [-1, 0.5, NA]) expect(errorOf(() => call('matrix.pow', a, power))).toContain('whole number');
    const product = call<Numbers>('matrix.kron', make([1, 2]), make([1, 0], [0, 1]));
    expect([product.rows(), product.columns(), cellsOf(product)]).toEqual([2, 4, [1, 0, 2, 0, 0, 1, 0, 2]]);
  });

  it('knows determinant, trace and rank', () => {
    expect(call('matrix.det', a)).toBeCloseTo(-2, 12);
    expect(call('matrix.det', make([0, 1], [1, 0]))).toBe(-1);
    expect(call('matrix.det', make([1, 2], [2, 4]))).toBe(0);
    expect(call('matrix.trace', a)).toBe(5);
    expect(call('matrix.rank', a)).toBe(2);
    expect(call('matrix.rank', make([1, 2], [2, 4], [3, 6]))).toBe(1);
    expect(call('matrix.rank', make([0, 0], [0, 0]))).toBe(0);
  });

  it('asks for a square matrix where one is needed', () => {
    for (const name of ['det', 'inv', 'trace', 'pow', 'eigenvalues', 'eigenvectors'])
      expect(errorOf(() => call(`matrix.${name}`, make([1, 2]), 1))).toBe(
        `In 'matrix.${name}()' function. The matrix must be square; it has 1 rows and 2 columns.`,
      );
  });

  it('summarises the cells without na', () => {
    const id = make([4, NA], [1, 1]);
    const results = ['avg', 'max', 'min', 'median', 'mode'].map((name) => call(`matrix.${name}`, id));
    expect(results).toEqual([2, 4, 1, 1, 1]);
  });

  it('inverts, and gives na where there is no inverse', () => {
    near(call('matrix.inv', make([4, 7], [2, 6])), make([0.6, -0.7], [-0.2, 0.4]), 12);
    expect(cellsOf(call('matrix.inv', make([1, 2], [2, 4])))).toEqual([NA, NA, NA, NA]);
    expect(cellsOf(call('matrix.inv', make([NA])))).toEqual([NA]);
  });
});

describe('laws', () => {
  it('a matrix times its inverse is the identity, and the determinant of a product the product of determinants', () => {
    fc.assert(
      fc.property(square, (rows) => {
        const a = make(...rows);
        const det = call<number>('matrix.det', a);
        expect(call('matrix.det', mult(a, a))).toBeCloseTo(det * det, Math.abs(det) > 1e4 ? -3 : 3);
        expect(call('matrix.det', turned(a))).toBeCloseTo(det, 4);
        if (Math.abs(det) < 0.5) return;
        near(mult(a, call('matrix.inv', a)), call('matrix.pow', a, 0), 6);
      }),
      { numRuns: 100 },
    );
  });

  it('the pseudo-inverse keeps the four laws of Penrose', () => {
    fc.assert(
      fc.property(oblong, (rows) => {
        const a = make(...rows);
        const p = call<Numbers>('matrix.pinv', a);
        near(mult(mult(a, p), a), a, 6);
        near(mult(mult(p, a), p), p, 6);
        near(turned(mult(a, p)), mult(a, p), 6);
        near(turned(mult(p, a)), mult(p, a), 6);
        expect(call('matrix.rank', a)).toBe(call('matrix.rank', turned(a)));
      }),
      { numRuns: 100 },
    );
  });

  it('symmetric matrices have real eigenvalues in falling order and orthogonal vectors', () => {
    fc.assert(
      fc.property(square, (rows) => {
        const a = call<Numbers>('matrix.sum', make(...rows), turned(make(...rows)));
        const values = call<NumberArray>('matrix.eigenvalues', a).toList();
        const vectors = call<Numbers>('matrix.eigenvectors', a);
        expect(values).toEqual([...values].sort((x, y) => y - x));
        near(mult(turned(vectors), vectors), call('matrix.pow', a, 0), 9);
        const stretched = mult(a, vectors);
        for (const [place, value] of cellsOf(stretched).entries())
          expect(value).toBeCloseTo((values[place % values.length] as number) * (cellsOf(vectors)[place] as number), 7);
      }),
      { numRuns: 100 },
    );
  });

  it('every real eigenvalue of any matrix has its vector, and all of them add up to the trace', () => {
    fc.assert(
      fc.property(square, (rows) => {
        const a = make(...rows);
        const size = a.rows();
        const values = call<NumberArray>('matrix.eigenvalues', a).toList();
        const stretched = cellsOf(mult(a, call('matrix.eigenvectors', a)));
        const vectors = cellsOf(call('matrix.eigenvectors', a));
        expect(vectors.slice(0, size).filter(Number.isNaN).length % 2).toBe(0);
        expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(call<number>('matrix.trace', a), 5);
        for (const [place, part] of stretched.entries()) {
          const value = values[place % size] as number;
          const own = vectors[place] as number;
          // Roots that fall together are known only to a root of the precision; what is not real has no vector.
          if (!Number.isNaN(own)) expect(part).toBeCloseTo(value * own, 5);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('finds the one vector of a value that occurs twice and has no second', () => {
    const [a, , c] = cellsOf(call('matrix.eigenvectors', make([-1, 2], [-2, -5])));
    expect(Math.abs(a as number)).toBeCloseTo(Math.SQRT1_2, 7);
    expect(c).toBeCloseTo(-(a as number), 7);
  });

  it('finds eigenvalues worked out by hand', () => {
    const of = (...rows: number[][]) => call<NumberArray>('matrix.eigenvalues', make(...rows)).toList();
    expect(of([2, 0], [0, 3])).toEqual([3, 2]);
    expect(of([0, -1], [1, 0])).toEqual([0, 0]);
    expect(of([1, -2], [2, 1])).toEqual([1, 1]);
    expect(of([NA, 1], [1, 0])).toEqual([NA, NA]);
    const [first, second] = of([2, 4], [6, 8]);
    expect([first, second]).toEqual([expect.closeTo(5 - Math.sqrt(33), 10), expect.closeTo(5 + Math.sqrt(33), 10)]);
    expect(of([1, 2, 0], [0, 3, 4], [0, 0, 5])).toEqual([1, 3, 5]);
    const three = of([6, -11, 6], [1, 0, 0], [0, 1, 0]).toSorted((a, b) => b - a);
    for (const [place, value] of [3, 2, 1].entries()) expect(three[place]).toBeCloseTo(value, 9);
  });
});

describe('questions', () => {
  const answers = (id: Numbers) =>
    [
      'square',
      'zero',
      'binary',
      'identity',
      'diagonal',
      'antidiagonal',
      'symmetric',
      'antisymmetric',
      'triangular',
      'stochastic',
    ]
      .filter((name) => call(`matrix.is_${name}`, id))
      .join(' ');

  it('are answered with the tolerance of comparisons', () => {
    expect(answers(make([1, 0], [0, 1]))).toBe('square binary identity diagonal symmetric triangular stochastic');
    expect(answers(make([0, 0], [0, 0]))).toBe(
      'square zero binary diagonal antidiagonal symmetric antisymmetric triangular',
    );
    expect(answers(make([0, 2], [3, 0]))).toBe('square antidiagonal');
    expect(answers(make([0, 2], [-2, 0]))).toBe('square antidiagonal antisymmetric');
    expect(answers(make([1, 0], [5, 1]))).toBe('square triangular');
    expect(answers(make([1, 5], [0, 2]))).toBe('square triangular');
    expect(answers(make([0.1, 0.2, 0.7]))).toBe('stochastic');
    expect(answers(make([1.5, -0.5]))).toBe('');
    expect(answers(make([1, 1e-11], [0, 1]))).toBe('square binary identity diagonal symmetric triangular stochastic');
    expect(answers(make([1, 1e-9], [0, 1]))).toBe('square triangular');
    expect(answers(make([NA, 0], [0, 1]))).toBe('square diagonal symmetric triangular');
  });
});

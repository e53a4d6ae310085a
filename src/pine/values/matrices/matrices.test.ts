// Tests of the functions of `matrix.*` that move cells: shapes, rows, columns, limits, and rollback.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal, type PineArray, PineMatrix } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';

const { call } = openLibrary();
const NA = Number.NaN;
type Any = PineMatrix<unknown>;

/** A matrix of numbers, or of texts when the first cell is one. */
function make(rows: readonly (readonly unknown[])[]): Any {
  const kind = typeof rows[0]?.[0] === 'string' ? 'item' : 'number';
  const id = call<Any>(`matrix.new<${kind}>`, rows.length, rows[0]?.length ?? 0);
  for (const [row, cells] of rows.entries()) for (const [column, cell] of cells.entries()) id.set(row, column, cell);
  return id;
}

const rowsOf = (id: Any) => Array.from({ length: id.rows() }, (_, row) => id.row(row)?.toList());
const array = (...values: unknown[]) =>
  call(typeof values[0] === 'string' ? 'array.from<item>' : 'array.from<number>', ...values);

describe('matrix', () => {
  it('is made of na, of a value, or empty', () => {
    expect(rowsOf(call('matrix.new<number>', 1, 2))).toEqual([[NA, NA]]);
    expect(rowsOf(call('matrix.new<item>', 1, 1, 'x'))).toEqual([['x']]);
    expect(rowsOf(call('matrix.new<bool>', 1, 1))).toEqual([[false]]);
    expect(rowsOf(openLibrary({ version: 5 }).call('matrix.new<bool>', 1, 1))).toEqual([[null]]);
    const empty = call<Any>('matrix.new<number>');
    expect([empty.rows(), empty.columns(), call('matrix.elements_count', empty)]).toEqual([0, 0, 0]);
  });

  it('has at most 100,000 cells, however it comes by them', () => {
    const full = call<Any>('matrix.new<number>', 1000, 100, 0);
    expect(errorOf(() => call('matrix.new<number>', 1001, 100))).toContain('Maximum size is 100000 elements');
    expect(errorOf(() => call('matrix.new<number>', -1, 1))).toContain('negative');
    expect(errorOf(() => call('matrix.new<number>', 100_001, 0))).toContain('too large');
    for (const [name, ...rest] of [['add_row'], ['add_col'], ['concat', full], ['kron', full]])
      expect(errorOf(() => call(`matrix.${name}`, full, ...rest))).toContain('Matrix is too large');
    const column = call('matrix.new<number>', 1000, 1, 1);
    expect(errorOf(() => call('matrix.mult', column, call('matrix.new<number>', 1, 101, 1)))).toContain('too large');
  });

  it('takes na for the first row or column where it removes and swaps', () => {
    const grid = () =>
      make([
        [1, 2, 3],
        [4, 5, 6],
      ]);
    const cells = (id: ReturnType<typeof grid>) => [...id.view()];
    const [rows, columns, row, column] = [grid(), grid(), grid(), grid()];
    call('matrix.swap_rows', rows, NA, 1);
    call('matrix.swap_columns', columns, 2, NA);
    expect([cells(rows), cells(columns)]).toEqual([
      [4, 5, 6, 1, 2, 3],
      [3, 2, 1, 6, 5, 4],
    ]);
    expect((call('matrix.remove_row', row, NA) as PineArray<number>).toList()).toEqual([1, 2, 3]);
    expect((call('matrix.remove_col', column, NA) as PineArray<number>).toList()).toEqual([1, 4]);
    expect([cells(row), cells(column)]).toEqual([
      [4, 5, 6],
      [2, 3, 5, 6],
    ]);
    expect(errorOf(() => call('matrix.remove_row', make([]), NA))).toContain('Row index 0');
  });

  it('names the index that is not there', () => {
    const id = make([[1, 2]]);
    expect(errorOf(() => call('matrix.get', id, 1, 0))).toBe(
      "In 'matrix.get()' function. Row index 1 is out of bounds, the matrix has 1 rows.",
    );
    expect(errorOf(() => call('matrix.set', id, 0, 2, 0))).toContain('Column index 2 is out of bounds');
    for (const index of [-1, NA, 9]) {
      expect(errorOf(() => call('matrix.add_row', id, index))).toContain(`Row index ${index}`);
      for (const name of ['add_col', 'sort'])
        expect(errorOf(() => call(`matrix.${name}`, id, index))).toContain(`Column index ${index}`);
    }
    for (const index of [-1, 9]) {
      expect(errorOf(() => call('matrix.row', id, index))).toContain(`Row index ${index}`);
      expect(errorOf(() => call('matrix.col', id, index))).toContain(`Column index ${index}`);
      // The other index is looked at also where one is na.
      expect(errorOf(() => call('matrix.get', id, NA, index))).toContain(`Column index ${index}`);
      expect(errorOf(() => call('matrix.remove_row', id, index))).toContain(`Row index ${index}`);
      expect(errorOf(() => call('matrix.remove_col', id, index))).toContain(`Column index ${index}`);
      expect(errorOf(() => call('matrix.swap_rows', id, 0, index))).toContain('Row index');
      expect(errorOf(() => call('matrix.swap_columns', id, index, 0))).toContain('Column index');
    }
    expect(errorOf(() => call('matrix.get', null, 0, 0))).toBe("Cannot call matrix methods when ID of matrix is 'na'.");
    expect(errorOf(() => call('matrix.sum', id, null))).toContain("'na'");
  });

  it('puts rows and columns in and takes them out', () => {
    const id = make([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    call('matrix.add_row', id, 1, array('x', 'y'));
    call('matrix.add_col', id);
    call('matrix.add_col', id, 0, array('1', '2', '3'));
    expect(rowsOf(id)).toEqual([
      ['1', 'a', 'b', null],
      ['2', 'x', 'y', null],
      ['3', 'c', 'd', null],
    ]);
    expect(call<{ toList(): unknown[] }>('matrix.remove_col', id).toList()).toEqual([null, null, null]);
    expect(call<{ toList(): unknown[] }>('matrix.remove_row', id, 0).toList()).toEqual(['1', 'a', 'b']);
    expect(rowsOf(id)).toEqual([
      ['2', 'x', 'y'],
      ['3', 'c', 'd'],
    ]);
    expect(errorOf(() => call('matrix.add_row', id, 0, array('q')))).toContain('The array has 1 elements');
  });

  it('takes the width of the first row and the height of the first column', () => {
    const byRows = call<Any>('matrix.new<number>');
    call('matrix.add_row', byRows, 0, array(1, 2, 3));
    expect(rowsOf(byRows)).toEqual([[1, 2, 3]]);
    const byColumns = call<Any>('matrix.new<number>');
    call('matrix.add_col', byColumns, 0, array(1, 2));
    call('matrix.add_col', byColumns);
    expect(rowsOf(byColumns)).toEqual([
      [1, NA],
      [2, NA],
    ]);
  });

  it('fills, cuts, turns, swaps, reverses and sorts', () => {
    const id = make([
      [3, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(rowsOf(call('matrix.transpose', id))).toEqual([
      [3, 1, 2],
      [1, 2, 3],
    ]);
    expect(rowsOf(call('matrix.submatrix', id, 1, 3, 0, 1))).toEqual([[1], [2]]);
    call('matrix.sort', id);
    expect(rowsOf(id)).toEqual([
      [1, 2],
      [2, 3],
      [3, 1],
    ]);
    call('matrix.sort', id, 1, 'descending');
    expect(rowsOf(id)).toEqual([
      [2, 3],
      [1, 2],
      [3, 1],
    ]);
    call('matrix.swap_rows', id, 0, 2);
    call('matrix.swap_columns', id, 0, 1);
    expect(rowsOf(id)).toEqual([
      [1, 3],
      [2, 1],
      [3, 2],
    ]);
    call('matrix.reverse', id);
    expect(rowsOf(id)).toEqual([
      [2, 3],
      [1, 2],
      [3, 1],
    ]);
    call('matrix.reshape', id, 2, 3);
    expect(rowsOf(id)).toEqual([
      [2, 3, 1],
      [2, 3, 1],
    ]);
    call('matrix.fill', id, 0, 0, 1, 1, 3);
    expect(rowsOf(id)).toEqual([
      [2, 0, 0],
      [2, 3, 1],
    ]);
    call('matrix.fill', id, 7);
    expect(rowsOf(id)).toEqual([
      [7, 7, 7],
      [7, 7, 7],
    ]);
    expect(errorOf(() => call('matrix.reshape', id, 2, 2))).toContain('cannot take the shape 2x2');
    expect(errorOf(() => call('matrix.submatrix', id, 1, 0))).toContain('rows from 1 to 0');
    expect(errorOf(() => call('matrix.fill', id, 0, 0, 1, 0, 4))).toContain('columns from 0 to 4');
  });

  it('appends the rows of another and copies itself', () => {
    const id = make([[1, 2]]);
    const copy = call<Any>('matrix.copy', id);
    expect(call('matrix.concat', id, make([[3, 4]]))).toBe(id);
    expect([rowsOf(id), rowsOf(copy)]).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
      [[1, 2]],
    ]);
    expect(errorOf(() => call('matrix.concat', id, make([[1]])))).toContain('same number of columns');
    expect(rowsOf(call('matrix.concat', call('matrix.new<number>'), id))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('is after a restore as it was at the save', () => {
    const change = fc.tuple(
      fc.constantFrom('set', 'add_row', 'add_col', 'remove_row', 'fill', 'reverse', 'reshape', 'sort'),
      fc.nat(9),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.array(change, { maxLength: 12 }), (before, after) => {
        const journal = new Journal();
        const id = PineMatrix.ofNumbers(journal, 3, 2, 1);
        const apply = ([what, n]: readonly [string, number]) => {
          if (what === 'add_row' && id.rows() < 6) id.add_row(n % (id.rows() + 1));
          else if (what === 'add_col' && id.columns() < 6) id.add_col(n % (id.columns() + 1));
          else if (what === 'reshape') id.reshape(id.columns(), id.rows());
          else if (id.elements_count() === 0) return;
          else if (what === 'set') id.set(n % id.rows(), n % id.columns(), n);
          else if (what === 'remove_row') id.remove_row(n % id.rows());
          else if (what === 'fill') id.fill(n, 0, 1);
          else if (what === 'reverse') id.reverse();
          else if (what === 'sort') id.sort(n % id.columns());
        };
        before.forEach(apply);
        journal.save();
        const [shape, saved] = [[id.rows(), id.columns()], Array.from(id.view())];
        for (let tick = 0; tick < 2; tick += 1) {
          after.forEach(apply);
          journal.restore();
          expect([id.rows(), id.columns()]).toEqual(shape);
          expect(Array.from(id.view())).toEqual(saved);
        }
      }),
      { numRuns: 150 },
    );
  });
});

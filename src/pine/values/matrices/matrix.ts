// A matrix of the language: its cells row by row, and every operation that moves or replaces them.

import type { PineArray } from '../arrays/array.ts';
import type { SortOrder } from '../arrays/functions.ts';
import { sortIndices } from '../arrays/functions.ts';
import { ItemArray } from '../arrays/item-array.ts';
import { NumberArray } from '../arrays/number-array.ts';
import type { Journal, Undoable } from '../rollback.ts';
import { PineRuntimeError } from '../runtime-error.ts';
import { MatrixRow } from './row.ts';

/** The language's own limit on the cells of one matrix. */
export const MAX_MATRIX_CELLS = 100_000;

/** Doubles for ints and floats, a plain list for everything else. */
export type Cells<T> = Float64Array | T[];

interface Shape<T> {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Cells<T>;
}

const UNDO_CELL = 0;
const UNDO_SHAPE = 1;

/** An operation that changes more than one cell builds new cells, so the journal can keep the old ones as they are. */
export class PineMatrix<T> implements Undoable {
  readonly journal: Journal;
  readonly numeric: boolean;
  born: number;
  private rowCount: number;
  private columnCount: number;
  private cells: Cells<T>;

  constructor(journal: Journal, numeric: boolean, rows: number, columns: number, cells: Cells<T>) {
    this.journal = journal;
    this.numeric = numeric;
    this.born = journal.epoch;
    this.rowCount = rows;
    this.columnCount = columns;
    this.cells = cells;
  }

  /** `matrix.new` of ints or floats. */
  static ofNumbers(journal: Journal, rows = 0, columns = 0, initial = Number.NaN): PineMatrix<number> {
    checkShape(rows, columns);
    return new PineMatrix<number>(journal, true, rows, columns, new Float64Array(rows * columns).fill(initial));
  }

  /** `matrix.new` of anything else. */
  static ofItems<T>(journal: Journal, rows = 0, columns = 0, initial: T | null = null): PineMatrix<T | null> {
    checkShape(rows, columns);
    const cells = new Array<T | null>(rows * columns).fill(initial);
    return new PineMatrix<T | null>(journal, false, rows, columns, cells);
  }

  rows(): number {
    return this.rowCount;
  }

  columns(): number {
    return this.columnCount;
  }

  elements_count(): number {
    return this.rowCount * this.columnCount;
  }

  /** An index that is na finds na. */
  get(row: number, column: number): T {
    if (row >= 0 && row < this.rowCount && column >= 0 && column < this.columnCount)
      return this.cells[row * this.columnCount + column] as T;
    return this.missed('get', row, column);
  }

  /** An index that is na changes nothing. */
  set(row: number, column: number, value: T): void {
    if (!(row >= 0 && row < this.rowCount && column >= 0 && column < this.columnCount)) {
      this.missed('set', row, column);
      return;
    }
    const place = row * this.columnCount + column;
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_CELL, place, this.cells[place]);
    this.cells[place] = value as never;
  }

  /** The cells in place: for reading at once, never for keeping or writing. */
  view(): Cells<T> {
    return this.cells;
  }

  /** Fills a block of cells; `to` is not included. */
  fill(value: T, fromRow = 0, toRow = this.rowCount, fromColumn = 0, toColumn = this.columnCount): void {
    checkSpan('fill', 'row', fromRow, toRow, this.rowCount);
    checkSpan('fill', 'column', fromColumn, toColumn, this.columnCount);
    const cells = this.cells.slice() as Cells<T>;
    for (let row = fromRow; row < toRow; row += 1)
      (cells as T[]).fill(value, row * this.columnCount + fromColumn, row * this.columnCount + toColumn);
    this.become(this.rowCount, this.columnCount, cells);
  }

  /** The cells of a row as a new array; na for a row that is na. */
  row(row: number): PineArray<T> | null {
    if (Number.isNaN(row)) return null;
    this.checkRow('row', row);
    return this.rowAt(row);
  }

  /** A row as a loop over the matrix gives it: what is put into it is in the matrix. */
  rowInPlace(row: number): PineArray<T> {
    return new MatrixRow<T>(this, row);
  }

  private rowAt(row: number): PineArray<T> {
    return this.arrayOf(this.cells.slice(row * this.columnCount, (row + 1) * this.columnCount) as Cells<T>);
  }

  /** The cells of a column as a new array; na for a column that is na. */
  col(column: number): PineArray<T> | null {
    if (Number.isNaN(column)) return null;
    this.checkColumn('col', column);
    return this.columnAt(column);
  }

  private columnAt(column: number): PineArray<T> {
    return this.arrayOf(this.build(this.rowCount, (row) => this.cell(row, column)));
  }

  /** Puts a row in before `row`; without an array it is a row of na. */
  add_row(row = this.rowCount, values?: PineArray<T> | null): void {
    if (!(row >= 0 && row <= this.rowCount)) throw badIndex('add_row', 'Row', row, this.rowCount, 'rows');
    const columns = this.rowCount === 0 && values ? values.size() : this.columnCount;
    const added = this.line('add_row', values, columns);
    checkShape(this.rowCount + 1, columns);
    const cells = this.build((this.rowCount + 1) * columns, (place) => {
      const at = Math.floor(place / columns);
      if (at === row) return added[place % columns] as T;
      return this.cells[at < row ? place : place - columns] as T;
    });
    this.become(this.rowCount + 1, columns, cells);
  }

  /** Puts a column in before `column`; without an array it is a column of na. */
  add_col(column = this.columnCount, values?: PineArray<T> | null): void {
    if (!(column >= 0 && column <= this.columnCount))
      throw badIndex('add_col', 'Column', column, this.columnCount, 'columns');
    const rows = this.columnCount === 0 && values ? values.size() : this.rowCount;
    const added = this.line('add_col', values, rows);
    const columns = this.columnCount + 1;
    checkShape(rows, columns);
    const cells = this.build(rows * columns, (place) => {
      const row = Math.floor(place / columns);
      const at = place % columns;
      return at === column ? (added[row] as T) : this.cell(row, at < column ? at : at - 1);
    });
    this.become(rows, columns, cells);
  }

  remove_row(index = this.rowCount - 1): PineArray<T> {
    const row = orFirst(index);
    this.checkRow('remove_row', row);
    const removed = this.rowAt(row);
    const from = row * this.columnCount;
    const cells = this.build((this.rowCount - 1) * this.columnCount, (place) => {
      return this.cells[place < from ? place : place + this.columnCount] as T;
    });
    this.become(this.rowCount - 1, this.columnCount, cells);
    return removed;
  }

  remove_col(index = this.columnCount - 1): PineArray<T> {
    const column = orFirst(index);
    this.checkColumn('remove_col', column);
    const removed = this.columnAt(column);
    const columns = this.columnCount - 1;
    const cells = this.build(this.rowCount * columns, (place) => {
      const at = place % columns;
      return this.cell(Math.floor(place / columns), at < column ? at : at + 1);
    });
    this.become(this.rowCount, columns, cells);
    return removed;
  }

  swap_rows(one: number, other: number): void {
    const [first, second] = [orFirst(one), orFirst(other)];
    this.checkRow('swap_rows', first);
    this.checkRow('swap_rows', second);
    const swap = (row: number) => (row === first ? second : row === second ? first : row);
    this.reorder((row, column) => this.cell(swap(row), column));
  }

  swap_columns(one: number, other: number): void {
    const [first, second] = [orFirst(one), orFirst(other)];
    this.checkColumn('swap_columns', first);
    this.checkColumn('swap_columns', second);
    const swap = (column: number) => (column === first ? second : column === second ? first : column);
    this.reorder((row, column) => this.cell(row, swap(column)));
  }

  /** The last cell becomes the first: both the rows and the columns turn round. */
  reverse(): void {
    this.reorder((row, column) => this.cell(this.rowCount - 1 - row, this.columnCount - 1 - column));
  }

  /** Orders the rows by one column; equal values keep their order, and turn it around in a descending one. */
  sort(column = 0, order: SortOrder = 'ascending', field?: string): void {
    this.checkColumn('sort', column);
    const ranks = sortIndices(this.columnAt(column), order, field).toList();
    this.reorder((row, at) => this.cell(ranks[row] as number, at));
  }

  /** The same cells in reading order under a new shape. */
  reshape(rows: number, columns: number): void {
    if (rows * columns !== this.elements_count())
      throw new PineRuntimeError(
        `In 'matrix.reshape()' function. A matrix of ${this.elements_count()} elements cannot take the shape ${rows}x${columns}.`,
      );
    checkShape(rows, columns);
    this.become(rows, columns, this.cells);
  }

  /** Appends the rows of the other to this one and returns this one. */
  concat(other: PineMatrix<T>): PineMatrix<T> {
    const columns = this.rowCount === 0 ? other.columns() : this.columnCount;
    if (other.rows() > 0 && other.columns() !== columns)
      throw new PineRuntimeError(
        `In 'matrix.concat()' function. Both matrices need the same number of columns; they have ${columns} and ${other.columns()}.`,
      );
    const rows = this.rowCount + other.rows();
    checkShape(rows, columns);
    const own = this.elements_count();
    const added = other.view();
    const cells = this.build(rows * columns, (i) => (i < own ? this.cells[i] : added[i - own]) as T);
    this.become(rows, columns, cells);
    return this;
  }

  submatrix(fromRow = 0, toRow = this.rowCount, fromColumn = 0, toColumn = this.columnCount): PineMatrix<T> {
    checkSpan('submatrix', 'row', fromRow, toRow, this.rowCount);
    checkSpan('submatrix', 'column', fromColumn, toColumn, this.columnCount);
    const columns = toColumn - fromColumn;
    const cells = this.build((toRow - fromRow) * columns, (place) =>
      this.cell(fromRow + Math.floor(place / columns), fromColumn + (place % columns)),
    );
    return new PineMatrix<T>(this.journal, this.numeric, toRow - fromRow, columns, cells);
  }

  transpose(): PineMatrix<T> {
    const cells = this.build(this.elements_count(), (place) =>
      this.cell(place % this.rowCount, Math.floor(place / this.rowCount)),
    );
    return new PineMatrix<T>(this.journal, this.numeric, this.columnCount, this.rowCount, cells);
  }

  copy(): PineMatrix<T> {
    return this.submatrix();
  }

  undo(operation: number, place: number, value: unknown): void {
    if (operation === UNDO_CELL) {
      this.cells[place] = value as never;
      return;
    }
    const shape = value as Shape<T>;
    this.rowCount = shape.rows;
    this.columnCount = shape.columns;
    this.cells = shape.cells;
  }

  private cell(row: number, column: number): T {
    return this.cells[row * this.columnCount + column] as T;
  }

  private reorder(cellOf: (row: number, column: number) => T): void {
    const columns = this.columnCount;
    const cells = this.build(this.elements_count(), (i) => cellOf(Math.floor(i / columns), i % columns));
    this.become(this.rowCount, columns, cells);
  }

  protected become(rows: number, columns: number, cells: Cells<T>): void {
    if (this.born < this.journal.epoch)
      this.journal.record(this, UNDO_SHAPE, 0, { rows: this.rowCount, columns: this.columnCount, cells: this.cells });
    this.rowCount = rows;
    this.columnCount = columns;
    this.cells = cells;
  }

  private build(count: number, valueAt: (place: number) => T): Cells<T> {
    const cells = (this.numeric ? new Float64Array(count) : new Array<T>(count)) as T[];
    for (let i = 0; i < count; i += 1) cells[i] = valueAt(i);
    return cells;
  }

  arrayOf(cells: ArrayLike<T> | Cells<T>): PineArray<T> {
    const made = this.numeric
      ? NumberArray.of(this.journal, cells as ArrayLike<number>)
      : ItemArray.of<T>(this.journal, cells as ArrayLike<T>);
    return made as unknown as PineArray<T>;
  }

  private line(method: string, values: PineArray<T> | null | undefined, count: number): Cells<T> {
    if (!values) return this.build(count, () => this.na());
    if (values.size() !== count)
      throw new PineRuntimeError(
        `In 'matrix.${method}()' function. The array has ${values.size()} elements; the matrix needs ${count}.`,
      );
    return values.toList();
  }

  private na(): T {
    return (this.numeric ? Number.NaN : null) as T;
  }

  /** What is found where there is no cell: na by an index that is na, else an error. */
  private missed(method: string, row: number, column: number): T {
    if (!Number.isNaN(row)) this.checkRow(method, row);
    if (!Number.isNaN(column)) this.checkColumn(method, column);
    return this.na();
  }

  private checkRow(method: string, row: number): void {
    if (!(row >= 0 && row < this.rowCount)) throw badIndex(method, 'Row', row, this.rowCount, 'rows');
  }

  private checkColumn(method: string, column: number): void {
    if (!(column >= 0 && column < this.columnCount))
      throw badIndex(method, 'Column', column, this.columnCount, 'columns');
  }
}

/** Removing and swapping take na for the first row or column, as TradingView is seen to do. */
const orFirst = (index: number) => (Number.isNaN(index) ? 0 : index);

function badIndex(method: string, what: string, index: number, count: number, counted: string): PineRuntimeError {
  return new PineRuntimeError(
    `In 'matrix.${method}()' function. ${what} index ${index} is out of bounds, the matrix has ${count} ${counted}.`,
  );
}

function checkSpan(method: string, what: string, from: number, to: number, count: number): void {
  if (!(from >= 0 && from <= to && to <= count))
    throw new PineRuntimeError(
      `In 'matrix.${method}()' function. The ${what}s from ${from} to ${to} are not within the ${count} of the matrix.`,
    );
}

export function checkShape(rows: number, columns: number): void {
  if (!(rows >= 0 && columns >= 0))
    throw new PineRuntimeError('Cannot create a matrix with a negative number of rows or columns.');
  // A shape without cells is limited too: a loop over its rows must end.
  if (Math.max(rows * columns, rows, columns) > MAX_MATRIX_CELLS)
    throw new PineRuntimeError(`Matrix is too large. Maximum size is ${MAX_MATRIX_CELLS} elements.`);
}

/** Stands in for na where a method of the matrix would be called. */
export function matrixId<T>(id: T | null | undefined): T {
  if (id === null || id === undefined)
    throw new PineRuntimeError("Cannot call matrix methods when ID of matrix is 'na'.");
  return id;
}

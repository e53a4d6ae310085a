// A row of a matrix as `for row in matrix` gives it: not a copy, but the cells themselves.

import { PineArray } from '../arrays/array.ts';
import type { Journal } from '../rollback.ts';
import { PineRuntimeError } from '../runtime-error.ts';

/** What a row needs of the matrix it is part of. */
export interface RowOwner<T> {
  readonly journal: Journal;
  rows(): number;
  columns(): number;
  get(row: number, column: number): T;
  set(row: number, column: number, value: T): void;
  arrayOf(values: ArrayLike<T>): PineArray<T>;
}

/** Keeps its place and no cells, so what is put into it is in the matrix; its size is that of every other row. */
export class MatrixRow<T> extends PineArray<T> {
  readonly matrix: RowOwner<T>;
  readonly row: number;

  constructor(matrix: RowOwner<T>, row: number) {
    super(matrix.journal);
    this.matrix = matrix;
    this.row = row;
  }

  override size(): number {
    if (this.row >= this.matrix.rows())
      throw new PineRuntimeError('The row is no longer part of the matrix. Copy it before the matrix is changed.');
    return this.matrix.columns();
  }

  override at(index: number): T {
    return this.matrix.get(this.row, index);
  }

  override put(index: number, value: T): void {
    this.matrix.set(this.row, index, value);
  }

  override get(index: number): T {
    return this.at(this.placeOf(index));
  }

  override set(index: number, value: T): void {
    this.put(this.placeOf(index), value);
  }

  override push(): never {
    throw fixedSize();
  }

  override insertAt(): never {
    throw fixedSize();
  }

  override removeAt(): never {
    throw fixedSize();
  }

  override toList(): T[] {
    return Array.from({ length: this.size() }, (_, index) => this.at(index));
  }

  override replaceAll(values: ArrayLike<T>): void {
    if (values.length !== this.size()) throw fixedSize();
    for (let i = 0; i < values.length; i += 1) this.put(i, values[i] as T);
  }

  override sameKind(values: ArrayLike<T>): PineArray<T> {
    return this.matrix.arrayOf(values);
  }

  /** The matrix itself keeps what has to be undone. */
  override undo(): void {}

  /** The matrix knows what an index that is na or out of bounds means. */
  private placeOf(index: number): number {
    const size = this.size();
    return index < 0 ? index + size : index;
  }
}

const fixedSize = () =>
  new PineRuntimeError(
    'A row of a matrix has as many elements as the matrix has columns. Change a copy of it, or use matrix.add_col() and matrix.remove_col().',
  );

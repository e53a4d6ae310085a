// Collections as they were at the end of an earlier bar, for `[]`: a copy that can be read and never changed.

import { PineArray } from './arrays/array.ts';
import { ArraySlice } from './arrays/slice.ts';
import { type Cells, PineMatrix } from './matrices/matrix.ts';
import { PineRuntimeError } from './runtime-error.ts';

const unchangeable = (): PineRuntimeError =>
  new PineRuntimeError(
    'Cannot modify the elements of a historical array or matrix, or of a slice of one. Modify a copy of it instead.',
  );

/** All of an array of its own that nobody else knows; what would change it is refused. */
export class PastArray<T> extends ArraySlice<T> {
  constructor(array: PineArray<T>) {
    super(array.copy(), 0, array.size());
  }

  override put(): never {
    throw unchangeable();
  }

  override set(): never {
    throw unchangeable();
  }

  override push(): never {
    throw unchangeable();
  }

  override insertAt(): never {
    throw unchangeable();
  }

  override removeAt(): never {
    throw unchangeable();
  }

  override replaceAll(): never {
    throw unchangeable();
  }
}

export class PastMatrix<T> extends PineMatrix<T> {
  constructor(matrix: PineMatrix<T>) {
    super(matrix.journal, matrix.numeric, matrix.rows(), matrix.columns(), matrix.view().slice() as Cells<T>);
  }

  override set(): never {
    throw unchangeable();
  }

  protected override become(): never {
    throw unchangeable();
  }
}

/** What `[]` will read of a value of this bar on later ones; objects and maps are references, also in the past. */
export function pastOf(value: unknown): unknown {
  if (value instanceof PineArray) return value instanceof PastArray ? value : new PastArray(value);
  if (value instanceof PineMatrix) return value instanceof PastMatrix ? value : new PastMatrix(value);
  return value;
}

// Linear algebra on plain row-major doubles: LU with pivoting, products, and the singular value decomposition.

/** A block of doubles with its shape; functions here never write into what they are given. */
export interface Block {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Float64Array;
}

export function identity(size: number): Block {
  const cells = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) cells[i * size + i] = 1;
  return { rows: size, columns: size, cells };
}

/** The Euclidean length, safe at both ends of the range of a double. */
export function lengthOf(vector: Float64Array): number {
  let most = 0;
  for (let i = 0; i < vector.length; i += 1) most = Math.max(most, Math.abs(vector[i] as number));
  if (!(most > 0 && most < Number.POSITIVE_INFINITY)) return most;
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) squares += ((vector[i] as number) / most) ** 2;
  return most * Math.sqrt(squares);
}

export function product(left: Block, right: Block): Block {
  const cells = new Float64Array(left.rows * right.columns);
  for (let row = 0; row < left.rows; row += 1)
    for (let k = 0; k < left.columns; k += 1) {
      const factor = left.cells[row * left.columns + k] as number;
      const from = k * right.columns;
      const into = row * right.columns;
      for (let column = 0; column < right.columns; column += 1)
        cells[into + column] = (cells[into + column] as number) + factor * (right.cells[from + column] as number);
    }
  return { rows: left.rows, columns: right.columns, cells };
}

/** The Kronecker product: every cell of the left times the whole right. */
export function kronecker(left: Block, right: Block): Block {
  const rows = left.rows * right.rows;
  const columns = left.columns * right.columns;
  const cells = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const a = left.cells[Math.floor(row / right.rows) * left.columns + Math.floor(column / right.columns)] as number;
      const b = right.cells[(row % right.rows) * right.columns + (column % right.columns)] as number;
      cells[row * columns + column] = a * b;
    }
  return { rows, columns, cells };
}

/** A square block as lower and upper triangle in one, with the order of its rows and the sign of that order. */
export interface Factors {
  readonly size: number;
  readonly cells: Float64Array;
  readonly order: Int32Array;
  readonly sign: number;
}

/** LU factors with the largest pivot of each column. A zero on the diagonal means that the block is singular. */
export function factorize(block: Block): Factors {
  const size = block.rows;
  const cells = block.cells.slice();
  const order = Int32Array.from({ length: size }, (_, row) => row);
  let sign = 1;
  for (let k = 0; k < size; k += 1) {
    let pivot = k;
    for (let row = k + 1; row < size; row += 1)
      if (Math.abs(cells[row * size + k] as number) > Math.abs(cells[pivot * size + k] as number)) pivot = row;
    if (pivot !== k) {
      swapRows(cells, size, pivot, k);
      [order[pivot], order[k]] = [order[k] as number, order[pivot] as number];
      sign = -sign;
    }
    const divisor = cells[k * size + k] as number;
    if (divisor === 0) continue;
    for (let row = k + 1; row < size; row += 1) {
      const factor = (cells[row * size + k] as number) / divisor;
      cells[row * size + k] = factor;
      if (factor === 0) continue;
      for (let column = k + 1; column < size; column += 1)
        cells[row * size + column] =
          (cells[row * size + column] as number) - factor * (cells[k * size + column] as number);
    }
  }
  return { size, cells, order, sign };
}

function swapRows(cells: Float64Array, size: number, a: number, b: number): void {
  for (let column = 0; column < size; column += 1) {
    const kept = cells[a * size + column] as number;
    cells[a * size + column] = cells[b * size + column] as number;
    cells[b * size + column] = kept;
  }
}

export function determinant(block: Block): number {
  const { size, cells, sign } = factorize(block);
  let result = sign;
  for (let i = 0; i < size; i += 1) result *= cells[i * size + i] as number;
  // Never minus zero.
  return result + 0;
}

/** Solves for one right-hand side. A zero pivot gives infinities, which the caller must expect. */
export function solve(factors: Factors, right: Float64Array): Float64Array {
  const { size, cells, order } = factors;
  const x = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    let value = right[order[row] as number] as number;
    for (let k = 0; k < row; k += 1) value -= (cells[row * size + k] as number) * (x[k] as number);
    x[row] = value;
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let value = x[row] as number;
    for (let k = row + 1; k < size; k += 1) value -= (cells[row * size + k] as number) * (x[k] as number);
    x[row] = value / (cells[row * size + row] as number);
  }
  return x;
}

/** The inverse, or null when the block is singular. */
export function inverse(block: Block): Block | null {
  const size = block.rows;
  const factors = factorize(block);
  for (let i = 0; i < size; i += 1) if (!(Math.abs(factors.cells[i * size + i] as number) > 0)) return null;
  const cells = new Float64Array(size * size);
  const unit = new Float64Array(size);
  for (let column = 0; column < size; column += 1) {
    unit.fill(0);
    unit[column] = 1;
    const x = solve(factors, unit);
    for (let row = 0; row < size; row += 1) cells[row * size + column] = x[row] as number;
  }
  return { rows: size, columns: size, cells };
}

export function transposed(block: Block): Block {
  const { rows, columns } = block;
  const cells = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      cells[column * rows + row] = block.cells[row * columns + column] as number;
  return { rows: columns, columns: rows, cells };
}

/** block = left · diagonal(values) · transpose(right), for a block with at least as many rows as columns. */
export interface SingularValues {
  readonly left: Block;
  readonly values: Float64Array;
  readonly right: Block;
}

/** Sweeps after which a decomposition is taken as it is; Jacobi needs about ten. */
const MAX_SWEEPS = 60;

/**
 * One-sided Jacobi: turns pairs of columns until all are orthogonal. Slower than bidiagonalisation and more exact for
 * small singular values, which is what rank and pseudo-inverse depend on.
 */
export function singularValues(block: Block): SingularValues {
  const { rows, columns } = block;
  // Kept as columns: each is one contiguous run.
  const u = transposed(block).cells;
  const v = identity(columns).cells;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    let turned = false;
    for (let p = 0; p < columns - 1; p += 1)
      for (let q = p + 1; q < columns; q += 1) turned = orthogonalize(u, v, rows, columns, p, q) || turned;
    if (!turned) break;
  }
  const values = new Float64Array(columns);
  for (let column = 0; column < columns; column += 1) {
    const run = u.subarray(column * rows, (column + 1) * rows);
    const norm = lengthOf(run);
    values[column] = norm;
    if (norm > 0) for (let i = 0; i < rows; i += 1) run[i] = (run[i] as number) / norm;
  }
  return {
    left: transposed({ rows: columns, columns: rows, cells: u }),
    values,
    right: transposed({ rows: columns, columns, cells: v }),
  };
}

function orthogonalize(u: Float64Array, v: Float64Array, rows: number, columns: number, p: number, q: number): boolean {
  const first = u.subarray(p * rows, (p + 1) * rows);
  const second = u.subarray(q * rows, (q + 1) * rows);
  let alpha = 0;
  let beta = 0;
  let gamma = 0;
  for (let i = 0; i < rows; i += 1) {
    const a = first[i] as number;
    const b = second[i] as number;
    alpha += a * a;
    beta += b * b;
    gamma += a * b;
  }
  if (!(Math.abs(gamma) > Number.EPSILON * Math.sqrt(alpha * beta))) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent);
  turn(first, second, cosine, cosine * tangent);
  turn(
    v.subarray(p * columns, (p + 1) * columns),
    v.subarray(q * columns, (q + 1) * columns),
    cosine,
    cosine * tangent,
  );
  return true;
}

function turn(first: Float64Array, second: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < first.length; i += 1) {
    const a = first[i] as number;
    const b = second[i] as number;
    first[i] = cosine * a - sine * b;
    second[i] = sine * a + cosine * b;
  }
}

/** Singular values at or below this share of the largest count as zero. */
function cutOff(block: Block, values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  return Math.max(block.rows, block.columns) * Number.EPSILON * largest;
}

const tall = (block: Block) => (block.rows >= block.columns ? block : transposed(block));

export function rankOf(block: Block): number {
  const { values } = singularValues(tall(block));
  const limit = cutOff(block, values);
  return values.reduce((count, value) => (value > limit ? count + 1 : count), 0);
}

/** The Moore-Penrose inverse. */
export function pseudoInverse(block: Block): Block {
  if (block.rows < block.columns) return transposed(pseudoInverse(transposed(block)));
  const { left, values, right } = singularValues(block);
  const limit = cutOff(block, values);
  const scaled = right.cells.slice();
  for (let i = 0; i < scaled.length; i += 1) {
    const value = values[i % right.columns] as number;
    scaled[i] = value > limit ? (scaled[i] as number) / value : 0;
  }
  return product({ rows: right.rows, columns: right.columns, cells: scaled }, transposed(left));
}

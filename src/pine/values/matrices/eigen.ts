// Eigenvalues and eigenvectors: Jacobi for symmetric blocks, the shifted QR iteration for all others.

import { type Block, factorize, identity, lengthOf, solve } from './linear.ts';

export interface Eigen {
  /**
   * Of a symmetric matrix from the largest to the smallest, of others as the iteration finds them down the diagonal;
   * of a value that is not real the real part.
   */
  readonly values: Float64Array;
  /** One column of length 1 per value, in the same order; na where the value is not real. */
  readonly vectors: Block;
}

/** Sweeps or iterations per value after which a result is taken as it is; both methods need about ten. */
const MAX_SWEEPS = 60;
const MAX_ITERATIONS = 60;

export function eigen(block: Block): Eigen {
  if (block.cells.some((cell) => !Number.isFinite(cell))) return nothing(block.rows);
  return isSymmetric(block) ? symmetricEigen(block) : generalEigen(block);
}

function nothing(size: number): Eigen {
  const cells = new Float64Array(size * size).fill(Number.NaN);
  return { values: new Float64Array(size).fill(Number.NaN), vectors: { rows: size, columns: size, cells } };
}

function isSymmetric({ rows, cells }: Block): boolean {
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < row; column += 1)
      if (cells[row * rows + column] !== cells[column * rows + row]) return false;
  return true;
}

/** Turns away one off-diagonal cell after the other until nothing of them is left. */
function symmetricEigen(block: Block): Eigen {
  const size = block.rows;
  const a = block.cells.slice();
  const v = identity(size).cells;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    let turned = false;
    for (let p = 0; p < size - 1; p += 1)
      for (let q = p + 1; q < size; q += 1) turned = annihilate(a, v, size, p, q) || turned;
    if (!turned) break;
  }
  const values = Float64Array.from({ length: size }, (_, i) => a[i * size + i] as number);
  return inOrder(values, v, size);
}

function annihilate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): boolean {
  const off = a[p * size + q] as number;
  const first = a[p * size + p] as number;
  const second = a[q * size + q] as number;
  if (Math.abs(off) <= Number.EPSILON * 0.01 * (Math.abs(first) + Math.abs(second)) || off === 0) return false;
  const theta = (second - first) / (2 * off);
  const tangent = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(1, theta));
  const cosine = 1 / Math.hypot(1, tangent);
  const sine = tangent * cosine;
  for (let k = 0; k < size; k += 1) turnPair(a, k * size + p, k * size + q, cosine, sine);
  for (let k = 0; k < size; k += 1) turnPair(a, p * size + k, q * size + k, cosine, sine);
  for (let k = 0; k < size; k += 1) turnPair(v, k * size + p, k * size + q, cosine, sine);
  a[p * size + q] = 0;
  a[q * size + p] = 0;
  return true;
}

function turnPair(cells: Float64Array, i: number, j: number, cosine: number, sine: number): void {
  const x = cells[i] as number;
  const y = cells[j] as number;
  cells[i] = cosine * x - sine * y;
  cells[j] = sine * x + cosine * y;
}

function generalEigen(block: Block): Eigen {
  const size = block.rows;
  const { values, isReal } = eigenvalues(block);
  const cells = new Float64Array(size * size).fill(Number.NaN);
  const norm = block.cells.reduce((most, cell) => Math.max(most, Math.abs(cell)), 0);
  const found: { value: number; vector: Float64Array }[] = [];
  for (let column = 0; column < size; column += 1) {
    const value = values[column] as number;
    if (!isReal[column]) continue;
    const near = found.filter((one) => Math.abs(one.value - value) <= 1e-7 * (norm || 1));
    const vector = eigenvector(block, value, norm, column, near);
    found.push({ value, vector });
    for (let row = 0; row < size; row += 1) cells[row * size + column] = vector[row] as number;
  }
  return { values, vectors: { rows: size, columns: size, cells } };
}

/** Inverse iteration beside the value; a value that occurs twice gets a second, orthogonal vector where there is one. */
function eigenvector(
  block: Block,
  value: number,
  norm: number,
  turn: number,
  near: readonly { vector: Float64Array }[],
): Float64Array {
  const size = block.rows;
  const shifted = block.cells.slice();
  const beside = value + Math.max(norm, Math.abs(value), Number.MIN_VALUE) * 1e-14;
  for (let i = 0; i < size; i += 1) shifted[i * size + i] = (shifted[i * size + i] as number) - beside;
  const factors = factorize({ rows: size, columns: size, cells: shifted });
  for (let i = 0; i < size; i += 1)
    if (factors.cells[i * size + i] === 0) factors.cells[i * size + i] = (norm || 1) * Number.EPSILON;
  // Each start differs, so that values that occur twice do not find the same vector twice.
  let vector: Float64Array = Float64Array.from({ length: size }, (_, i) => 1 + ((i * 7 + turn * 3) % 5) / 5);
  let best = vector;
  let least = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 4; step += 1) {
    vector = unit(solve(factors, vector));
    for (const other of near) removeComponent(vector, other.vector);
    if (near.length > 0) vector = unit(vector);
    // Where two vectors fall together a further step can lead away again, so the best one counts.
    const error = errorOf(block, value, vector);
    if (error < least) [best, least] = [vector, error];
  }
  const [first] = near;
  // A matrix can lack a second vector for a value that occurs twice: what is left is none, and the first stands again.
  return first !== undefined && least > 1e-7 * norm ? first.vector : signed(best);
}

/** How far the matrix takes the vector from where the value alone would. */
function errorOf({ rows, cells }: Block, value: number, vector: Float64Array): number {
  const error = vector.map((part, row) => {
    let product = 0;
    for (let k = 0; k < rows; k += 1) product += (cells[row * rows + k] as number) * (vector[k] as number);
    return product - value * part;
  });
  return lengthOf(error);
}

function removeComponent(vector: Float64Array, other: Float64Array): void {
  let share = 0;
  for (let i = 0; i < vector.length; i += 1) share += (vector[i] as number) * (other[i] as number);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] as number) - share * (other[i] as number);
}

function unit(vector: Float64Array): Float64Array {
  let most = 0;
  for (const part of vector) most = Math.max(most, Math.abs(part));
  if (most === 0) return vector;
  // Divided by the largest part first: the parts may be near the end of the range of a double.
  const scaled = vector.map((part) => part / most);
  const length = lengthOf(scaled);
  return scaled.map((part) => part / length);
}

/** The part that is largest in size is positive: of the two possible vectors always the same one. */
function signed(vector: Float64Array): Float64Array {
  let most = 0;
  for (const part of vector) if (Math.abs(part) > Math.abs(most) * (1 + 1e-9)) most = part;
  return most < 0 ? vector.map((part) => 0 - part) : vector;
}

function inOrder(values: Float64Array, vectors: Float64Array, size: number): Eigen {
  const order = Array.from(values.keys()).sort((i, j) => compareDown(values[i] as number, values[j] as number));
  const cells = new Float64Array(size * size);
  for (const [to, from] of order.entries()) {
    const column = signed(Float64Array.from({ length: size }, (_, row) => vectors[row * size + from] as number));
    for (let row = 0; row < size; row += 1) cells[row * size + to] = column[row] as number;
  }
  return {
    values: Float64Array.from(order, (from) => values[from] as number),
    vectors: { rows: size, columns: size, cells },
  };
}

const compareDown = (a: number, b: number) => b - a || 0;

/** Eigenvalues of any real block by QR steps on its Hessenberg form; na where they do not come to an end. */
function eigenvalues(block: Block): { values: Float64Array; isReal: readonly boolean[] } {
  const size = block.rows;
  const h = hessenberg(block);
  const values = new Float64Array(size);
  const isReal = new Array<boolean>(size).fill(true);
  const norm = lengthOf(block.cells);
  let last = size - 1;
  let iterations = 0;
  while (last >= 0) {
    const start = splitAt(h, size, last, norm);
    if (start === last) {
      values[last] = h[last * size + last] as number;
      last -= 1;
      iterations = 0;
    } else if (start === last - 1) {
      const pair = pairOf(h, size, last);
      values.set(pair.values, last - 1);
      isReal.fill(pair.isReal, last - 1, last + 1);
      last -= 2;
      iterations = 0;
    } else if (iterations === MAX_ITERATIONS) {
      values[last] = Number.NaN;
      isReal[last] = false;
      last -= 1;
      iterations = 0;
    } else {
      iterations += 1;
      francisStep(h, size, start, last, iterations % 10 === 0);
    }
  }
  return { values, isReal };
}

/** The first row of the part that ends at `last` and hangs together; cells too small to matter become zero. */
function splitAt(h: Float64Array, size: number, last: number, norm: number): number {
  for (let k = last; k > 0; k -= 1) {
    // Measured against the whole matrix: what is smaller than its rounding error cannot be made smaller.
    if (Math.abs(h[k * size + k - 1] as number) <= Number.EPSILON * norm) {
      h[k * size + k - 1] = 0;
      return k;
    }
  }
  return 0;
}

/** The two eigenvalues of the 2x2 part that ends at `last`, or the real part that both have. */
function pairOf(h: Float64Array, size: number, last: number): { values: [number, number]; isReal: boolean } {
  const a = h[(last - 1) * size + last - 1] as number;
  const b = h[(last - 1) * size + last] as number;
  const c = h[last * size + last - 1] as number;
  const d = h[last * size + last] as number;
  const half = (a - d) / 2;
  const inside = half * half + b * c;
  const scale = half * half + Math.abs(b * c);
  // A square that is negative only by its rounding error is a double root.
  if (inside < -scale * 4 * Number.EPSILON) return { values: [d + half, d + half], isReal: false };
  const root = Math.sqrt(Math.max(inside, 0));
  const far = half + (half >= 0 ? root : -root);
  const first = d + far;
  return { values: far === 0 ? [d, d] : [first, d - (b * c) / far], isReal: true };
}

/** Elimination below the first subdiagonal by reflections. */
function hessenberg(block: Block): Float64Array {
  const size = block.rows;
  const h = block.cells.slice();
  for (let k = 0; k < size - 2; k += 1) {
    const v = Float64Array.from({ length: size - k - 1 }, (_, i) => h[(k + 1 + i) * size + k] as number);
    if (!reflector(v)) continue;
    reflect(h, size, v, k + 1, k);
    for (let row = k + 2; row < size; row += 1) h[row * size + k] = 0;
  }
  return h;
}

/** Turns a vector into the unit vector of the reflection that leaves only its first part; false when it has only that. */
function reflector(v: Float64Array): boolean {
  // Asked of the other parts themselves: beside a large first part the length does not show them.
  if (lengthOf(v.subarray(1)) === 0) return false;
  const length = lengthOf(v);
  const head = v[0] as number;
  v[0] = head + (head >= 0 ? length : -length);
  const norm = lengthOf(v);
  for (let i = 0; i < v.length; i += 1) v[i] = (v[i] as number) / norm;
  return true;
}

/** h becomes R·h·R, where R reflects the rows and columns from `at` on; columns before `from` are zero already. */
function reflect(h: Float64Array, size: number, v: Float64Array, at: number, from: number): void {
  for (let column = from; column < size; column += 1) {
    let share = 0;
    for (let i = 0; i < v.length; i += 1) share += (v[i] as number) * (h[(at + i) * size + column] as number);
    for (let i = 0; i < v.length; i += 1) {
      const place = (at + i) * size + column;
      h[place] = (h[place] as number) - 2 * share * (v[i] as number);
    }
  }
  for (let row = 0; row < size; row += 1) {
    let share = 0;
    for (let i = 0; i < v.length; i += 1) share += (v[i] as number) * (h[row * size + at + i] as number);
    for (let i = 0; i < v.length; i += 1) {
      const place = row * size + at + i;
      h[place] = (h[place] as number) - 2 * share * (v[i] as number);
    }
  }
}

/** One double-shift step: a bulge is made at the top of the part and chased out at its bottom. */
function francisStep(h: Float64Array, size: number, start: number, last: number, exceptional: boolean): void {
  const cell = (row: number, column: number) => h[row * size + column] as number;
  let trace = cell(last - 1, last - 1) + cell(last, last);
  let det = cell(last - 1, last - 1) * cell(last, last) - cell(last - 1, last) * cell(last, last - 1);
  if (exceptional) {
    // The usual shift can go round in circles; this one breaks the symmetry.
    const jolt = Math.abs(cell(last, last - 1)) + Math.abs(cell(last - 1, last - 2));
    trace = 1.5 * jolt;
    det = jolt * jolt;
  }
  const top = cell(start, start);
  const below = cell(start + 1, start);
  const bulge = Float64Array.of(
    top * top + cell(start, start + 1) * below - trace * top + det,
    below * (top + cell(start + 1, start + 1) - trace),
    below * cell(start + 2, start + 1),
  );
  for (let k = start; k < last; k += 1) {
    const length = Math.min(3, last - k + 1);
    const v = bulge.slice(0, length);
    if (reflector(v)) reflect(h, size, v, k, Math.max(start, k - 1));
    for (let i = 0; i < 3; i += 1) bulge[i] = k + 1 + i <= last ? cell(k + 1 + i, k) : 0;
    if (k > start) for (let row = k + 1; row <= Math.min(k + 2, last); row += 1) h[row * size + k - 1] = 0;
  }
}

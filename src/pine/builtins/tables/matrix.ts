// The matrix and map namespaces: tables of one type, and values found by a key.

import type { TableSource } from '../model.ts';

const predicates = Object.entries({
  antidiagonal: 'all elements off the second diagonal are zero',
  antisymmetric: 'the matrix equals its transpose with the signs turned',
  binary: 'every element is 0 or 1',
  diagonal: 'all elements off the main diagonal are zero',
  identity: 'the matrix has ones on the main diagonal and zeros elsewhere',
  square: 'there are as many rows as columns',
  stochastic: 'no element is negative and every row sums to one',
  symmetric: 'the matrix equals its transpose',
  triangular: 'all elements on one side of the main diagonal are zero',
  zero: 'every element is zero',
})
  .map(([name, meaning]) => {
    const element = name === 'square' ? 'T' : 'N';
    return `is_${name}(id: matrix<${element}>) -> series bool\n  # Whether ${meaning}.`;
  })
  .join('\n');

export const MATRIX: TableSource = {
  namespace: 'matrix',
  text: `
new<V>(rows: series int = 0, columns: series int = 0, initial_value: series V = na) -> matrix<V>
  # New matrix of the type in the angle brackets, all elements set to initial_value.
add_col(id: matrix<T>, column: series int = {after the last column}, array_id: array<T> = {a column of na}) -> void
  # Inserts a column at the index.
add_row(id: matrix<T>, row: series int = {after the last row}, array_id: array<T> = {a row of na}) -> void
  # Inserts a row at the index.
avg(id: matrix<N>) -> series N
  # Mean of all elements.
col(id: matrix<T>, column: series int) -> array<T>
  # New array of a column's elements.
columns(id: matrix<T>) -> series int
  # Number of columns.
concat(id1: matrix<T>, id2: matrix<T>) -> matrix<T>
  # Appends the rows of the second matrix to the first and returns the first.
copy(id: matrix<T>) -> matrix<T>
  # New matrix with the same elements.
det(id: matrix<N>) -> series N
  # Determinant of a square matrix.
diff(id1: matrix<int>, id2: series int/float/matrix<int>) -> matrix<int>
diff(id1: matrix<N>, id2: series int/float/matrix<int>/matrix<float>) -> matrix<float>
  # New matrix: the first less the second matrix or number.
eigenvalues(id: matrix<N>) -> array<N>
  # Eigenvalues of a square matrix.
eigenvectors(id: matrix<N>) -> matrix<N>
  # Matrix whose columns are the eigenvectors of a square matrix.
elements_count(id: matrix<T>) -> series int
  # Number of elements.
fill(id: matrix<T>, value: series T, from_row: series int = 0, to_row: series int = {the number of rows},
    from_column: series int = 0, to_column: series int = {the number of columns}) -> void
  # Sets the elements of a rectangle; its end row and column are not included.
get(id: matrix<T>, row: series int, column: series int) -> series T
  # The element at the row and column.
inv(id: matrix<N>) -> matrix<N>
  # Inverse of a square matrix.
${predicates}
kron(id1: matrix<int>, id2: matrix<int>) -> matrix<int>
kron(id1: matrix<N>, id2: matrix<int>/matrix<float>) -> matrix<float>
  # Kronecker product of two matrices.
max(id: matrix<N>) -> series N
  # Largest element.
median(id: matrix<N>) -> series N
  # Median of all elements.
min(id: matrix<N>) -> series N
  # Smallest element.
mode(id: matrix<N>) -> series N
  # Most frequent element; the smallest of several.
mult(id1: matrix<int>, id2: series int/float/matrix<int>) -> matrix<int>
mult(id1: matrix<N>, id2: series int/float/matrix<int>/matrix<float>) -> matrix<float>
mult(id1: matrix<int>, id2: array<int>) -> array<int>
mult(id1: matrix<N>, id2: array<int>/array<float>) -> array<float>
  # Product of a matrix with a matrix, a number or an array.
pinv(id: matrix<N>) -> matrix<N>
  # Pseudoinverse of a matrix.
pow(id: matrix<N>, power: series int) -> matrix<N>
  # The matrix multiplied by itself power times.
rank(id: matrix<T>) -> series int
  # Number of independent rows.
remove_col(id: matrix<T>, column: series int = {the last column}) -> array<T>
  # Removes a column and returns its elements.
remove_row(id: matrix<T>, row: series int = {the last row}) -> array<T>
  # Removes a row and returns its elements.
reshape(id: matrix<T>, rows: series int, columns: series int) -> void
  # Lays the same elements out in other dimensions.
reverse(id: matrix<T>) -> void
  # Turns the order of rows and of columns around.
row(id: matrix<T>, row: series int) -> array<T>
  # New array of a row's elements.
rows(id: matrix<T>) -> series int
  # Number of rows.
set(id: matrix<T>, row: series int, column: series int, value: series T) -> void
  # Replaces the element at the row and column.
sort(id: matrix<S>, column: series int = 0, order: series sort_order in order.* = order.ascending) -> void
sort(id: matrix<U>, column: series int = 0, order: series sort_order in order.* = order.ascending,
    sort_field: const int/string = 0) -> void | v6
  # Sorts the rows by the values of a column.
submatrix(id: matrix<T>, from_row: series int = 0, to_row: series int = {the number of rows},
    from_column: series int = 0, to_column: series int = {the number of columns}) -> matrix<T>
  # New matrix of a rectangle; its end row and column are not included.
sum(id1: matrix<int>, id2: series int/float/matrix<int>) -> matrix<int>
sum(id1: matrix<N>, id2: series int/float/matrix<int>/matrix<float>) -> matrix<float>
  # New matrix: the first plus the second matrix or number.
swap_columns(id: matrix<T>, column1: series int, column2: series int) -> void
  # Exchanges two columns.
swap_rows(id: matrix<T>, row1: series int, row2: series int) -> void
  # Exchanges two rows.
trace(id: matrix<N>) -> series N
  # Sum of the main diagonal.
transpose(id: matrix<T>) -> matrix<T>
  # New matrix with rows and columns exchanged.
`,
};

export const MAP: TableSource = {
  namespace: 'map',
  text: `
new<K, V>() -> map<K, V>
  # New empty map from keys of the first type to values of the second.
clear(id: map<K, V>) -> void
  # Removes all pairs.
contains(id: map<K, V>, key: series K) -> series bool
  # Whether the key is present.
copy(id: map<K, V>) -> map<K, V>
  # New map with the same pairs.
get(id: map<K, V>, key: series K) -> series V
  # Value of the key; na when it is not present.
keys(id: map<K, V>) -> array<K>
  # New array of the keys in the order they were put.
put(id: map<K, V>, key: series K, value: series V) -> series V
  # Sets the key's value and returns the one before, or na.
put_all(id: map<K, V>, id2: map<K, V>) -> void
  # Puts all pairs of the second map.
remove(id: map<K, V>, key: series K) -> series V
  # Removes the key and returns its value, or na.
size(id: map<K, V>) -> series int
  # Number of pairs.
values(id: map<K, V>) -> array<V>
  # New array of the values in the order their keys were put.
`,
};

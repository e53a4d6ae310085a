// The array namespace: lists of one type, by reference.

import type { TableSource } from '../model.ts';

/** The array.new_* constructors differ in nothing but the element. */
const constructors = (['bool', 'color', 'float', 'int', 'string', 'box', 'label', 'line', 'linefill', 'table'] as const)
  .map((name) => {
    const initial = name === 'bool' ? 'false (v5 na)' : 'na';
    return `new_${name}(size: series int = 0, initial_value: series ${name} = ${initial}) -> array<${name}>
  # New array of ${name} values, all set to initial_value.`;
  })
  .join('\n');

export const ARRAY: TableSource = {
  namespace: 'array',
  text: `
${constructors}
new<V>(size: series int = 0, initial_value: series V = na) -> array<V>
  # New array of the type in the angle brackets, all elements set to initial_value.
from(...arg: series V) -> array<V>
  # New array of the arguments.
abs(id: array<N>) -> array<N>
  # New array of the elements without their signs.
avg(id: array<N>) -> series N
  # Mean of the elements.
binary_search(id: array<N>, val: series float) -> series int
binary_search(id: array<U>, val: series float, sort_field: const int/string = 0) -> series int | v6
binary_search(id: array<U>, val: series string, sort_field: const int/string = 0) -> series int | v6
  # Index of the value in a sorted array; -1 when it is not there.
binary_search_leftmost(id: array<N>, val: series float) -> series int
binary_search_leftmost(id: array<U>, val: series float, sort_field: const int/string = 0) -> series int | v6
binary_search_leftmost(id: array<U>, val: series string, sort_field: const int/string = 0) -> series int | v6
  # Index of the first such value in a sorted array, or of the next smaller one.
binary_search_rightmost(id: array<N>, val: series float) -> series int
binary_search_rightmost(id: array<U>, val: series float, sort_field: const int/string = 0) -> series int | v6
binary_search_rightmost(id: array<U>, val: series string, sort_field: const int/string = 0) -> series int | v6
  # Index of the last such value in a sorted array, or of the next larger one.
clear(id: array<T>) -> void
  # Removes all elements.
concat(id1: array<T>, id2: array<T>) -> array<T>
  # Appends the second array to the first and returns the first.
copy(id: array<T>) -> array<T>
  # New array with the same elements.
covariance(id1: array<N>, id2: array<int>/array<float>, biased: series bool = true) -> series float
  # Covariance of two arrays; of a sample when biased is false.
every(id: array<B>) -> series bool
  # Whether every element is true; numbers count as true unless zero.
fill(id: array<T>, value: series T, index_from: series int = 0, index_to: series int = na) -> void
  # Sets the elements from index_from up to but without index_to.
first(id: array<T>) -> series T
  # The first element; an error when the array is empty.
get(id: array<T>, index: series int) -> series T
  # The element at the index; since v6 negative indices count from the end.
includes(id: array<T>, value: series T) -> series bool
  # Whether the value is among the elements.
indexof(id: array<T>, value: series T) -> series int
  # Index of the first such element; -1 when there is none.
insert(id: array<T>, index: series int, value: series T) -> void
  # Puts the value in front of the element at the index.
join(id: array<S>, separator: series string = "") -> series string
  # The elements as one text with a separator between.
last(id: array<T>) -> series T
  # The last element; an error when the array is empty.
lastindexof(id: array<T>, value: series T) -> series int
  # Index of the last such element; -1 when there is none.
max(id: array<N>, nth: series int = 0) -> series N
  # The largest element, or the nth after it.
median(id: array<N>) -> series N
  # Median of the elements.
min(id: array<N>, nth: series int = 0) -> series N
  # The smallest element, or the nth after it.
mode(id: array<N>) -> series N
  # Most frequent element; the smallest of several.
percentile_linear_interpolation(id: array<N>, percentage: series float) -> series N
  # Percentile of the elements, interpolated between neighbours.
percentile_nearest_rank(id: array<N>, percentage: series float) -> series N
  # Percentile of the elements, always one of them.
percentrank(id: array<N>, index: series int) -> series N
  # Share of the other elements that do not exceed the one at the index, in percent.
pop(id: array<T>) -> series T
  # Removes the last element and returns it.
push(id: array<T>, value: series T) -> void
  # Appends the value.
range(id: array<N>) -> series N
  # Largest minus smallest element.
remove(id: array<T>, index: series int) -> series T
  # Removes the element at the index and returns it.
reverse(id: array<T>) -> void
  # Turns the order of the elements around.
set(id: array<T>, index: series int, value: series T) -> void
  # Replaces the element at the index.
shift(id: array<T>) -> series T
  # Removes the first element and returns it.
size(id: array<T>) -> series int
  # Number of elements.
slice(id: array<T>, index_from: series int, index_to: series int) -> array<T>
  # A window on the elements from index_from up to but without index_to; changes show in both.
some(id: array<B>) -> series bool
  # Whether any element is true; numbers count as true unless zero.
sort(id: array<S>, order: series sort_order in order.* = order.ascending) -> void
sort(id: array<U>, order: series sort_order in order.* = order.ascending, sort_field: const int/string = 0) -> void | v6
  # Sorts the elements in place; objects by one of their fields.
sort_indices(id: array<S>, order: series sort_order in order.* = order.ascending) -> array<int>
sort_indices(id: array<U>, order: series sort_order in order.* = order.ascending, sort_field: const int/string = 0)
    -> array<int> | v6
  # The indices in the order that would sort the elements.
standardize(id: array<N>) -> array<N>
  # New array of the distances from the mean in standard deviations.
stdev(id: array<N>, biased: series bool = true) -> series N
  # Standard deviation of the elements; of a sample when biased is false.
sum(id: array<N>) -> series N
  # Sum of the elements.
unshift(id: array<T>, value: series T) -> void
  # Puts the value in front of all elements.
variance(id: array<N>, biased: series bool = true) -> series N
  # Variance of the elements; of a sample when biased is false.
`,
};

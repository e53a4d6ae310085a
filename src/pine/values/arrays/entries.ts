// `array.*` for the emitter.
//
// Constructors come in two kinds by the static type of the elements: `array.new<number>` and `array.from<number>` for
// ints and floats, `array.new<item>` and `array.from<item>` for everything else. `sort_field` arrives as the name of
// the field in the emitted class. Floats are written otherwise than ints: `array.join<float>`, and `array.text<float>` for
// an array of floats that `str.format` or a log is given.

import { functions, methods, type ValueEntries, type ValueHost } from '../entry.ts';
import * as statistics from '../statistics.ts';
import { joinedFloats, joinedText } from '../strings/to-text.ts';
import { checkedNewSize, outOfBounds, type PineArray } from './array.ts';
import * as lists from './functions.ts';
import { ItemArray } from './item-array.ts';
import { NumberArray } from './number-array.ts';

type Numbers = PineArray<number>;
type Items = PineArray<unknown>;

const ITEM_TYPES = ['string', 'color', 'line', 'label', 'box', 'table', 'linefill'];
const METHODS = ['push', 'pop', 'shift', 'unshift', 'size', 'first', 'last', 'clear', 'copy'];
/** Methods that take an index; only version 6 counts negative ones from the end. */
const INDEXED_METHODS = ['get', 'set', 'insert', 'remove'];

export function arrayEntries(host: ValueHost): ValueEntries {
  return {
    ...constructors(host),
    ...methods('array.', lists.arrayId, METHODS),
    ...(host.version === 6 ? methods('array.', lists.arrayId, INDEXED_METHODS) : functions('array.', indexedV5)),
    ...functions('array.', listFunctions(host)),
    ...functions('array.', numberFunctions),
  };
}

function constructors({ journal, version }: ValueHost): ValueEntries {
  const numbers = (size = 0, initial = Number.NaN) => new NumberArray(journal, checkedNewSize(size), initial);
  const items = (size = 0, initial: unknown = null) => new ItemArray<unknown>(journal, checkedNewSize(size), initial);
  const noBool = version === 6 ? false : null;
  return functions('array.', {
    'new<number>': numbers,
    new_float: numbers,
    new_int: numbers,
    'new<item>': items,
    ...Object.fromEntries(ITEM_TYPES.map((type) => [`new_${type}`, items])),
    new_bool: (size = 0, initial: boolean | null = noBool) => items(size, initial),
    'from<number>': (...values: number[]) => NumberArray.of(journal, values),
    'from<item>': (...values: unknown[]) => ItemArray.of<unknown>(journal, values),
  });
}

/** A negative index is an error in version 5. */
function indexV5(method: string, id: Items, index: number): Items {
  const array = lists.arrayId(id);
  if (index < 0) throw outOfBounds(method, index, array.size());
  return array;
}

const indexedV5 = {
  get: (id: Items, index: number) => indexV5('get', id, index).get(index),
  set: (id: Items, index: number, value: unknown) => indexV5('set', id, index).set(index, value),
  insert: (id: Items, index: number, value: unknown) => indexV5('insert', id, index).insert(index, value),
  remove: (id: Items, index: number) => indexV5('remove', id, index).remove(index),
};

const listFunctions = ({ mintick }: ValueHost) => ({
  slice: (id: Items, from: number, to: number) => lists.slice(lists.arrayId(id), from, to),
  concat: (id: Items, other: Items) => lists.concat(lists.arrayId(id), lists.arrayId(other)),
  fill: (id: Items, value: unknown, from?: number, to?: number) => lists.fill(lists.arrayId(id), value, from, to),
  includes: (id: Items, value: unknown) => lists.includes(lists.arrayId(id), value),
  indexof: (id: Items, value: unknown) => lists.indexOf(lists.arrayId(id), value),
  lastindexof: (id: Items, value: unknown) => lists.lastIndexOf(lists.arrayId(id), value),
  join: (id: Items, separator = '') => joinedText(lists.arrayId(id), separator, mintick),
  reverse: (id: Items) => lists.reverse(lists.arrayId(id)),
  sort: (id: Items, order?: lists.SortOrder, field?: string) => lists.sort(lists.arrayId(id), order, field),
  sort_indices: (id: Items, order?: lists.SortOrder, field?: string) =>
    lists.sortIndices(lists.arrayId(id), order, field),
  binary_search: (id: Items, value: lists.Key, field?: string) => lists.binarySearch(lists.arrayId(id), value, field),
  binary_search_leftmost: (id: Items, value: lists.Key, field?: string) =>
    lists.binarySearchLeftmost(lists.arrayId(id), value, field),
  binary_search_rightmost: (id: Items, value: lists.Key, field?: string) =>
    lists.binarySearchRightmost(lists.arrayId(id), value, field),
  every: (id: Items) => lists.every(lists.arrayId(id)),
  some: (id: Items) => lists.some(lists.arrayId(id)),
});

const read = (id: Numbers) => lists.numbersOf(lists.arrayId(id));

/** The figures that scripts ask for on every bar are read where the elements stand; `list` is what `read` would copy. */
const listOf = (id: Numbers): readonly number[] => (id instanceof NumberArray ? id.list : id.toList());
const startOf = (id: Numbers): number => (id instanceof NumberArray ? id.firstPlace : 0);

const everyBar = {
  avg: (id: Numbers) => statistics.mean(listOf(lists.arrayId(id)), startOf(id)),
  max: (id: Numbers, nth?: number) => statistics.largest(listOf(lists.arrayId(id)), nth, startOf(id)),
  min: (id: Numbers, nth?: number) => statistics.smallest(listOf(lists.arrayId(id)), nth, startOf(id)),
  range: (id: Numbers) => statistics.range(listOf(lists.arrayId(id)), startOf(id)),
  sum: (id: Numbers) => statistics.sum(listOf(lists.arrayId(id)), startOf(id)),
};

const numberFunctions = {
  ...everyBar,
  'join<float>': (id: Numbers, separator = '') => joinedFloats(lists.arrayId(id), separator),
  'text<float>': (id: Numbers | null) => (id === null ? null : `[${joinedFloats(id, ', ')}]`),
  abs: (id: Numbers) => NumberArray.of(lists.arrayId(id).journal, read(id).map(Math.abs)),
  covariance: (id: Numbers, other: Numbers, biased?: boolean) => statistics.covariance(read(id), read(other), biased),
  median: (id: Numbers) => statistics.median(read(id)),
  mode: (id: Numbers) => statistics.mode(read(id)),
  percentile_linear_interpolation: (id: Numbers, percentage: number) =>
    statistics.percentileLinear(read(id), percentage),
  percentile_nearest_rank: (id: Numbers, percentage: number) => statistics.percentileNearestRank(read(id), percentage),
  percentrank: (id: Numbers, index: number) => {
    const values = read(id);
    // Does not count from the end, and takes an na for the first.
    const place = Number.isNaN(index) ? 0 : index;
    if (!(place >= 0 && place < values.length)) throw outOfBounds('percentrank', index, values.length);
    return statistics.percentRank(values, place);
  },
  standardize: (id: Numbers) => NumberArray.of(lists.arrayId(id).journal, statistics.standardize(read(id))),
  stdev: (id: Numbers, biased?: boolean) => statistics.stdev(read(id), biased),
  variance: (id: Numbers, biased?: boolean) => statistics.variance(read(id), biased),
};

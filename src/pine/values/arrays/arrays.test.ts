// Tests of every function of `array.*`, by their names in Pine.

import { describe, expect, it } from 'vitest';
import { type NumberArray, type PineArray, PineObject } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';

const { call, journal } = openLibrary();
const numbers = (...values: number[]) => call<NumberArray>('array.from<number>', ...values);
const items = (...values: unknown[]) => call<PineArray<unknown>>('array.from<item>', ...values);
const list = (id: unknown) => (id as PineArray<unknown>).toList();
const NA = Number.NaN;

describe('making arrays', () => {
  it('fills a new array with na, or with the value given', () => {
    expect(list(call('array.new_float', 2))).toEqual([NA, NA]);
    expect(list(call('array.new_int', 2, 7))).toEqual([7, 7]);
    expect(list(call('array.new_string', 2))).toEqual([null, null]);
    expect(list(call('array.new<item>', 1, 'x'))).toEqual(['x']);
    expect(list(call('array.new<number>'))).toEqual([]);
  });

  it('fills a new array of bools with false in version 6 and na in version 5', () => {
    expect(list(call('array.new_bool', 1))).toEqual([false]);
    expect(list(openLibrary({ version: 5 }).call('array.new_bool', 1))).toEqual([null]);
    expect(list(call('array.new_bool', 1, true))).toEqual([true]);
  });

  it('refuses a negative size, na as a size, and more than 100,000 elements', () => {
    expect(errorOf(() => call('array.new_float', -1))).toBe('Cannot create an array with a negative size.');
    expect(errorOf(() => call('array.new_float', NA))).toBe('Cannot create an array with a negative size.');
    expect(call<NumberArray>('array.new_float', 100_000).size()).toBe(100_000);
    expect(errorOf(() => call('array.new_float', 100_001))).toContain('Maximum size is 100000');
  });

  it('refuses to grow beyond 100,000 elements in every way there is', () => {
    for (const full of [call('array.new_float', 100_000), call('array.new_string', 100_000)]) {
      for (const [name, ...rest] of [
        ['push', 1],
        ['unshift', 1],
        ['insert', 5, 1],
      ] as const)
        expect(errorOf(() => call(`array.${name}`, full, ...rest))).toContain('Array is too large');
      expect(errorOf(() => call('array.concat', full, full))).toContain('Array is too large');
      const slice = call('array.slice', full, 0, 3);
      expect(errorOf(() => call('array.push', slice, 1))).toContain('Array is too large');
      expect(call('array.size', full)).toBe(100_000);
    }
  });

  it('says so when the array is na', () => {
    for (const name of ['array.get', 'array.push', 'array.sum', 'array.slice', 'array.sort', 'array.join'])
      expect(errorOf(() => call(name, null, 0, 0))).toBe("Cannot call array methods when ID of array is 'na'.");
    expect(errorOf(() => openLibrary({ version: 5 }).call('array.get', null, 0))).toContain("'na'");
  });
});

describe('elements', () => {
  it('reads and writes by index, negative ones from the end', () => {
    for (const id of [numbers(1, 2, 3), items('a', 'b', 'c')]) {
      const [first, , last] = list(id);
      expect(call('array.get', id, 0)).toBe(first);
      expect(call('array.get', id, -1)).toBe(last);
      expect(call('array.get', id, -3)).toBe(first);
      call('array.set', id, -2, last);
      expect(call('array.get', id, 1)).toBe(last);
    }
  });

  it('names the index and the size when there is no such element', () => {
    const id = numbers(1, 2, 3);
    expect([call('array.get', id, NA), call('array.get', items('a'), NA)]).toEqual([NA, null]);
    expect(errorOf(() => call('array.get', id, 3))).toBe(
      "In 'array.get()' function. Index 3 is out of bounds, array size is 3.",
    );
    for (const [name, index] of [
      ['get', -4],
      ['set', 3],
      ['set', -4],
      ['remove', 3],
      ['insert', 4],
      ['insert', -4],
    ])
      expect(errorOf(() => call(`array.${name}`, id, index, 0))).toContain(`Index ${index} is out of bounds`);
    expect(errorOf(() => call('array.get', items(), 0))).toContain('array size is 0');
    expect(errorOf(() => call('array.set', items(), -1, 'x'))).toContain('Index -1');
  });

  it('refuses negative indices in version 5', () => {
    const old = openLibrary({ version: 5 });
    const id = old.call('array.from<number>', 1, 2);
    expect(old.call('array.get', id, 1)).toBe(2);
    for (const name of ['get', 'set', 'insert', 'remove'])
      expect(errorOf(() => old.call(`array.${name}`, id, -1, 0))).toContain('Index -1 is out of bounds');
    old.call('array.set', id, 0, 9);
    old.call('array.insert', id, 2, 8);
    expect(old.call('array.remove', id, 1)).toBe(2);
    expect(list(id)).toEqual([9, 8]);
  });

  it('adds and takes at both ends and in the middle', () => {
    for (const id of [numbers(), items()] as PineArray<unknown>[]) {
      call('array.push', id, 2);
      call('array.unshift', id, 1);
      call('array.insert', id, 2, 4);
      call('array.insert', id, -1, 3);
      expect(list(id)).toEqual([1, 2, 3, 4]);
      expect([call('array.first', id), call('array.last', id)]).toEqual([1, 4]);
      expect(call('array.remove', id, 1)).toBe(2);
      expect(call('array.shift', id)).toBe(1);
      expect(call('array.pop', id)).toBe(4);
      call('array.clear', id);
      expect(call('array.size', id)).toBe(0);
    }
  });

  it('refuses to take from an empty array', () => {
    for (const name of ['pop', 'shift', 'first', 'last'])
      expect(errorOf(() => call(`array.${name}`, numbers()))).toBe(`Cannot use ${name}() if array is empty.`);
  });

  it('copies, so that the copy lives its own life', () => {
    for (const id of [numbers(1, 2), items('a', 'b')] as PineArray<unknown>[]) {
      const copy = call('array.copy', id);
      call('array.set', copy, 0, call('array.get', id, 1));
      expect(list(copy)).not.toEqual(list(id));
    }
  });

  it('fills a range without its end', () => {
    const id = numbers(1, 2, 3, 4);
    call('array.fill', id, 0, 1, 3);
    expect(list(id)).toEqual([1, 0, 0, 4]);
    call('array.fill', id, 9, 2);
    expect(list(id)).toEqual([1, 0, 9, 9]);
    call('array.fill', id, 5);
    expect(list(id)).toEqual([5, 5, 5, 5]);
    call('array.fill', id, 0, 3, 2);
    expect(list(id)).toEqual([5, 5, 5, 5]);
    expect(errorOf(() => call('array.fill', id, 0, 0, 5))).toContain('Index 5');
    expect(errorOf(() => call('array.fill', id, 0, -1))).toContain('Index -1');
  });

  it('appends one array to another, and an array to itself', () => {
    const id = numbers(1, 2);
    expect(call('array.concat', id, numbers(3))).toBe(id);
    expect(list(call('array.concat', id, id))).toEqual([1, 2, 3, 1, 2, 3]);
  });
});

describe('slices', () => {
  it('shares its elements with the parent in both directions', () => {
    const id = numbers(0, 1, 2, 3);
    const slice = call<PineArray<number>>('array.slice', id, 1, 3);
    call('array.set', slice, 0, 10);
    call('array.set', id, 2, 20);
    expect(list(slice)).toEqual([10, 20]);
    expect(list(id)).toEqual([0, 10, 20, 3]);
    expect(call('array.get', slice, -1)).toBe(20);
    expect(call('array.sum', slice)).toBe(30);
  });

  it('puts new elements into the parent', () => {
    const id = numbers(0, 1, 2, 3);
    const slice = call('array.slice', id, 1, 3);
    call('array.push', slice, 9);
    call('array.unshift', slice, 8);
    expect(list(id)).toEqual([0, 8, 1, 2, 9, 3]);
    expect(call('array.pop', slice)).toBe(9);
    call('array.clear', slice);
    expect(list(id)).toEqual([0, 3]);
  });

  it('is an error to use once the parent is too short', () => {
    const id = items('a', 'b', 'c');
    const slice = call('array.slice', id, 1, 3);
    call('array.pop', id);
    for (const name of ['size', 'pop', 'get', 'sort', 'push'])
      expect(errorOf(() => call(`array.${name}`, slice, 0))).toBe('Slice is out of bounds of the parent array.');
    expect(list(id)).toEqual(['a', 'b']);
  });

  it('sorts, reverses, copies and slices again', () => {
    const id = numbers(9, 3, 1, 2, 8);
    const slice = call('array.slice', id, 1, 4);
    call('array.sort', slice);
    expect(list(id)).toEqual([9, 1, 2, 3, 8]);
    call('array.reverse', slice);
    expect(list(call('array.slice', slice, 0, 2))).toEqual([3, 2]);
    const copy = call('array.copy', slice);
    call('array.push', copy, 0);
    expect(list(id)).toEqual([9, 3, 2, 1, 8]);
  });

  it('refuses a range that is not there', () => {
    const id = numbers(1, 2);
    expect(list(call('array.slice', id, 2, 2))).toEqual([]);
    expect(errorOf(() => call('array.slice', id, 1, 0))).toBe("Index 'from' should be less than index 'to'.");
    expect(errorOf(() => call('array.slice', id, 0, 3))).toContain('Index 3');
    expect(errorOf(() => call('array.slice', id, -1, 1))).toContain('Index -1');
    const slice = call('array.slice', id, 0, 1);
    expect(errorOf(() => call('array.get', slice, 1))).toContain('array size is 1');
    expect(errorOf(() => call('array.set', slice, 1, 0))).toContain('array size is 1');
  });
});

describe('searching and sorting', () => {
  it('finds numbers that differ by no more than the tolerance of ==, and colors as they are', () => {
    const id = numbers(5, 0.3, 0.3, 0);
    expect(call('array.indexof', id, 0.1 + 0.2)).toBe(1);
    expect(call('array.lastindexof', id, 0.3 - 1e-12)).toBe(2);
    expect(call('array.indexof', id, 1e-10)).toBe(3);
    expect(call('array.includes', id, 0.3 + 1e-9)).toBe(false);
    expect(call('array.indexof', items(null, 0), 0)).toBe(1);
  });

  it('finds the first, the last and whether any, but not na', () => {
    const id = numbers(1, NA, 1, 2);
    expect(call('array.indexof', id, 1)).toBe(0);
    expect(call('array.lastindexof', id, 1)).toBe(2);
    expect(call('array.indexof', id, 3)).toBe(-1);
    expect(call('array.lastindexof', id, 3)).toBe(-1);
    expect(call('array.includes', id, NA)).toBe(false);
    expect(call('array.includes', items('a'), 'b')).toBe(false);
  });

  it('sorts both ways: of ascending numbers na comes last, of ascending texts first', () => {
    const id = numbers(3, NA, 1, 2);
    call('array.sort', id);
    expect(list(id)).toEqual([1, 2, 3, NA]);
    call('array.sort', id, 'descending');
    expect(list(id)).toEqual([NA, 3, 2, 1]);
    const words = items('b', null, 'B', 'a');
    call('array.sort', words);
    expect(list(words)).toEqual([null, 'B', 'a', 'b']);
    call('array.sort', words, 'descending');
    expect(list(words)).toEqual(['b', 'a', 'B', null]);
  });

  it('gives the indices in order, equal values in theirs, and backwards when descending', () => {
    expect(list(call('array.sort_indices', numbers(2, 1, 2, NA)))).toEqual([1, 0, 2, 3]);
    expect(list(call('array.sort_indices', numbers(2, 1, 2, NA), 'descending'))).toEqual([3, 2, 0, 1]);
  });

  it('sorts and searches objects by a field', () => {
    class Pivot extends PineObject {
      f0: number;
      constructor(price: number) {
        super(journal);
        this.f0 = price;
      }
      override copy() {
        return new Pivot(this.f0);
      }
    }
    const [low, middle, high] = [new Pivot(1), new Pivot(2), new Pivot(3)];
    const id = items(high, low, middle);
    expect(list(call('array.sort_indices', id, 'ascending', 'f0'))).toEqual([1, 2, 0]);
    call('array.sort', id, 'ascending', 'f0');
    expect(list(id)).toEqual([low, middle, high]);
    expect(call('array.binary_search', id, 2, 'f0')).toBe(1);
    call('array.push', id, null);
    call('array.sort', id, 'descending', 'f0');
    expect(list(id)).toEqual([null, high, middle, low]);
  });

  it('searches a sorted array, exactly or beside', () => {
    const id = numbers(-2, 0, 1, 1, 1, 9);
    expect(call('array.binary_search', id, 0)).toBe(1);
    expect(call('array.binary_search', id, 5)).toBe(-1);
    expect(call('array.binary_search', numbers(4, 5, 5, 5, 6), 5)).toBe(2);
    expect(call('array.binary_search', numbers(), 5)).toBe(-1);
    expect(call('array.binary_search_leftmost', id, 1)).toBe(2);
    expect(call('array.binary_search_rightmost', id, 1)).toBe(4);
    expect(call('array.binary_search_leftmost', id, 5)).toBe(4);
    expect(call('array.binary_search_rightmost', id, 5)).toBe(5);
    expect(call('array.binary_search_leftmost', id, -9)).toBe(0);
    expect(call('array.binary_search_rightmost', id, 99)).toBe(6);
  });

  it('answers whether all or any are true', () => {
    expect(call('array.every', items(true, true))).toBe(true);
    expect(call('array.every', items(true, false))).toBe(false);
    expect(call('array.every', items())).toBe(false);
    expect(call('array.some', numbers(0, NA))).toBe(false);
    expect(call('array.some', numbers(0, 2))).toBe(true);
    expect(call('array.some', items())).toBe(false);
  });

  it('joins elements as text up to the limit of a string', () => {
    expect(call('array.join', numbers(1, 2.5, NA), ',')).toBe('1,2.5,NaN');
    expect(call('array.join', items('a', 'b'))).toBe('ab');
    expect(errorOf(() => call('array.join', call('array.new_float', 100_000, 1), ','))).toContain('String is too long');
  });
});

describe('statistics', () => {
  const id = numbers(4, NA, 1, 2, 2);

  it('leaves na out', () => {
    expect(call('array.sum', id)).toBe(9);
    expect(call('array.avg', id)).toBe(2.25);
    expect(call('array.min', id)).toBe(1);
    expect(call('array.min', id, 1)).toBe(2);
    expect(call('array.max', id)).toBe(4);
    expect(call('array.max', id, 3)).toBe(1);
    expect(call('array.range', id)).toBe(3);
    expect(call('array.median', id)).toBe(2);
    expect(call('array.median', numbers(3, 1, 2))).toBe(2);
    expect(call('array.median', numbers(4, 1, 2, 3))).toBe(2.5);
    expect(call('array.mode', id)).toBe(2);
    expect(call('array.mode', numbers(5, 3, 5, 3, 9))).toBe(3);
    expect(call('array.variance', id)).toBeCloseTo(1.1875, 12);
    expect(call('array.variance', id, false)).toBeCloseTo(4.75 / 3, 12);
    expect(call('array.stdev', id)).toBeCloseTo(Math.sqrt(1.1875), 12);
    expect(list(call('array.abs', numbers(-1, NA, 2)))).toEqual([1, NA, 2]);
  });

  it('is na where there is nothing to calculate', () => {
    for (const name of ['sum', 'avg', 'min', 'max', 'range', 'median', 'mode', 'variance', 'stdev']) {
      expect(call(`array.${name}`, numbers())).toBeNaN();
      expect(call(`array.${name}`, numbers(NA))).toBeNaN();
    }
    expect(call('array.max', id, 4)).toBeNaN();
    expect(call('array.min', id, 4)).toBeNaN();
    expect(call('array.variance', numbers(1), false)).toBeNaN();
  });

  it('sums 100,000 elements to nine digits, and infinities to infinity', () => {
    expect(call('array.sum', call('array.new_float', 100_000, 0.1))).toBeCloseTo(10_000, 5);
    expect(call('array.sum', numbers(Number.POSITIVE_INFINITY, 1))).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes the covariance over the places where both have a value', () => {
    expect(call('array.covariance', numbers(1, 2, 3), numbers(2, 4, 6))).toBeCloseTo(4 / 3, 12);
    expect(call('array.covariance', numbers(1, 2, 3), numbers(2, 4, 6), false)).toBeCloseTo(2, 12);
    expect(call('array.covariance', numbers(1, NA, 3), numbers(1, 5, 3))).toBe(1);
    expect(errorOf(() => call('array.covariance', numbers(1), numbers(1, 2)))).toContain('must be equal');
    expect(call('array.covariance', numbers(1), numbers(1), false)).toBeNaN();
  });

  it('finds percentiles by rank and by interpolation', () => {
    const five = numbers(50, 15, 20, 40, 35);
    const nearest = (percentage: number) => call('array.percentile_nearest_rank', five, percentage);
    expect([0, 5, 30, 40, 50, 100].map(nearest)).toEqual([15, 15, 20, 20, 35, 50]);
    const linear = (percentage: number) => call('array.percentile_linear_interpolation', five, percentage);
    expect([0, 10, 30, 40, 100].map(linear)).toEqual([15, 15, 20, 27.5, 50]);
    expect(call('array.percentile_nearest_rank', id, 50)).toBe(2);
    const gaps = numbers(NA, 8, NA, 5, 6);
    const among = (percentage: number) => call('array.percentile_linear_interpolation', gaps, percentage);
    expect([0, 10, 30, 40, 50, 70, 90, 100].map(among)).toEqual([5, 5, 6, NA, 8, NA, NA, NA]);
    expect(call('array.percentile_linear_interpolation', numbers(), 50)).toBeNaN();
    for (const name of ['array.percentile_nearest_rank', 'array.percentile_linear_interpolation']) {
      expect(call(name, five, NA)).toBeNaN();
      for (const percentage of [-1, 101])
        expect(errorOf(() => call(name, five, percentage))).toBe(
          `Invalid value of the 'percentage' argument (${percentage}) in the '${name}' function. It must be in the range [0..100].`,
        );
    }
  });

  it('ranks one element among the others, with the tolerance of floats', () => {
    expect(call('array.percentrank', numbers(1, 2, 3, 4, 5), 2)).toBe(50);
    expect(call('array.percentrank', numbers(0.1 + 0.2, 0.3), 1)).toBe(100);
    expect(call('array.percentrank', numbers(1, 2), NA)).toBe(0);
    expect(call('array.percentrank', numbers(1, NA), 0)).toBe(0);
    expect(call('array.percentrank', numbers(1), 0)).toBeNaN();
    expect(call('array.percentrank', numbers(1, NA), 1)).toBeNaN();
    expect(errorOf(() => call('array.percentrank', numbers(1), 1))).toContain('Index 1');
    expect(errorOf(() => call('array.percentrank', numbers(1, 2), -1))).toContain('Index -1');
  });

  it('standardizes to mean 0 and deviation 1', () => {
    const made = call('array.standardize', numbers(1, 2, 3, 4));
    expect(call('array.avg', made)).toBeCloseTo(0, 12);
    expect(call('array.stdev', made)).toBeCloseTo(1, 12);
  });
});

// Collections of the past: they keep what was in them, can be read by every function, and refuse every change.

import { describe, expect, it } from 'vitest';
import { type PineArray, type PineMatrix, pastOf } from './index.ts';
import { errorOf, openLibrary } from './testing/library.ts';

const { call } = openLibrary();
const past = <T>(value: unknown) => pastOf(value) as T;

const CHANGES: readonly (readonly [name: string, ...rest: unknown[]])[] = [
  ['push', 1],
  ['unshift', 1],
  ['insert', 0, 1],
  ['pop'],
  ['shift'],
  ['remove', 0],
  ['set', 0, 1],
  ['fill', 1],
  ['clear'],
  ['reverse'],
  ['sort'],
];

describe('an array of the past', () => {
  const kinds = [
    ['numbers', 'array.from<number>', [3, 1, 2]],
    ['items', 'array.from<item>', ['c', 'a', 'b']],
  ] as const;

  it.each(kinds)('of %s keeps what was in it', (_, make, values) => {
    const array = call<PineArray<unknown>>(make, ...values);
    const before = past<PineArray<unknown>>(array);
    array.push(values[0]);
    array.set(0, values[1]);
    expect(before.toList()).toEqual(values);
    expect([before.size(), before.get(0), before.first(), before.last()]).toEqual([3, values[0], values[0], values[2]]);
    expect(call('array.indexof', before, values[1])).toBe(1);
  });

  it.each(kinds)('of %s refuses every change, also through a slice', (_, make, values) => {
    const before = past<PineArray<unknown>>(call(make, ...values));
    const part = call<PineArray<unknown>>('array.slice', before, 0, 2);
    for (const [name, ...rest] of CHANGES)
      for (const id of [before, part])
        expect(
          errorOf(() => call(`array.${name}`, id, ...rest)),
          name,
        ).toContain('Cannot modify the elements');
    expect(errorOf(() => call('array.concat', before, call(make, ...values)))).toContain('Cannot modify');
    expect(before.toList()).toEqual(values);
  });

  it('can be copied, and the copy changed', () => {
    const copy = call<PineArray<number>>('array.copy', past(call('array.from<number>', 1, 2)));
    copy.push(3);
    expect(copy.toList()).toEqual([1, 2, 3]);
  });

  it('is worked with like any other', () => {
    const before = past(call('array.from<number>', 1, 2, 6));
    expect([call('array.sum', before), call('array.avg', before), call('array.max', before)]).toEqual([9, 3, 6]);
    expect(call<string>('array.join', before, ',')).toBe('1,2,6');
  });

  it('of the past is itself', () => {
    const before = past(call('array.from<number>', 1));
    expect(past(before)).toBe(before);
  });
});

describe('a matrix of the past', () => {
  it('keeps what was in it and refuses every change', () => {
    const matrix = call<PineMatrix<number>>('matrix.new<number>', 2, 2, 5);
    const before = past<PineMatrix<number>>(matrix);
    matrix.set(0, 0, 1);
    matrix.add_row();
    expect([before.rows(), before.get(0, 0)]).toEqual([2, 5]);
    for (const [name, ...rest] of [
      ['set', 0, 0, 1],
      ['fill', 1],
      ['add_row'],
      ['remove_col', 0],
      ['swap_rows', 0, 1],
      ['reshape', 4, 1],
      ['reverse'],
      ['sort', 0],
    ] as const)
      expect(
        errorOf(() => call(`matrix.${name}`, before, ...rest)),
        name,
      ).toContain('Cannot modify the elements');
    expect(past(before)).toBe(before);
    const copy = call<PineMatrix<number>>('matrix.copy', before);
    copy.set(0, 0, 9);
    expect([copy.get(0, 0), before.get(0, 0)]).toEqual([9, 5]);
  });
});

it('everything else is what it is', () => {
  const map = call('map.new');
  for (const value of [1, 'a', null, undefined, true, map]) expect(pastOf(value)).toBe(value);
});

// Values as JavaScript text: read back, they are what they were.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scalar } from '../builtins/types.ts';
import { literal, naOf } from './literals.ts';

const read = (text: string): unknown => new Function(`"use strict"; return (1, ${text});`)() as unknown;

it('every number, text and bool reads back as it was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null)), (value) => {
      expect(Object.is(read(literal(value)), value)).toBe(true);
    }),
  );
});

it.each([-0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-320, '\u2028', '`$', '</script>'])(
  '%j too, also behind a minus sign',
  (value) => {
    expect(Object.is(read(literal(value)), value)).toBe(true);
    if (typeof value === 'number') expect(Object.is(read(`-${literal(value)}`), -value)).toBe(true);
  },
);

it('na is NaN for numbers, false for a bool of v6, and null for the rest', () => {
  const shapes = [scalar('int'), scalar('float'), scalar('bool'), scalar('string'), scalar('color')];
  expect(shapes.map((shape) => naOf(shape, 6))).toEqual(['NaN', 'NaN', 'false', 'null', 'null']);
  expect(shapes.map((shape) => naOf(shape, 5))).toEqual(['NaN', 'NaN', 'null', 'null', 'null']);
});

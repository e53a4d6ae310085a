// Numbers no market has: every window kernel survives them and has forgotten them once they have left its window.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TA_KERNELS } from './index.ts';
import { isWindowed, openDrive, type Result, type Row } from './testing/drive.ts';

const LENGTH = 5;
const GARBAGE = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1.7e308,
  -1.7e308,
  1e200,
  5e-324,
  -0,
  1e16,
];

const cleanRow = (i: number): Row => {
  const source = 100 + ((i * 37) % 11) + i / 8;
  return {
    source,
    other: 50 + ((i * 13) % 7),
    condition: i % 3 === 0,
    open: source,
    high: source + 2,
    low: source - 2,
    close: source + 1,
    volume: 10 + (i % 5),
  };
};
const garbageRow: fc.Arbitrary<Row> = fc
  .tuple(fc.constantFrom(...GARBAGE), fc.constantFrom(...GARBAGE), fc.nat(20))
  .map(([source, other, i]) => ({ ...cleanRow(i), source, other, high: other, low: source }));

const isSame = (a: number | boolean, b: number | boolean): boolean =>
  typeof a === 'boolean' || typeof b === 'boolean'
    ? a === b
    : (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

const lastOf = (name: string, rows: readonly Row[]): Result => {
  const drive = openDrive(name, LENGTH);
  return rows.map((row) => drive.step(row, LENGTH)).at(-1)!;
};

test.each(Object.keys(TA_KERNELS).filter(isWindowed))('%s forgets garbage that has left its window', (name) => {
  // Two windows and a bar more: a pivot looks as far as that.
  const clean = Array.from({ length: 2 * LENGTH + 2 }, (_, i) => cleanRow(i));
  const wanted = lastOf(name, clean);
  fc.assert(
    fc.property(fc.array(garbageRow, { minLength: 1, maxLength: 12 }), (garbage) => {
      const actual = lastOf(name, [...garbage, ...clean]);
      expect(actual.filter((value, k) => !isSame(value, wanted[k]!))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

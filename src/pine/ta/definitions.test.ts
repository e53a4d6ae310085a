// Each kernel against the textbook definition, over random bars with na, ties and lengths that change.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TA_KERNELS } from './index.ts';
import { DEFINITIONS } from './testing/definitions.ts';
import { isWindowed, type Result, type Row, runAll } from './testing/drive.ts';
import { rowsArbitrary } from './testing/rows.ts';

/** These are checked by TradingView's own values or by hand in another file: their definition is a recursion itself. */
const ELSEWHERE = ['ta.dmi', 'ta.sar', 'ta.supertrend'];
const LONGEST = 12;

/** Where an na stands among values in order is no definition but a way of moving them: another file follows it. */
const OVER_GAPS_ELSEWHERE = ['ta.percentile_nearest_rank', 'ta.percentile_linear_interpolation'];
/** Half a bar is no length. */
const SHORTEST: Readonly<Record<string, number>> = { 'ta.hma': 2 };

/** Na, or a quotient by what should be zero and is a rounding error in the one of the two that is less exact. */
const isLost = (value: number): boolean => !(Math.abs(value) < 1e10);

const rowsFor = (name: string): fc.Arbitrary<Row[]> =>
  OVER_GAPS_ELSEWHERE.includes(name)
    ? rowsArbitrary.map((rows) => rows.map((row) => ({ ...row, source: row.source || 0 })))
    : rowsArbitrary;

const isSame = (actual: number | boolean, wanted: number | boolean): boolean => {
  if (typeof actual === 'boolean' || typeof wanted === 'boolean') return actual === wanted;
  // What has no answer is na: an infinity would stay in whatever a script adds up.
  if (Math.abs(actual) === Number.POSITIVE_INFINITY) return false;
  if (isLost(actual) && isLost(wanted)) return true;
  return Math.abs(actual - wanted) <= 1e-7 + 1e-9 * Math.abs(wanted);
};

function faults(name: string, rows: readonly Row[], lengths: readonly number[], longest: number): string[] {
  const results = runAll(name, rows, lengths, longest);
  return results.flatMap((actual, i) => {
    const wanted = [DEFINITIONS[name]!(rows, i, lengths[i]!)].flat() as Result;
    const fits = actual.length >= wanted.length && wanted.every((value, k) => isSame(actual[k]!, value));
    return fits ? [] : [`row ${i}, length ${lengths[i]}: ${actual.join(' ')} instead of ${wanted.join(' ')}`];
  });
}

test('every kernel has a definition here or a test elsewhere', () => {
  expect([...Object.keys(DEFINITIONS), ...ELSEWHERE].toSorted()).toEqual(Object.keys(TA_KERNELS).toSorted());
});

test.each(Object.keys(DEFINITIONS))('%s is what its definition says at every length', (name) => {
  const given = fc.tuple(rowsFor(name), fc.integer({ min: SHORTEST[name] ?? 1, max: LONGEST }));
  fc.assert(
    fc.property(given, ([rows, length]) => {
      expect(faults(name, rows, new Array<number>(rows.length).fill(length), length)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test.each(Object.keys(DEFINITIONS).filter(isWindowed))('%s follows a length that changes from bar to bar', (name) => {
  const lengthArbitrary = fc.oneof(fc.integer({ min: 1, max: LONGEST }), fc.constantFrom(1, LONGEST));
  const given = rowsFor(name).chain((rows) =>
    fc.tuple(fc.constant(rows), fc.array(lengthArbitrary, { minLength: rows.length, maxLength: rows.length })),
  );
  fc.assert(
    fc.property(given, ([rows, lengths]) => {
      expect(faults(name, rows, lengths, LONGEST)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

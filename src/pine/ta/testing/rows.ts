// Random bars for property tests: few distinct prices so that ties are common, bars without range or volume, and na in
// what a script computes.

import fc from 'fast-check';
import type { Row } from './drive.ts';

const price = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  // Eighths, so that sums are exact and what should be zero is.
  fc.integer({ min: 4, max: 160_000 }).map((eighths) => eighths / 8),
);
const computed = fc.oneof(
  { weight: 6, arbitrary: price },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: fc.constant(Number.NaN) },
);

const rowArbitrary: fc.Arbitrary<Row> = fc
  .record({
    source: computed,
    other: computed,
    condition: fc.boolean(),
    open: price,
    close: price,
    above: fc.oneof(fc.constant(0), price),
    below: fc.oneof(fc.constant(1), fc.double({ min: 0.1, max: 1, noNaN: true })),
    volume: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5000 })),
  })
  .map(({ above, below, ...row }) => ({
    ...row,
    high: Math.max(row.open, row.close) + above,
    low: Math.min(row.open, row.close) * below,
  }));

export const rowsArbitrary: fc.Arbitrary<Row[]> = fc.array(rowArbitrary, { minLength: 1, maxLength: 60 });

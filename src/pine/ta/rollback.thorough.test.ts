// Every kernel can take back what it computed since the last confirmed bar, however often and however much.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { TA_KERNELS } from './index.ts';
import { type Drive, isWindowed, openDrive, type Result, type Row } from './testing/drive.ts';
import { rowsArbitrary } from './testing/rows.ts';

const LONGEST = 6;

const lengthsFor = (rows: readonly Row[]): fc.Arbitrary<number[]> =>
  fc.array(fc.oneof(fc.constant(LONGEST), fc.integer({ min: 1, max: LONGEST })), {
    minLength: rows.length,
    maxLength: rows.length,
  });

/** What a realtime bar does before it is confirmed: any number of attempts, each with its own rows. */
const attemptsArbitrary = fc.array(rowsArbitrary, { minLength: 1, maxLength: 2 });

function attempt(drive: Drive, rows: readonly Row[]): void {
  for (const [i, row] of rows.entries()) drive.step(row, 1 + (i % LONGEST));
  drive.kernel.restore();
  drive.rewind();
}

function confirm(drive: Drive): void {
  drive.kernel.save();
  drive.mark();
}

test.each(Object.keys(TA_KERNELS))('%s forgets an unconfirmed bar without a trace', (name) => {
  const given = rowsArbitrary.chain((rows) => fc.tuple(fc.constant(rows), lengthsFor(rows), attemptsArbitrary));
  fc.assert(
    fc.property(given, ([rows, lengths, attempts]) => {
      const lengthAt = (i: number): number => (isWindowed(name) ? lengths[i]! : LONGEST);
      const plain = openDrive(name, LONGEST);
      const live = openDrive(name, LONGEST);
      const wanted: Result[] = [];
      const actual: Result[] = [];
      for (const [i, row] of rows.entries()) {
        wanted.push(plain.step(row, lengthAt(i)));
        // The chart starts with history; from the middle on every bar is tried before it is confirmed.
        if (i >= rows.length >> 1) {
          confirm(live);
          for (const garbage of attempts) attempt(live, garbage);
        }
        actual.push(live.step(row, lengthAt(i)));
      }
      expect(actual).toEqual(wanted);
    }),
    { numRuns: cases(40) },
  );
});

test.each(Object.keys(TA_KERNELS))('%s goes back to its start when it was saved before its first bar', (name) => {
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const live = openDrive(name, LONGEST);
      confirm(live);
      const first = rows.map((row) => live.step(row, LONGEST));
      live.kernel.restore();
      live.kernel.restore();
      live.rewind();
      expect(rows.map((row) => live.step(row, LONGEST))).toEqual(first);
    }),
    { numRuns: cases(20) },
  );
});

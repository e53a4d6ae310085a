// Sar, supertrend and dmi against their published formulas, and called only now and then.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDrive, type Row, runAll } from './testing/drive.ts';
import { rowsArbitrary } from './testing/rows.ts';
import { Sar } from './trend.ts';

const na = Number.NaN;
const isClose = (actual: number, wanted: number): boolean =>
  (Number.isNaN(actual) && Number.isNaN(wanted)) || Math.abs(actual - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));

/** Wilder's stop, bar by bar, with the state in plain variables. */
function sarOf(rows: readonly Row[]): number[] {
  let [stop, extreme, speed, rising] = [na, na, na, false];
  return rows.map(({ high, low, close }, i) => {
    const before = rows[i - 1];
    if (i === 0 || before === undefined) return na;
    let isFirst = i === 1;
    if (isFirst) {
      rising = close > before.close;
      extreme = rising ? high : low;
      stop = rising ? before.low : before.high;
      speed = 0.02;
    }
    stop += speed * (extreme - stop);
    if (rising && stop > low)
      [rising, isFirst, stop, extreme, speed] = [false, true, Math.max(high, extreme), low, 0.02];
    else if (!rising && stop < high)
      [rising, isFirst, stop, extreme, speed] = [true, true, Math.min(low, extreme), high, 0.02];
    if (!isFirst && (rising ? high > extreme : low < extreme)) {
      extreme = rising ? high : low;
      speed = Math.min(speed + 0.02, 0.2);
    }
    const lastTwo = rows.slice(Math.max(i - 2, 0), i);
    for (const old of lastTwo) stop = rising ? Math.min(stop, old.low) : Math.max(stop, old.high);
    return stop;
  });
}

test('sar is the published stop and reverse', () => {
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const actual = runAll(
        'ta.sar',
        rows,
        rows.map(() => 1),
        1,
      ).map(([value]) => value as number);
      const wanted = sarOf(rows);
      expect(actual.filter((value, i) => !isClose(value, wanted[i]!))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('sar stays na when it is not called on the second bar', () => {
  const sar = new Sar(0.02, 0.02, 0.2);
  const stops = [0, 2, 3, 4].map((barIndex) => sar.next(barIndex, 5, 4, 4.5, 5, 4, 4.5, 5, 4));
  expect(stops).toEqual([na, na, na, na]);
});

test('dmi stays between 0 and 100 and keeps its last answer on bars without a range', () => {
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const drive = openDrive('ta.dmi', 3);
      const known = rows.flatMap((row) => drive.step(row, 3) as number[]).filter((value) => !Number.isNaN(value));
      expect(known.filter((value) => value < 0 || value > 100 + 1e-9)).toEqual([]);
    }),
  );
  const flat: Row = { source: 1, other: 1, condition: false, open: 5, high: 5, low: 5, close: 5, volume: 1 };
  const moving = (i: number): Row => ({ ...flat, high: 6 + i, low: 4 + i, close: 5 + i });
  const drive = openDrive('ta.dmi', 1);
  const [first, second] = [moving(0), moving(1)].map((row) => drive.step(row, 1));
  expect(first).toEqual([na, na, na]);
  expect(second![0]).toBe(50);
  const still = { ...flat, open: 6, high: 6, low: 6, close: 6 };
  expect(drive.step(still, 1)[0]).toBe(50);
  expect(drive.step(still, 1)[0]).toBe(50);
});

test('the line of supertrend is below the close of a rise and above that of a fall', () => {
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const drive = openDrive('ta.supertrend', 2);
      for (const [i, row] of rows.entries()) {
        const [line, direction] = drive.step(row, 2) as [number, number];
        expect([1, -1]).toContain(direction);
        if (i >= 3) expect(direction === -1 ? line <= row.close : line >= row.close).toBe(true);
      }
    }),
  );
});

// The levels of each type for one period computed by hand, and when they change.

import { expect, test } from 'vitest';
import { PivotPointLevels } from './pivots.ts';

const na = Number.NaN;

/** Two bars that make a period of open 10, high 16, low 8, close 12; then the first bar of the next one, open 13. */
function levelsOf(type: string): number[] {
  const kernel = new PivotPointLevels();
  kernel.next(10, 14, 8, 11, type, true, false);
  kernel.next(11, 16, 9, 12, type, false, false);
  return [...kernel.next(13, 15, 12, 14, type, true, false)];
}

test.each([
  ['Traditional', [12, 16, 8, 20, 4, 24, 0, 28, -4, 32, -8]],
  ['Fibonacci', [12, 15.056, 8.944, 16.944, 7.056, 20, 4, na, na, na, na]],
  ['Woodie', [12.5, 17, 9, 20.5, 4.5, 25, 1, 33, -7, na, na]],
  ['Classic', [12, 16, 8, 20, 4, 28, -4, 36, -12, na, na]],
  ['DM', [13, 18, 10, na, na, na, na, na, na, na, na]],
  ['Camarilla', [12, 12.7333333333, 11.2666666667, 13.4666666667, 10.5333333333, 14.2, 9.8, 16.4, 7.6, 24, 0]],
])('%s levels are those of the period that ended', (type, wanted) => {
  for (const [i, level] of levelsOf(type).entries())
    Number.isNaN(wanted[i]) ? expect(level).toBeNaN() : expect(level).toBeCloseTo(wanted[i]!, 9);
});

test('the middle of DM depends on where the period closed', () => {
  const middle = (close: number): number => {
    const kernel = new PivotPointLevels();
    kernel.next(10, 16, 8, close, 'DM', true, false);
    return kernel.next(1, 1, 1, 1, 'DM', true, false)[0]!;
  };
  expect([middle(10), middle(12), middle(9)]).toEqual([11, 13, 10.25]);
});

test('levels stay until the anchor, and are na before the first period has ended', () => {
  const kernel = new PivotPointLevels();
  const pivots = [true, false, true, false, true].map(
    (anchor, i) => kernel.next(i, i + 2, i, i + 1, 'Classic', anchor, false)[0],
  );
  expect(pivots).toEqual([na, na, 5 / 3, 5 / 3, 11 / 3]);
});

test('a period that never had an anchor starts with the first bar', () => {
  const kernel = new PivotPointLevels();
  kernel.next(1, 3, 1, 2, 'Classic', false, false);
  expect(kernel.next(2, 4, 2, 3, 'Classic', true, false)[0]).toBe(2);
});

test('developing levels are those of the bars since the anchor', () => {
  const kernel = new PivotPointLevels();
  const pivots = [false, false, true].map((anchor, i) => kernel.next(i, i + 2, i, i + 1, 'Classic', anchor, true)[0]);
  expect(pivots).toEqual([1, 5 / 3, 3]);
});

test('a type that is none and a developing Woodie are refused', () => {
  const kernel = new PivotPointLevels();
  for (const type of ['traditional', '', 'toString'])
    expect(() => kernel.next(1, 1, 1, 1, type, true, false)).toThrow(/Use one of Traditional, Fibonacci, Woodie/);
  expect(() => kernel.next(1, 1, 1, 1, 'Woodie', true, true)).toThrow('cannot be `true` when `type` is "Woodie"');
});

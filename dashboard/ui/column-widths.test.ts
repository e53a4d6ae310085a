// Which columns a long table shows by its own width.

import { expect, test } from 'vitest';
import { fittingColumns, isFluid, templateOf } from './column-widths.ts';

// 100 + 80 + 2 × 75 are needed, with two gaps and the edges 386; 50 and one more gap for the extra one.
const COLUMNS = [
  { width: '100px' },
  { width: 'minmax(80px, 120px)' },
  { width: '2fr' },
  { width: 'minmax(50px, 1fr)', isExtra: true },
] as const;

test.each([
  [448, 4],
  [447, 3],
  [386, 3],
  [385, 0],
])('%i px have room for %i columns', (px, count) => {
  expect(fittingColumns(COLUMNS, px)).toHaveLength(count);
});

test('what is needed most stays', () => {
  expect(fittingColumns(COLUMNS, 400).some((column) => 'isExtra' in column)).toBe(false);
});

test('a share of the row may be cut, a width of its own is kept', () => {
  expect(templateOf(COLUMNS)).toBe('100px minmax(80px, 120px) minmax(0, 2fr) minmax(50px, 1fr)');
  expect(COLUMNS.map(({ width }) => isFluid(width))).toEqual([false, true, true, true]);
});

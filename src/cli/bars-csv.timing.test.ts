// A file of bars is read in time that grows with its length, not faster.

import { expect, it } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../tests/support/growth.ts';
import { parseBarsCsv } from './bars-csv.ts';

it('100,000 bars', () => {
  const row = (_: unknown, i: number) => `${1_600_000_000 + i * 60},68000.25,68100.5,67900.75,68050.5,12.34567`;
  const work = (count: number) => {
    const text = `time,open,high,low,close,volume\n${Array.from({ length: count }, row).join('\n')}`;
    const bytes = new TextEncoder().encode(text);
    return () => expect(parseBarsCsv(bytes).count).toBe(count);
  };
  expect(growthOf(work, 100_000)).toBeLessThan(MOST_GROWTH);
});

// Every thread of scripts reads the table of built-ins when it starts: that must stay a small part of starting.

import { expect, it } from 'vitest';
import { quickestMs } from '../../../tests/support/quickest.ts';
import { readTable } from './notation.ts';
import { SOURCES } from './tables/all.ts';

it('is read in a few milliseconds', () => {
  const readAll = () => {
    for (const source of SOURCES) readTable(source);
  };
  expect(quickestMs(readAll)).toBeLessThan(40);
});

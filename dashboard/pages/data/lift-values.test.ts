// Values in single quotes are lifted out of a statement; everything else stays as it was written.

import { expect, test } from 'vitest';
import { isWrite, liftValues } from './lift-values.ts';

test.each([
  ["SELECT * FROM trades WHERE state = 'filled'", 'SELECT * FROM trades WHERE state = ?', ['filled']],
  ["SELECT 'it''s', '' FROM t", 'SELECT ?, ? FROM t', ["it's", '']],
  ["SELECT 1 -- isn't\nFROM t", "SELECT 1 -- isn't\nFROM t", []],
  ["SELECT /* 'no' */ \"a'b\", [c'd], `e'f` FROM t", "SELECT /* 'no' */ \"a'b\", [c'd], `e'f` FROM t", []],
  [' SELECT 1 ', 'SELECT 1', []],
])('%j', (sql, query, params) => {
  expect(liftValues(sql)).toEqual({ query, params });
});

test('says what to write instead of a placeholder, and that a quote is open', () => {
  expect(liftValues('SELECT ? FROM t').fault).toContain('Write the value itself');
  expect(liftValues("SELECT 'open FROM t").fault).toBe('A quote is not closed.');
  expect(liftValues("SELECT '?' FROM t").fault).toBeUndefined();
});

test('knows a statement that changes something, also behind a comment', () => {
  expect(['SELECT 1', 'update t SET a = 1', '-- note\n DELETE FROM t', 'selected'].map(isWrite)).toEqual([
    ...[false, true, true, false],
  ]);
});

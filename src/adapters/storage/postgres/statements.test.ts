// Places of values as PostgreSQL numbers them, and how many texts are kept.

import { describe, expect, test } from 'vitest';
import { Statements, withNumberedPlaces } from './statements.ts';

describe('places of values', () => {
  test.each([
    ['SELECT ?', 'SELECT $1'],
    ['SELECT ?, ?', 'SELECT $1, $2'],
    ['SELECT ?2, ?, ?1, ?', 'SELECT $2, $3, $1, $4'],
    ['SELECT ?1 || ?1', 'SELECT $1 || $1'],
    ['SELECT ?12', 'SELECT $12'],
    ["SELECT '?', ?, 'it''s ?', ?", "SELECT '?', $1, 'it''s ?', $2"],
    ['SELECT "a?""?" FROM t WHERE x=?', 'SELECT "a?""?" FROM t WHERE x=$1'],
    ['SELECT ? -- why?\n, ?', 'SELECT $1 -- why?\n, $2'],
    ['SELECT ? /* why?\n? */, ?', 'SELECT $1 /* why?\n? */, $2'],
    ["SELECT '--', ?", "SELECT '--', $1"],
    ['SELECT 1', 'SELECT 1'],
  ])('%s', (text, numbered) => {
    expect(withNumberedPlaces(text)).toBe(numbered);
  });
});

test('a text has one name for good; beyond a limit texts have none, and those before keep theirs', () => {
  const statements = new Statements();
  const first = statements.of('SELECT ?');
  expect(first).toEqual({ text: 'SELECT $1', name: expect.any(String) });
  const names = new Set(Array.from({ length: 499 }, (_, index) => statements.of(`SELECT ${index}`).name));
  expect(names.size).toBe(499);
  expect(names).not.toContain(first.name);
  expect(statements.of('SELECT one, more, ?')).toEqual({ text: 'SELECT one, more, $1' });
  expect(statements.of('SELECT ?')).toBe(first);
});

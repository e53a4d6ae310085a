// Statements as PostgreSQL gets them: nothing of the caller's own text is in them, and what has no match is refused in words.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damagedStatement, statement } from '../../../../../tests/query/grammar.ts';
import { checkStatement } from '../../sql/query/check-statement.ts';
import { FUNCTIONS, READABLE } from '../../sql/query/policy.ts';
import { isPrintable, NOT_ON_POSTGRES } from './print-functions.ts';
import { printStatement } from './print-statement.ts';
import { Unprintable } from './unprintable.ts';

const printed = (sql: string, ...params: (string | number | boolean | null)[]): string =>
  printStatement(sql, params).text;
const faultOf = (sql: string): string => {
  try {
    return `printed: ${printed(sql)}`;
  } catch (error) {
    return error instanceof Unprintable ? `${error.kind}: ${error.message}` : String(error);
  }
};

describe('what is printed', () => {
  it('is made of names of our own and of known columns', () => {
    expect(printed('SELECT t.Symbol AS [row_to_json], count(*) [n] FROM Trades t GROUP BY 1 ORDER BY n DESC')).toBe(
      'SELECT n2."symbol", count(*) FROM query."trades" AS n2 GROUP BY 1 ORDER BY count(*) DESC NULLS LAST',
    );
    expect(printed('SELECT [x y] FROM (SELECT seq AS [x y] FROM orders JOIN trades USING (market)) AS ["; DROP]')).toBe(
      'SELECT n4.c1 FROM (SELECT n3."seq" AS c1 FROM query."orders" AS n2 JOIN query."trades" AS n3 ON (n2."market" = n3."market")) AS n4',
    );
  });

  it('has each value beside it, with its type, in the order in which they are needed', () => {
    expect(printStatement('SELECT ? LIKE ?, ?, ?, ?', ['a', 'b', 1, 1.5, null])).toEqual({
      text: `SELECT CAST(CAST((query."like"(query.as_text((CAST($1 AS text) COLLATE "C")), query.as_text((CAST($2 AS text) COLLATE "C")))) AS integer) AS bigint), CAST($3 AS bigint), CAST($4 AS double precision), NULL`,
      values: ['b', 'a', 1, 1.5],
      names: ['? LIKE ?', '?', '?', '?'],
      hasRowNumber: false,
    });
  });

  it.each([
    ['a whole row', 'SELECT trades FROM trades'],
    ['a function behind a point', 'SELECT t.row_to_json, 1 AS row_to_json FROM trades t'],
    ['a column that every table of the server has', 'SELECT ctid FROM trades'],
    ['a column of another table', 'SELECT fee FROM trades'],
    ['a column of a neighbour', 'SELECT 1 FROM trades t, (SELECT t.seq FROM orders) s'],
  ])('is never %s', (_, sql) => {
    expect(faultOf(sql)).toMatch(/^invalid: no such column: /);
  });

  it('of random statements that pass the first wall has no text of theirs, or is a fault in words', () => {
    const allowed = new Set(Object.values(READABLE).flat());
    let count = 0;
    fc.assert(
      fc.property(fc.oneof(statement, damagedStatement), (sql) => {
        const params = Array.from(sql.match(/\?/g) ?? [], () => 'canary');
        const verdict = checkStatement(sql, params.length);
        if (!verdict.ok) return;
        try {
          const { text } = printStatement(verdict.sql, params);
          count += 1;
          for (const [, name = ''] of text.matchAll(/"([^"]*)"/g))
            expect(allowed.has(name) || Object.hasOwn(READABLE, name) || ['C', 'like'].includes(name)).toBe(true);
          expect(text).not.toMatch(/canary|;|--|\/\*/);
        } catch (error) {
          if (!(error instanceof Unprintable)) throw error;
        }
      }),
      { numRuns: 1500 },
    );
    expect(count).toBeGreaterThan(20);
  });
});

describe('functions', () => {
  it('are all known, or refused by name with something else to do', () => {
    const keywords = ['current_date', 'current_time', 'current_timestamp', 'iif', 'if'];
    const left = [...FUNCTIONS].filter((name) => !isPrintable(name) && !keywords.includes(name));
    expect(left.sort()).toEqual([...NOT_ON_POSTGRES.keys()].sort());
    for (const name of NOT_ON_POSTGRES.keys())
      expect(faultOf(`SELECT ${name}(1)`)).toMatch(new RegExp(`^refused: function ${name} is not on PostgreSQL; `));
  });

  it.each([
    ['SELECT upper()', 'wrong number of arguments to function upper()'],
    ['SELECT round(1, 2, 3)', 'wrong number of arguments to function round()'],
    ['SELECT max()', 'wrong number of arguments to function max()'],
    ['SELECT json_object(1)', 'wrong number of arguments to function json_object()'],
    ['SELECT row_number()', 'misuse of window function row_number()'],
    ['SELECT upper(1) OVER ()', 'upper() may not be used as a window function or an aggregate'],
  ])('%s is a fault', (sql, words) => {
    expect(faultOf(sql)).toBe(`invalid: ${words}`);
  });
});

describe('refused with "not on PostgreSQL" is', () => {
  it.each([
    ['UPDATE OR IGNORE trade_signals SET symbol = 1'],
    ['UPDATE OR REPLACE trade_signals SET symbol = 1'],
    ['SELECT median(seq) OVER () FROM trades'],
    ['SELECT seq FROM trades WHERE symbol COLLATE NOCASE IN (1)'],
    ['INSERT OR IGNORE INTO trade_signals (symbol) VALUES (1) ON CONFLICT DO NOTHING'],
  ])('%s', (sql) => {
    expect(faultOf(sql)).toMatch(/^refused: .* is not on PostgreSQL; /);
  });
});

describe('depth and length', () => {
  it('have an end: a name is printed as what it stands for, each time', () => {
    const sum = `SELECT ${'1 + '.repeat(300)}1 AS a`;
    expect(faultOf(`${sum} ORDER BY ${Array(10).fill('a').join()}`)).toMatch(/^printed: /);
    expect(faultOf(`${sum} ORDER BY ${Array(1000).fill('a').join()}`)).toMatch(/^invalid: .*make it shorter$/);
  });

  it('has an end before the stack has', () => {
    expect(faultOf(`SELECT ${'NOT '.repeat(350)}1`)).toMatch(/^printed: /);
    expect(faultOf(`SELECT ${'NOT '.repeat(450)}1`)).toBe('invalid: the statement is nested too deep; make it flatter');
  });
});

// The two walls apart: what one of them alone lets through still reaches nothing, and random SQL finds no way round.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkStatement } from '../../src/adapters/storage/sql/query/check-statement.ts';
import type { StatementKind } from '../../src/trading/books/data-query.ts';
import { CANARY, valuesFor } from './asking.ts';
import { SYNTAX_ATTACKS } from './attacks.ts';
import { damagedStatement, statement } from './grammar.ts';
import { REACH_ATTACKS } from './reach-attacks.ts';
import { openScratch, type Scratch, textOf } from './scratch.ts';

/** Each needs about a millisecond; three properties over two databases stay well under five seconds. */
const RUNS = { numRuns: 400 };
const ATTACKS = [...SYNTAX_ATTACKS, ...REACH_ATTACKS];

let scratch: Scratch;
let untouched: string;
beforeEach(() => {
  scratch = openScratch();
  untouched = scratch.digest();
});
afterEach(() => {
  expect(scratch.digest()).toBe(untouched);
  scratch.remove();
});

/** Once as a query and once as a write, whatever it really is. */
function runBothWays(sql: string): string[] {
  const kinds: StatementKind[] = ['SELECT', 'UPDATE'];
  return kinds.map((kind) => {
    const ran = scratch.runUnchecked(kind, sql, valuesFor(sql));
    expect(`${sql}: ${textOf(ran)}`.replace(sql, '')).not.toContain(CANARY);
    return ran.kind;
  });
}

describe('the tree alone', () => {
  it('refuses every attack without asking the database', () => {
    for (const { query } of ATTACKS) {
      expect([query, checkStatement(query, valuesFor(query).length)]).toMatchObject([query, { kind: 'refused' }]);
    }
  });

  it.each([
    ['as written', statement, 50],
    ['damaged', damagedStatement, 0],
  ])('lets no random statement through that reaches anything, %s', (_, arbitrary, leastPassed) => {
    let passed = 0;
    fc.assert(
      fc.property(arbitrary, (sql) => {
        const verdict = checkStatement(sql, valuesFor(sql).length);
        if (!verdict.ok) return;
        passed += 1;
        let rows: unknown[] = [];
        try {
          rows = scratch.runUnguarded(verdict.sql, valuesFor(verdict.sql));
        } catch {
          // A fault in the SQL.
        }
        expect(JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? 0 : value))).not.toContain(CANARY);
      }),
      { numRuns: RUNS.numRuns * 5 },
    );
    expect(passed).toBeGreaterThanOrEqual(leastPassed);
  });
});

describe('the authorizer alone', () => {
  /** Harmless, and only a matter of form for the first wall; row numbers it cannot see are caught before the commit. */
  const FORM_ONLY = /main\W+trade|INSERT INTO trade_signals (VALUES|SELECT \*)|\((seq|rowid|oid|"_rowid_"), signal_id/i;

  it('refuses every attack that reaches for something', () => {
    const reaching = REACH_ATTACKS.filter(({ query }) => !FORM_ONLY.test(query));
    expect(REACH_ATTACKS.length - reaching.length).toBe(12);
    for (const { query } of reaching) {
      const ends = runBothWays(query);
      expect([query, ...ends.filter((end) => end !== 'refused' && end !== 'invalid')]).toEqual([query]);
    }
  });

  it.each(['9223372036854775807', '1000', '0', '-5'])('is backed by a look at the row numbers: not %s', (seq) => {
    const insert = `INSERT INTO trade_signals (seq, signal_id, timestamp, symbol, signal_type, source, decision)
      VALUES (${seq}, 1, 1, 1, 1, 1, 1)`;
    expect(scratch.runUnchecked('INSERT', insert, [])).toMatchObject({ kind: 'invalid' });
    expect(textOf(scratch.runUnchecked('SELECT', 'SELECT count(*) AS n FROM trade_signals', []))).toBe('[{"n":5}]');
  });

  it('gives nothing away and changes nothing for the other attacks', () => {
    for (const { query } of ATTACKS) runBothWays(query);
  });

  it.each([
    ['as written', statement, 10],
    ['damaged', damagedStatement, 0],
  ])('lets no random statement through that reaches anything, %s', (_, arbitrary, leastPassed) => {
    let passed = 0;
    fc.assert(
      fc.property(arbitrary, (sql) => {
        if (runBothWays(sql).includes('done')) passed += 1;
      }),
      RUNS,
    );
    expect(passed).toBeGreaterThanOrEqual(leastPassed);
  });

  it('forbids compound queries and strings in double quotes through the limits of the connection', () => {
    expect(textOf(scratch.runUnchecked('SELECT', 'SELECT 1 UNION SELECT 2', []))).toContain('compound');
    expect(textOf(scratch.runUnchecked('SELECT', 'SELECT "abc"', []))).toContain('values belong in params');
  });

  it('cannot be written to through a reading connection', () => {
    for (const sql of ['DELETE FROM trade_signals', 'UPDATE trade_signals SET symbol = 1']) {
      expect(scratch.runUnchecked('SELECT', sql, []).kind).toBe('refused');
    }
  });
});

describe('both walls', () => {
  it('together let no random statement through that reaches anything', () => {
    fc.assert(
      fc.property(fc.oneof(statement, damagedStatement), (sql) => {
        const verdict = checkStatement(sql, valuesFor(sql).length);
        if (!verdict.ok) return;
        const ran = scratch.runUnchecked(verdict.statement, verdict.sql, valuesFor(verdict.sql));
        expect(textOf(ran)).not.toContain(CANARY);
        // The walls agree: what the first lets through, the second does not have to refuse.
        expect([sql, ran.kind]).not.toEqual([sql, 'refused']);
      }),
      RUNS,
    );
  });

  it('end in a verdict for any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(3), (text, params) => {
        expect(typeof checkStatement(text, params).ok).toBe('boolean');
      }),
      RUNS,
    );
  });
});

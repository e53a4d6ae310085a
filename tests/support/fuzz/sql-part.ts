// Fuzzes the guard of POST /query with random SQL: both walls agree, nothing hidden is read, nothing but the one table is written.

import fc from 'fast-check';
import { checkStatement } from '../../../src/adapters/storage/sql/query/check-statement.ts';
import type { StatementKind } from '../../../src/trading/books/data-query.ts';
import { CANARY, valuesFor } from '../../query/asking.ts';
import { damagedStatement, statement } from '../../query/grammar.ts';
import { openScratch, type Scratch, textOf } from '../../query/scratch.ts';
import type { Random } from '../random.ts';
import { type BatchReport, type FuzzPart, ownHeapBytes, Tally } from './fuzz-part.ts';

const BATCH = 200;
const SLOWEST_MS = 2000;
/** Of what the first wall refuses, so much is shown to the second one too. */
const UNCHECKED_PERCENT = 10;
const KINDS: readonly [StatementKind, ...StatementKind[]] = ['SELECT', 'UPDATE'];
const texts = fc.oneof(
  { weight: 4, arbitrary: statement },
  { weight: 5, arbitrary: damagedStatement },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);

export const openSqlPart = (): FuzzPart => ({
  batch(random, seed) {
    // A database for each batch: what statements insert would double it again and again.
    const scratch = openScratch();
    const untouched = scratch.digest();
    try {
      const report = batchOn(scratch, random, seed);
      const faults = scratch.digest() === untouched ? [] : ['a table was written that nobody may write'];
      return { ...report, faults: [...report.faults, ...faults] };
    } finally {
      scratch.remove();
    }
  },
  heapBytes: ownHeapBytes,
  close: async () => [],
});

function batchOn(scratch: Scratch, random: Random, seed: number): BatchReport {
  const tally = new Tally();
  const faults: string[] = [];
  for (const sql of fc.sample(texts, { numRuns: BATCH, seed })) {
    const startMs = performance.now();
    const fault = faultOf(sql, scratch, random, tally);
    const tookMs = performance.now() - startMs;
    if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(sql)}`);
    else if (tookMs > SLOWEST_MS) faults.push(`took ${Math.round(tookMs)} ms: ${JSON.stringify(sql)}`);
  }
  return { inputs: BATCH, faults, ends: tally.counts };
}

function faultOf(sql: string, scratch: Scratch, random: Random, tally: Tally): string | undefined {
  try {
    const verdict = checkStatement(sql, valuesFor(sql).length);
    tally.add(verdict.ok ? 'passed' : 'refused');
    if (!verdict.ok && !random.chance(UNCHECKED_PERCENT)) return undefined;
    const kind = verdict.ok ? verdict.statement : random.of(KINDS);
    const ran = scratch.runUnchecked(kind, verdict.ok ? verdict.sql : sql, valuesFor(verdict.ok ? verdict.sql : sql));
    if (textOf(ran).replace(sql, '').includes(CANARY) && !sql.includes(CANARY)) return 'read what is hidden';
    return verdict.ok && ran.kind === 'refused' ? 'the second wall refused what the first let through' : undefined;
  } catch (error) {
    return `threw ${error}`;
  }
}

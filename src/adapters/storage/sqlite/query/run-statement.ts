// Runs one checked statement on a connection of its own: limits of SQLite set, authorizer on, nothing left behind.

import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import type { QueryDeclined, QueryDone, QueryValue, StatementKind } from '../../../../trading/books/data-query.ts';
import { encodeRows } from '../../sql/query/encode-rows.ts';
import type { QueryFailed, Ran } from '../../sql/query/messages.ts';
import type { HeldWrite, Job } from '../../sql/query/serve-queries.ts';
import { EXTREMES, type Extremes, extremesOf, spoiledNumbers, spoiledTimes } from '../../sql/query/sound-signals.ts';
import { inWords } from '../database.ts';
import { installAuthorizer } from './authorize.ts';

type SqliteJob = Job<string>;

/** The journal's writer holds no lock while a write runs, so only another program can be in the way. */
const BUSY_TIMEOUT_MS = 500;

const LIMITS = {
  /** Bytes of a value or a row: no function can make more out of less. */
  length: 1024 * 1024,
  sqlLength: 16 * 1024,
  /** The widest join of three tables has about sixty. */
  column: 200,
  exprDepth: 200,
  /** One part: this forbids UNION, EXCEPT and INTERSECT once more. */
  compoundSelect: 1,
  vdbeOp: 100_000,
  functionArg: 64,
  attach: 0,
  likePatternLength: 256,
  variableNumber: 64,
  triggerDepth: 1,
};

export function runRead(job: SqliteJob): Ran {
  const db = open(job, true);
  if (!(db instanceof DatabaseSync)) return db;
  try {
    return execute(db, job);
  } finally {
    db.close();
  }
}

export function runWrite(job: SqliteJob): HeldWrite | QueryDeclined | QueryFailed {
  const db = open(job, false);
  if (!(db instanceof DatabaseSync)) return db;
  let held = false;
  try {
    db.exec('BEGIN IMMEDIATE');
    const before = look(db);
    const outcome = execute(db, job);
    if (outcome.kind !== 'done') return outcome;
    const after = look(db);
    const fault = spoiledTimes(before, after) ?? spoiledNumbers(before, after, outcome.changes);
    if (fault !== undefined) return { kind: 'invalid', reason: fault };
    held = true;
    return { commit: () => commit(db, job, outcome) };
  } catch (error) {
    return faultOf(error, job.database);
  } finally {
    // Closing rolls back whatever is open.
    if (!held) db.close();
  }
}

const look = (db: DatabaseSync): Extremes =>
  extremesOf(db.prepare(EXTREMES).get() as unknown as [bigint, bigint, bigint, bigint]);

function commit(db: DatabaseSync, { database: path }: SqliteJob, outcome: QueryDone): Ran {
  try {
    db.exec('COMMIT');
    return outcome;
  } catch (error) {
    return faultOf(error, path);
  } finally {
    db.close();
  }
}

function open({ database: path }: SqliteJob, readOnly: boolean): DatabaseSync | QueryFailed {
  try {
    const db = new DatabaseSync(path, {
      readOnly,
      timeout: BUSY_TIMEOUT_MS,
      readBigInts: true,
      returnArrays: true,
      enableDoubleQuotedStringLiterals: false,
      allowExtension: false,
      defensive: true,
    });
    // The schema is read first: its own view `events` has several parts, and the limits are for statements.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    Object.assign(db.limits, LIMITS);
    // Temporary data stays in memory, where the query process counts it, and cannot fill the disk of the journal.
    // Checkpoints are the writer's business: here one would make the write longer.
    db.exec(`PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA foreign_keys = ON;
      PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; ${readOnly ? 'PRAGMA query_only = ON;' : ''}`);
    return db;
  } catch (error) {
    return { kind: 'failed', reason: inWords(error, path).message };
  }
}

function execute(db: DatabaseSync, { database: path, statement, sql, params, limits }: SqliteJob): Ran {
  const refusal = installAuthorizer(db, { write: statement !== 'SELECT' });
  try {
    const prepared = db.prepare(sql);
    const names = prepared.columns().map(({ name }) => name);
    const rows = prepared.iterate(...params.map(bound)) as unknown as Iterable<SQLOutputValue[]>;
    const encoded = encodeRows(names, rows, limits);
    if (!encoded.ok) return { kind: 'too-large', reason: encoded.reason };
    db.setAuthorizer(null);
    const resultsJson = encoded.json;
    return { kind: 'done', statement, resultsJson, rows: encoded.rows, ...changesOf(db, statement) };
  } catch (error) {
    const reason = refusal();
    return reason === undefined ? faultOf(error, path) : { kind: 'refused', reason };
  }
}

/** The connection is new, so a row number of it can only be this statement's. */
function changesOf(db: DatabaseSync, statement: StatementKind): { changes: number; lastRowId: bigint } {
  if (statement === 'SELECT') return { changes: 0, lastRowId: 0n };
  const [changes, lastRowId] = db.prepare('SELECT changes(), last_insert_rowid()').get() as unknown as [bigint, bigint];
  const inserts = statement === 'INSERT' || statement === 'REPLACE';
  return { changes: Number(changes), lastRowId: inserts ? lastRowId : 0n };
}

/** A whole number is bound as one: as a fraction it would divide and compare differently. */
function bound(value: QueryValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

const [SQL_ERROR, BUSY, LOCKED, NO_MEMORY, TOO_BIG, CONSTRAINT, MISMATCH, RANGE] = [1, 5, 6, 7, 18, 19, 20, 25];
/** SQLite's words that do not help here, and ours in their place. */
const REWORDED: readonly [RegExp, string][] = [
  [/ - should this be a string literal in single-quotes\?$/, '; values belong in params'],
  [/^(?:Recursion limit|parser stack overflow)$/, 'the statement is nested too deep; make it flatter'],
];

function faultOf(error: unknown, path: string): QueryDeclined | QueryFailed {
  const { errcode, message } = error as { errcode?: number; message: string };
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case SQL_ERROR:
    case CONSTRAINT:
    case MISMATCH:
    case RANGE:
      return {
        kind: 'invalid',
        reason: REWORDED.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message),
      };
    case TOO_BIG:
      return { kind: 'too-large', reason: `a value grew past ${LIMITS.length} bytes; select less` };
    case NO_MEMORY:
      return { kind: 'too-large', reason: 'the statement needs too much memory; narrow it with WHERE and LIMIT' };
    case BUSY:
    case LOCKED:
      return { kind: 'busy', reason: 'the database is locked by another program; close it, then try again' };
    default:
      return { kind: 'failed', reason: inWords(error, path).message };
  }
}

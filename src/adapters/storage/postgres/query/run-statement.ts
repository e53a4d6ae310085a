// Runs one checked statement as the restricted role, on a connection of its own: a query in a transaction that cannot
// write, a write in one that waits for the word to commit.

import type { QueryDeclined, QueryDone } from '../../../../trading/books/data-query.ts';
import { type ResultValue, RowEncoder } from '../../sql/query/encode-rows.ts';
import { CHANGE_LESS, NARROW_IT, type QueryFailed, type Ran } from '../../sql/query/messages.ts';
import type { HeldWrite, Job, PreparedWrite } from '../../sql/query/serve-queries.ts';
import { EXTREMES, type Extremes, extremesOf, spoiledTimes } from '../../sql/query/sound-signals.ts';
import type { PostgresAddress } from '../postgres-address.ts';
import { postgresFault } from '../postgres-faults.ts';
import { type PrintedStatement, printStatement } from './print-statement.ts';
import { type FaultContext, statementFault } from './statement-faults.ts';
import { StatementSession, type Stop } from './statement-session.ts';

type PostgresJob = Job<PostgresAddress>;

const contextOf = ({ database: { where }, statement, limits }: PostgresJob): FaultContext =>
  statement === 'SELECT'
    ? { where, limitMs: limits.readMs, remedy: NARROW_IT }
    : { where, limitMs: limits.writeMs, remedy: CHANGE_LESS };

export async function runRead(job: PostgresJob): Promise<Ran> {
  let session: StatementSession | undefined;
  try {
    const printed = printStatement(job.sql, job.params);
    session = await opened(job);
    await session.command('BEGIN READ ONLY');
    return await execute(session, job, printed);
  } catch (error) {
    return statementFault(error, contextOf(job));
  } finally {
    session?.end();
  }
}

export async function prepareWrite(job: PostgresJob): Promise<PreparedWrite | QueryDeclined | QueryFailed> {
  try {
    const printed = printStatement(job.sql, job.params);
    const session = await opened(job);
    return { run: () => runWrite(session, job, printed) };
  } catch (error) {
    return statementFault(error, contextOf(job));
  }
}

async function runWrite(
  session: StatementSession,
  job: PostgresJob,
  printed: PrintedStatement,
): Promise<HeldWrite | QueryDeclined | QueryFailed> {
  let isHeld = false;
  try {
    await session.command('BEGIN READ WRITE');
    const before = await look(session);
    const outcome = await execute(session, job, printed, before.lastSeq);
    if (outcome.kind !== 'done') return outcome;
    const fault = spoiledTimes(before, await look(session));
    if (fault !== undefined) return { kind: 'invalid', reason: fault };
    isHeld = true;
    return { commit: () => commit(session, job, outcome) };
  } catch (error) {
    return statementFault(error, contextOf(job));
  } finally {
    if (!isHeld) session.end();
  }
}

const opened = (job: PostgresJob): Promise<StatementSession> =>
  StatementSession.open(job.database, contextOf(job).limitMs);

const look = async (session: StatementSession): Promise<Extremes> =>
  extremesOf((await session.command(EXTREMES)).row as [bigint, bigint, bigint, bigint]);

async function commit(session: StatementSession, job: PostgresJob, outcome: QueryDone): Promise<Ran> {
  try {
    const { command } = await session.command('COMMIT');
    if (command === 'COMMIT') return outcome;
    return { kind: 'failed', reason: `PostgreSQL at ${job.database.where} has given the change up; try again` };
  } catch (error) {
    const { message } = postgresFault(job.database.where, error);
    const unknown = 'it is not known whether the change was committed; look before you send it again';
    return { kind: 'failed', reason: `${message}; ${unknown}` };
  } finally {
    session.end();
  }
}

/** Rows with a number past `lastSeq` were inserted, the others only updated. */
async function execute(
  session: StatementSession,
  { statement, limits }: PostgresJob,
  { text, values, names, hasRowNumber }: PrintedStatement,
  lastSeq = 0n,
): Promise<QueryDone | QueryDeclined> {
  const encoder = new RowEncoder(names, limits);
  let lastRowId = 0n;
  let excess: string | undefined;
  const take = (row: ResultValue[]): Stop | undefined => {
    const number = hasRowNumber ? row.pop() : undefined;
    if (typeof number === 'bigint' && number > lastSeq) lastRowId = number;
    // Without RETURNING there are no rows for the caller.
    if (names.length > 0) excess = encoder.add(row);
    return excess === undefined ? undefined : { stop: true };
  };
  const count = await session.run(text, values, take);
  if (count === undefined) return { kind: 'too-large', reason: excess ?? 'too many rows' };
  const { json, rows } = encoder.end();
  return { kind: 'done', statement, resultsJson: json, rows, changes: statement === 'SELECT' ? 0 : count, lastRowId };
}

// The query thread of either engine: checks and runs statements inside the query process, whose main thread watches over it.

import { parentPort, workerData } from 'node:worker_threads';
import type { QueryDeclined, QueryValue, StatementKind } from '../../../../trading/books/data-query.ts';
import { checkStatement } from './check-statement.ts';
import type { RowLimits } from './encode-rows.ts';
import type { QueryFailed, QueryRequest, QueryTimes, Ran, Report } from './messages.ts';

export interface Job<Database> {
  readonly database: Database;
  readonly statement: StatementKind;
  readonly sql: string;
  readonly params: readonly QueryValue[];
  readonly limits: RowLimits & QueryTimes;
}

/** A write that has run and waits, inside its transaction, for the word to commit. */
export interface HeldWrite {
  commit(): Ran | Promise<Ran>;
}

type WriteRan = HeldWrite | QueryDeclined | QueryFailed;

/** A write that waits for its turn. */
export interface PreparedWrite {
  run(): WriteRan | Promise<WriteRan>;
}

type Prepared = PreparedWrite | QueryDeclined | QueryFailed;

export interface StatementRunner<Database> {
  runRead(job: Job<Database>): Ran | Promise<Ran>;
  /** Does what needs no turn; the time of a write counts from then on. */
  prepareWrite(job: Job<Database>): Prepared | Promise<Prepared>;
}

export function serveQueries<Database>({ runRead, prepareWrite }: StatementRunner<Database>): void {
  if (!parentPort) throw new Error('a query thread runs as a worker thread only');
  const port = parentPort;
  const database = workerData as Database;
  let wanted: PreparedWrite | undefined;
  let held: HeldWrite | undefined;

  const outcome = (ran: Ran): Report => {
    if (ran.kind !== 'done') return { type: 'outcome', outcome: ran };
    for (const json of ran.resultsJson)
      port.postMessage({ type: 'piece', json } satisfies Report, [json.buffer as ArrayBuffer]);
    return { type: 'outcome', outcome: { ...ran, resultsJson: [] } };
  };

  const begin = async ({ query, params, limits }: Extract<QueryRequest, { type: 'statement' }>): Promise<Report> => {
    const verdict = checkStatement(query, params.length);
    if (!verdict.ok) return outcome({ kind: verdict.kind, reason: verdict.reason });
    const job: Job<Database> = { database, statement: verdict.statement, sql: verdict.sql, params, limits };
    if (verdict.statement === 'SELECT') return outcome(await runRead(job));
    const prepared = await prepareWrite(job);
    if (!('run' in prepared)) return outcome(prepared);
    wanted = prepared;
    return { type: 'write-wanted' };
  };

  const go = async (): Promise<Report> => {
    if (wanted === undefined) throw new Error('a write was to go that nobody had sent');
    const ran = await wanted.run();
    wanted = undefined;
    if (!('commit' in ran)) return outcome(ran);
    held = ran;
    return { type: 'ran' };
  };

  const commit = async (): Promise<Report> => {
    if (held === undefined) throw new Error('a write was to be committed that had not run');
    const ran = await held.commit();
    held = undefined;
    return outcome(ran);
  };

  const answer = (request: QueryRequest): Promise<Report> =>
    request.type === 'statement' ? begin(request) : request.type === 'go' ? go() : commit();
  port.on('message', async (request: QueryRequest) => port.postMessage(await answer(request)));
  port.postMessage({ type: 'ready' } satisfies Report);
}

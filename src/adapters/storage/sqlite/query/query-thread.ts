// The query thread: checks and runs statements inside the query process, so that its main thread can watch over it.

import { parentPort, workerData } from 'node:worker_threads';
import { checkStatement } from './check-statement.ts';
import type { QueryRequest, Report } from './messages.ts';
import { type HeldWrite, type Job, type Ran, runRead, runWrite } from './run-statement.ts';

if (!parentPort) throw new Error('query-thread.ts runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };

let wanted: Job | undefined;
let held: HeldWrite | undefined;

function outcome(ran: Ran): Report {
  if (ran.kind !== 'done') return { type: 'outcome', outcome: ran };
  for (const json of ran.resultsJson)
    port.postMessage({ type: 'piece', json } satisfies Report, [json.buffer as ArrayBuffer]);
  return { type: 'outcome', outcome: { ...ran, resultsJson: [] } };
}

function begin({ query, params, limits }: Extract<QueryRequest, { type: 'statement' }>): Report {
  const verdict = checkStatement(query, params.length);
  if (!verdict.ok) return outcome({ kind: verdict.kind, reason: verdict.reason });
  const job: Job = { path, statement: verdict.statement, sql: verdict.sql, params, limits };
  if (verdict.statement === 'SELECT') return outcome(runRead(job));
  wanted = job;
  return { type: 'write-wanted' };
}

function go(): Report {
  if (wanted === undefined) throw new Error('a write was to go that nobody had sent');
  const ran = runWrite(wanted);
  wanted = undefined;
  if (!('commit' in ran)) return outcome(ran);
  held = ran;
  return { type: 'ran' };
}

function commit(): Report {
  if (held === undefined) throw new Error('a write was to be committed that had not run');
  const ran = held.commit();
  held = undefined;
  return outcome(ran);
}

port.on('message', (request: QueryRequest) => {
  port.postMessage(request.type === 'statement' ? begin(request) : request.type === 'go' ? go() : commit());
});
port.postMessage({ type: 'ready' } satisfies Report);

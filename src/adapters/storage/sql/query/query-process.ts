// The query process: nothing can stop a statement inside SQLite but the end of its process, so it has one of its own. On
// PostgreSQL too: reading the statement and writing the answer down take the time and memory of this process.
//
// The statements run in a thread of this process. This thread only passes messages on and watches: when the gateway is
// gone, or the memory grows past its limit, it ends the process in the middle of whatever it is doing.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { QueryDeclined } from '../../../../trading/books/data-query.ts';
import type { QueryEngine, QueryFailed, QueryRequest, Report } from './messages.ts';

/** Sorting and grouping happen in memory. This is ample for a million rows, and too little to starve the machine. */
const MAX_RESIDENT_BYTES = 512 * 1024 * 1024;
const LOOK_EVERY_MS = 50;
/** The answer itself is at most 16 MiB of text; a single row may be larger before it is counted. */
const MAX_HEAP_MB = 256;

const TOO_MUCH_MEMORY: QueryDeclined = {
  kind: 'too-large',
  reason: 'the statement needs too much memory; narrow it with WHERE and LIMIT',
};

if (process.send === undefined) throw new Error('query-process.ts is started by query-child.ts only');

const endNow = (): void => void process.kill(process.pid, 'SIGKILL');
process.on('disconnect', endNow);
// A terminal sends its signals to everybody; when to end is the gateway's decision.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

dieFirst();
const [engine] = (await once(process, 'message')) as [QueryEngine];
const thread = new Worker(new URL(engine.thread), {
  workerData: engine.database,
  resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
});
let underWay: QueryRequest['type'] | undefined;
process.on('message', (request: QueryRequest) => {
  underWay = request.type;
  thread.postMessage(request);
});
thread.on('message', (report: Report) => {
  if (report.type !== 'piece') underWay = undefined;
  process.send?.(report);
});
thread.on('error', (error: Error & { code?: string }) => {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') endWith(TOO_MUCH_MEMORY);
  else endWith({ kind: 'failed', reason: `the query thread failed: ${error.message}` });
});
setInterval(() => {
  if (underWay !== undefined && process.memoryUsage.rss() > MAX_RESIDENT_BYTES) endWith(TOO_MUCH_MEMORY);
}, LOOK_EVERY_MS);

/** During a commit there is nothing to say: it may or may not be done, and only silence claims neither. */
function endWith(outcome: QueryDeclined | QueryFailed): void {
  if (underWay === 'commit') endNow();
  else process.send?.({ type: 'last-word', outcome } satisfies Report, endNow);
}

/** If the machine runs out of memory, the kernel shall take this process and not the one that trades. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has this file.
  }
}

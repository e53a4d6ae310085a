// The writer thread: owns the only writing connection to a database, one after the other, so that waiting for the disk never blocks
// the event loop.

import type { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { openMigrated } from './database.ts';
import { createGroupCommit, type Write, type WriteResult } from './group-commit.ts';
import { type BatchAnswer, type BatchFault, CLOSE, DONE, type WriterMessage } from './writer.ts';

/** Keeps one transaction, and so one wait, bounded. */
const MAX_BATCH = 1024;

if (!parentPort) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;

let db: DatabaseSync | undefined;
let commit: ReturnType<typeof createGroupCommit>;

/** Values in a row, faults by their place: most answers have none, and a bare value crosses the thread cheaply. */
function answerOf(results: readonly WriteResult[]): BatchAnswer {
  const faults: BatchFault[] = [];
  const values = results.map((result, index) => {
    if ('ok' in result) return result.ok;
    faults.push([index, result.error, result.isUnknown]);
    return null;
  });
  return [values, faults];
}

const parse = (message: string): Write[] => JSON.parse(message) as Write[];

/** Together with everything else that waits by now. */
function write(first: string): void {
  const writes = parse(first);
  while (writes.length < MAX_BATCH) {
    const next = receiveMessageOnPort(port) as { message: string } | undefined;
    if (next === undefined) break;
    writes.push(...parse(next.message));
  }
  for (let from = 0; from < writes.length; from += MAX_BATCH) {
    port.postMessage(answerOf(commit(writes.slice(from, from + MAX_BATCH))));
  }
}

port.on('message', (message: WriterMessage) => {
  if (typeof message === 'object') {
    db = openMigrated(message.path, new URL(message.migrations));
    commit = createGroupCommit({ db, path: message.path });
  } else if (message !== CLOSE) return write(message);
  // It comes last, when everything before it is answered.
  else db?.close();
  port.postMessage(DONE);
});

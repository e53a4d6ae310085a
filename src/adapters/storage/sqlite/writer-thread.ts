// The writer thread: owns the only writing connection, so that waiting for the disk never blocks the event loop.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openMigrated } from './database.ts';
import { createGroupCommit, type Write, type WriteResult } from './group-commit.ts';
import type { PackedResults } from './writer.ts';

const { path, migrations } = workerData as { path: string; migrations: string };
if (!parentPort) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;

const db = openMigrated(path, new URL(migrations));
const commitAll = createGroupCommit(db, path);

/** Keeps one transaction, and so one answer's wait, bounded. */
const MAX_WRITES = 1024;

type Message = readonly Write[] | 'close';

/** Takes everything that has come in while the last commit was under way: that is what the next commit is shared by. */
function gather(first: readonly Write[]): { batches: (readonly Write[])[]; closing: boolean } {
  const batches = [first];
  let writes = first.length;
  while (writes < MAX_WRITES) {
    const next = receiveMessageOnPort(port)?.message as Message | undefined;
    if (next === undefined) break;
    if (next === 'close') return { batches, closing: true };
    batches.push(next);
    writes += next.length;
  }
  return { batches, closing: false };
}

/** Values in a row, errors by their place: most answers have none, and a bare value crosses the thread cheaply. */
function packed(results: readonly WriteResult[]): PackedResults {
  const errors: [number, string][] = [];
  const values = results.map((result, index) => {
    if ('ok' in result) return result.ok;
    errors.push([index, result.error]);
    return null;
  });
  return [values, errors];
}

function close(): void {
  db.close();
  port.close();
}

port.on('message', (message: Message) => {
  if (message === 'close') return close();
  const { batches, closing } = gather(message);
  port.postMessage(packed(commitAll(batches.length === 1 ? message : batches.flat())));
  if (closing) close();
});
port.postMessage('ready');

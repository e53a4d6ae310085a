// The checkpoint thread: a connection that does nothing but checkpoints, beside the writer and without stopping it.

import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../database.ts';

if (!parentPort) throw new Error('checkpoint-thread.ts runs as a worker thread only');
const port = parentPort;
const checkpoint = openDatabase({ path: (workerData as { path: string }).path }).prepare(
  'PRAGMA wal_checkpoint(PASSIVE)',
);

port.on('message', () => {
  try {
    checkpoint.get();
  } catch {
    // Nothing is lost: the log keeps all commits, and the next checkpoint begins where the last good one ended.
  }
  port.postMessage('done');
});

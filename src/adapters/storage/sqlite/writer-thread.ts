// The writer thread: owns the only writing connection, so that waiting for the disk never blocks the event loop.

import { parentPort, workerData } from 'node:worker_threads';
import { openMigrated } from './database.ts';
import { createGroupCommit, type Write } from './group-commit.ts';

const { path, migrations } = workerData as { path: string; migrations: string };
if (!parentPort) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;

const db = openMigrated(path, new URL(migrations));
const commitAll = createGroupCommit(db, path);

port.on('message', (batch: readonly Write[] | 'close') => {
  if (batch === 'close') {
    db.close();
    port.close();
    return;
  }
  port.postMessage(commitAll(batch));
});
port.postMessage('ready');

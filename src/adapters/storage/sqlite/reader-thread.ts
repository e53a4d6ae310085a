// The reader thread: runs queries that may look at every row, so that the event loop does not wait for them.

import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, queries } from './database.ts';
import type { Query, QueryResult } from './reader.ts';

if (!parentPort) throw new Error('reader-thread.ts runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };
const all = queries(openDatabase({ path, readOnly: true }), path);

port.on('message', ({ id, sql, params }: Query) => {
  let result: QueryResult;
  try {
    result = { id, rows: all(sql, ...params) };
  } catch (error) {
    result = { id, error: (error as Error).message };
  }
  port.postMessage(result);
});

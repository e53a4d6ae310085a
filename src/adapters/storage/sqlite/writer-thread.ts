// The writer thread: owns the only writing connection, so that waiting for the disk never blocks the event loop.

import { parentPort, workerData } from 'node:worker_threads';
import { createCheckpoints } from './checkpoints.ts';
import { createCommitClock } from './commit-clock.ts';
import { logPath, openCommitLog } from './commit-log.ts';
import { openMigrated } from './database.ts';
import { createGroupCommit, type WriteResult } from './group-commit.ts';
import type { PackedResults, WriterMessage } from './writer.ts';

const { path, migrations } = workerData as { path: string; migrations: string };
if (!parentPort) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;

const db = openMigrated(path, new URL(migrations));
const log = openCommitLog(logPath(path), String(db.prepare('SELECT identity FROM commit_log').get()?.identity));
const checkpoints = createCheckpoints(path);
const group = createGroupCommit({ db, path, log, onCommit: checkpoints.committed });

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

/** Undefined, or in words why what is in the log cannot be brought into the database now. */
function commit(): string | undefined {
  try {
    group.commit();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const clock = createCommitClock({
  isOpen: () => group.isOpen(),
  // A failure is told to whoever writes or reads next.
  commit: () => commit() === undefined,
  nowMs: () => performance.now(),
  setTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});

function write(text: string): void {
  port.postMessage(packed(group.write(text)));
  group.prepareCommit();
  clock.written();
}

function settle(): void {
  const fault = commit();
  port.postMessage([[null], fault === undefined ? [] : [[0, fault]]] satisfies PackedResults);
}

function close(): void {
  // What cannot be committed now stays in the log, and the next start brings it in.
  commit();
  clock.stop();
  void checkpoints.close();
  db.close();
  log.close();
  port.close();
}

port.on('message', (message: WriterMessage) => {
  if (typeof message === 'string') write(message);
  else if (message.order === 'settle') settle();
  else close();
});
port.postMessage('ready');

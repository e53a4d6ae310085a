// The writer thread: owns the only writing connection, so that waiting for the disk never blocks the event loop.

import { parentPort, workerData } from 'node:worker_threads';
import { createCheckpoints } from './checkpoints.ts';
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

/**
 * The database commits when nothing was written for a while, and now and then in any case. Everybody waits for a commit,
 * so under load it comes seldom: then it holds up less than one signal in a hundred, and the more writes share one, the
 * fewer pages each of them costs.
 */
const QUIET_MS = 10;
const LONGEST_MS = 1000;

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

let ticking = false;
let openSinceMs = 0;
let writtenAtMs = 0;

function tick(): void {
  const nowMs = performance.now();
  if (nowMs - writtenAtMs >= QUIET_MS || nowMs - openSinceMs >= LONGEST_MS) {
    // A failure is told to whoever writes or reads next; until then it is tried again.
    commit();
    openSinceMs = nowMs;
  }
  ticking = group.isOpen();
  if (ticking) setTimeout(tick, QUIET_MS);
}

function write(text: string): void {
  port.postMessage(packed(group.write(text)));
  group.prepareCommit();
  writtenAtMs = performance.now();
  if (ticking || !group.isOpen()) return;
  ticking = true;
  openSinceMs = writtenAtMs;
  setTimeout(tick, QUIET_MS);
}

function settle(): void {
  const fault = commit();
  port.postMessage([[null], fault === undefined ? [] : [[0, fault]]] satisfies PackedResults);
}

function close(): void {
  // What cannot be committed now stays in the log, and the next start brings it in.
  commit();
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

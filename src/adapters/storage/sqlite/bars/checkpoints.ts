// Moves committed pages from SQLite's write-ahead log into the database file, in a thread of its own: bars are written on
// the event loop, and there two waits for the disk would hold up every answer.

import { Worker } from 'node:worker_threads';

/** A live bar writes a few pages, a stretch of history a few hundred. */
const EVERY_COMMITS = 100;
const EVERY_BYTES = 8 * 1024 * 1024;

export interface Checkpoints {
  /** After every commit; now and then it starts a checkpoint. */
  committed(writtenBytes: number): void;
  close(): Promise<void>;
}

export function createCheckpoints(path: string): Checkpoints {
  let worker: Worker | undefined;
  let busy = false;
  let commits = 0;
  let bytes = 0;

  const start = (): Worker => {
    const started = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: { path } });
    started.on('message', () => {
      busy = false;
    });
    // Without it the limit of the connection itself (see packs.ts) does the same work, only less smoothly.
    started.on('error', () => {
      busy = true;
    });
    started.unref();
    return started;
  };

  return {
    committed(writtenBytes) {
      commits++;
      bytes += writtenBytes;
      if (busy || (commits < EVERY_COMMITS && bytes < EVERY_BYTES)) return;
      [busy, commits, bytes] = [true, 0, 0];
      worker ??= start();
      worker.postMessage('checkpoint');
    },
    async close() {
      busy = true;
      await worker?.terminate();
    },
  };
}

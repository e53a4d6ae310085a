// Queries that may take long, asked of a thread of their own. The thread starts with the first one.

import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../errors/storage-error.ts';
import type { Row } from '../sql/sql.ts';

export interface Query {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

export type QueryResult =
  | { readonly id: number; readonly rows: Row[] }
  | { readonly id: number; readonly error: string };

export interface Reader {
  all(sql: string, ...params: (string | number)[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** More questions than this at once are refused: each may look at every row. */
const MAX_WAITING = 64;

export function createReader(path: string): Reader {
  const waiting = new Map<number, { resolve: (rows: Row[]) => void; reject: (error: Error) => void }>();
  let worker: Worker | undefined;
  let lastId = 0;
  let closed = false;

  const fail = (error: Error): void => {
    worker = undefined;
    const failure = new StorageError(`the journal cannot be read: ${error.message}`, { cause: error });
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: { path } });
    started.on('message', (result: QueryResult) => {
      const asked = waiting.get(result.id);
      waiting.delete(result.id);
      if ('rows' in result) asked?.resolve(result.rows);
      else asked?.reject(new StorageError(result.error));
    });
    started.on('error', fail);
    started.unref();
    return started;
  };

  return {
    all(sql, ...params) {
      return new Promise((resolve, reject) => {
        if (closed) {
          reject(new StorageError('storage is closed'));
          return;
        }
        if (waiting.size >= MAX_WAITING) {
          reject(new StorageError('too many searches at once; try again in a moment'));
          return;
        }
        worker ??= start();
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.postMessage({ id: lastId, sql, params } satisfies Query);
      });
    },
    async close() {
      closed = true;
      await worker?.terminate();
      fail(new Error('storage is closed'));
    },
  };
}

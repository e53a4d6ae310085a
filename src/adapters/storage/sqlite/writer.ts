// The event loop's side of the writer: everything asked for in one turn of the loop shares one durable commit.
// Two batches may be under way: while the thread writes one, the loop fills and sends the next, so neither waits.

import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../trading/storage-error.ts';
import type { Write, WriteResult } from './group-commit.ts';
import type { MutationArgs, MutationName, MutationResult } from './mutations.ts';

/** Keeps one transaction, and so one answer's wait, bounded. */
const MAX_BATCH = 1024;
/** An idle thread is given this many writes at once rather than left waiting for the end of the turn. */
const WORTH_STARTING = 12;
const MAX_UNDER_WAY = 2;
/** Past this the disk cannot keep up; refusing is better than growing without end. */
const MAX_WAITING = 100_000;

export interface Writer {
  run<N extends MutationName>(name: N, args: MutationArgs<N>): Promise<MutationResult<N>>;
  /** Commits so far, for the benchmark: how many signals share one. */
  commits(): number;
  close(): Promise<void>;
}

interface Waiting {
  readonly write: Write;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export async function openWriter(path: string, migrations: URL, onDeath: (error: Error) => void): Promise<Writer> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: { path, migrations: migrations.href },
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (error: Error) => reject(new StorageError(error.message, { cause: error })));
  });

  let waiting: Waiting[] = [];
  const underWay: Waiting[][] = [];
  let scheduled = false;
  let commits = 0;
  let dead: Error | undefined;
  let idle: (() => void) | undefined;

  const flush = (): void => {
    if (underWay.length >= MAX_UNDER_WAY || waiting.length === 0) return;
    const batch = waiting.length > MAX_BATCH ? waiting.slice(0, MAX_BATCH) : waiting;
    waiting = waiting.length > MAX_BATCH ? waiting.slice(MAX_BATCH) : [];
    underWay.push(batch);
    worker.postMessage(batch.map((item) => item.write));
  };
  const schedule = (): void => {
    if (scheduled || underWay.length >= MAX_UNDER_WAY) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  };
  const die = (error: Error): void => {
    if (dead) return;
    dead = new StorageError(`the storage writer stopped: ${error.message}; restart Signalbox`, { cause: error });
    for (const item of [...underWay.flat(), ...waiting]) item.reject(dead);
    underWay.length = 0;
    waiting = [];
    idle?.();
    onDeath(dead);
  };

  worker.on('message', (results: readonly WriteResult[]) => {
    const batch = underWay.shift() ?? [];
    commits++;
    for (let i = 0; i < batch.length; i++) {
      const result = results[i] as WriteResult;
      if ('ok' in result) batch[i]?.resolve(result.ok as never);
      else batch[i]?.reject(new StorageError(result.error));
    }
    if (waiting.length > 0) schedule();
    else if (underWay.length === 0) idle?.();
  });
  worker.on('error', die);
  worker.on('exit', (code) => {
    if (code !== 0) die(new Error(`its thread ended with code ${code}`));
  });

  return {
    run(name, args) {
      return new Promise((resolve, reject) => {
        if (dead) return reject(dead);
        if (waiting.length >= MAX_WAITING) return reject(new StorageError('storage cannot keep up; send more slowly'));
        waiting.push({ write: [name, args as readonly unknown[]], resolve: resolve as (value: never) => void, reject });
        if (underWay.length === 0 && waiting.length >= WORTH_STARTING) flush();
        else schedule();
      });
    },
    commits: () => commits,
    async close() {
      if (dead) return;
      if (underWay.length > 0 || waiting.length > 0) await new Promise<void>((resolve) => (idle = resolve));
      dead = new StorageError('storage is closed');
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage('close');
      await ended;
    },
  };
}

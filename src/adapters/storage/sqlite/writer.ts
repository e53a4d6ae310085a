// The event loop's side of the writer. Writes are handed to the thread a few at a time and at the end of every turn of the
// loop; the thread puts everything it finds waiting into its next commit. So the busier it is, the more share a commit,
// and neither side waits for the other.

import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../trading/storage-error.ts';
import type { Write } from './group-commit.ts';
import type { MutationArgs, MutationName, MutationResult } from './mutations.ts';

/** So many writes are worth waking the thread for before the turn of the loop ends. */
const HANDFUL = 16;
/** Past this the disk cannot keep up; refusing is better than growing without end. */
const MAX_WAITING = 100_000;
/** Cutting the front off a long queue for every answer would cost more the longer it is. */
const TRIM_AFTER = 4096;

export interface Writer {
  run<N extends MutationName>(name: N, args: MutationArgs<N>): Promise<MutationResult<N>>;
  /** Commits so far, for the benchmark: how many signals share one. */
  commits(): number;
  close(): Promise<void>;
}

export type PackedResults = readonly [values: readonly unknown[], errors: readonly (readonly [number, string])[]];

interface Waiting {
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

  /** Everything not answered yet, oldest first from `head` on; answers come in the same order. */
  let waiting: Waiting[] = [];
  let head = 0;
  let handful: Write[] = [];
  let scheduled = false;
  let commits = 0;
  let dead: Error | undefined;
  let idle: (() => void) | undefined;

  const handOver = (): void => {
    if (handful.length === 0 || dead) return;
    worker.postMessage(handful);
    handful = [];
  };
  const atEndOfTurn = (): void => {
    scheduled = false;
    handOver();
  };
  const die = (error: Error): void => {
    if (dead) return;
    dead = new StorageError(`the storage writer stopped: ${error.message}; restart Signalbox`, { cause: error });
    for (const item of waiting.splice(0).slice(head)) item.reject(dead);
    head = 0;
    handful = [];
    idle?.();
    onDeath(dead);
  };

  worker.on('message', ([values, errors]: PackedResults) => {
    commits++;
    for (const [index, message] of errors) waiting[head + index]?.reject(new StorageError(message));
    // Resolving what was rejected does nothing.
    for (const value of values) (waiting[head++] as Waiting).resolve(value as never);
    if (head < waiting.length) {
      if (head > TRIM_AFTER) {
        waiting = waiting.slice(head);
        head = 0;
      }
      return;
    }
    waiting = [];
    head = 0;
    idle?.();
  });
  worker.on('error', die);
  worker.on('exit', (code) => {
    if (code !== 0) die(new Error(`its thread ended with code ${code}`));
  });

  return {
    run(name, args) {
      return new Promise((resolve, reject) => {
        if (dead) return reject(dead);
        if (waiting.length - head >= MAX_WAITING) {
          return reject(new StorageError('storage cannot keep up; send more slowly'));
        }
        waiting.push({ resolve: resolve as (value: never) => void, reject });
        handful.push([name, args as readonly unknown[]]);
        if (handful.length >= HANDFUL) handOver();
        else if (!scheduled) {
          scheduled = true;
          setImmediate(atEndOfTurn);
        }
      });
    },
    commits: () => commits,
    async close() {
      if (dead) return;
      if (waiting.length > 0) await new Promise<void>((resolve) => (idle = resolve));
      dead = new StorageError('storage is closed');
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage('close');
      await ended;
    },
  };
}

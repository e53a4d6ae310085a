// The event loop's side of the writer. Writes are handed to the thread a handful at a time and at the end of every turn of
// the loop, but while it is busy with one batch and has another before it, they gather here. So the busier it is, the more
// share one wait for the disk, and neither side waits for the other.

import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../trading/storage-error.ts';
import type { Write } from './group-commit.ts';
import type { MutationArgs, MutationName, MutationResult } from './mutations.ts';

/** One that the thread works on and one that it finds when it is done. */
const MAX_UNDER_WAY = 2;
/** So many are worth starting with before the turn of the loop ends: else the thread would idle through long turns. */
const HANDFUL = 16;
/** Keeps one batch, and so one wait, bounded. */
const MAX_BATCH = 1024;
/** Past this the disk cannot keep up; refusing is better than growing without end. */
const MAX_WAITING = 100_000;
/** Cutting the front off a long queue for every answer would cost more the longer it is. */
const TRIM_AFTER = 4096;

export interface Writer {
  run<N extends MutationName>(name: N, args: MutationArgs<N>): Promise<MutationResult<N>>;
  /** Resolves when other connections see everything that was acknowledged before. */
  settle(): Promise<void>;
  /** Runs the work while the writer holds no lock on the database; writes wait until it is done. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Durable batches so far, for the benchmark: how many signals share one. */
  commits(): number;
  close(): Promise<void>;
}

/** A list of writes as JSON, or an order. */
export type WriterMessage = string | { readonly order: 'settle' | 'close' };
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
  let gathered: Write[] = [];
  let scheduled = false;
  let commits = 0;
  let dead: Error | undefined;
  let idle: (() => void) | undefined;
  /** While somebody has the database to himself, nothing is handed over; resolves when everything before is in it. */
  let hold: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** True when nothing was written since the last time everything was brought into the database. */
  let settled = true;

  /** Batches and orders the thread has not answered. */
  let underWay = 0;

  const post = (message: WriterMessage): void => {
    underWay++;
    worker.postMessage(message);
  };
  const handOver = (): void => {
    if (gathered.length === 0 || dead || hold) return;
    const batch = gathered.length > MAX_BATCH ? gathered.slice(0, MAX_BATCH) : gathered;
    gathered = gathered.length > MAX_BATCH ? gathered.slice(MAX_BATCH) : [];
    post(JSON.stringify(batch));
  };
  const handOverAll = (): void => {
    while (gathered.length > 0 && !dead && !hold) handOver();
  };
  const atEndOfTurn = (): void => {
    scheduled = false;
    if (underWay < MAX_UNDER_WAY) handOver();
  };
  const die = (error: Error): void => {
    if (dead) return;
    dead = new StorageError(`the storage writer stopped: ${error.message}; restart Signalbox`, { cause: error });
    for (const item of waiting.splice(0).slice(head)) item.reject(dead);
    head = 0;
    gathered = [];
    idle?.();
    onDeath(dead);
  };

  worker.on('message', ([values, errors]: PackedResults) => {
    commits++;
    underWay--;
    // Before the answers, whose consequences take their time: the thread is idle until it gets more.
    if (underWay < MAX_UNDER_WAY) handOver();
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

  const askToSettle = (): Promise<void> => {
    handOverAll();
    return new Promise<void>((resolve, reject) => {
      const refuse = (error: Error): void => {
        settled = false;
        reject(error);
      };
      waiting.push({ resolve: resolve as (value: never) => void, reject: refuse });
      settled = true;
      post({ order: 'settle' });
    });
  };

  return {
    run(name, args) {
      return new Promise((resolve, reject) => {
        if (dead) return reject(dead);
        if (waiting.length - head >= MAX_WAITING) {
          return reject(new StorageError('storage cannot keep up; send more slowly'));
        }
        waiting.push({ resolve: resolve as (value: never) => void, reject });
        gathered.push([name, args as readonly unknown[]]);
        settled = false;
        if (underWay >= MAX_UNDER_WAY) return;
        if (gathered.length >= HANDFUL) handOver();
        else if (!scheduled) {
          scheduled = true;
          setImmediate(atEndOfTurn);
        }
      });
    },
    settle() {
      if (dead) return Promise.reject(dead);
      // What waits behind a hold is not acknowledged yet, so there is nothing more to bring in.
      if (hold) return hold;
      return settled && waiting.length === head ? Promise.resolve() : askToSettle();
    },
    exclusively(work) {
      const alone = async () => {
        if (dead) throw dead;
        hold = askToSettle();
        try {
          await hold;
          return await work();
        } finally {
          hold = undefined;
          handOver();
        }
      };
      const result = turn.then(alone);
      turn = result.catch(() => undefined);
      return result;
    },
    commits: () => commits,
    async close() {
      if (dead) return;
      if (waiting.length > 0) await new Promise<void>((resolve) => (idle = resolve));
      dead = new StorageError('storage is closed');
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      post({ order: 'close' });
      await ended;
    },
  };
}

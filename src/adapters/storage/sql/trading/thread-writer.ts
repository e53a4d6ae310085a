// The event loop's side of the writer thread. Writes are handed to it at the end of every turn of the loop; whatever has
// gathered before it by the time it is free shares one transaction, so the busier it is, the more share one wait for the disk.

import { Worker } from 'node:worker_threads';
import { FencedError, StorageError, UnknownOutcomeError } from '../../../../errors/storage-error.ts';
import { SerialQueue } from '../../../../timing/serial-queue.ts';
import type { Write } from './group-commit.ts';
import type { MutationArgs, MutationName, MutationResult } from './mutations.ts';
import { errorOf, type WriteFault } from './write-fault.ts';
import type { Writer } from './writer.ts';

/** Past this the disk cannot keep up; refusing is better than growing without end. */
const MAX_WAITING = 100_000;
/** Cutting the front off a long queue for every answer would cost more the longer it is. */
const TRIM_AFTER = 4096;

/** A list of writes as JSON, which crosses a thread much cheaper than the list itself; or what opens or closes a database. */
export type WriterMessage = string | object;
export const CLOSE: WriterMessage = 'close';
/** What the thread says when it has opened or closed its database. */
export const DONE = 'done';
export type BatchFault = readonly [index: number, fault: WriteFault];
export type BatchAnswer = readonly [values: readonly unknown[], faults: readonly BatchFault[]];

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Threads without a database wait for the next: to start one takes ten times as long as to open a small database. */
const idle = new Map<string, Worker[]>();

/** Who is told that nothing more will be written; neither comes back by itself. */
export interface WriterEnds {
  /** Its thread is gone: whoever runs the process must restart it. */
  readonly onDeath: (error: Error) => void;
  /** Another process has taken over. Called once. */
  readonly onFenced?: ((error: FencedError) => void) | undefined;
}

/** `thread` is the file of an engine's thread, and `database` what that is told to open. */
export async function openThreadWriter(thread: URL, database: object, ends: WriterEnds): Promise<Writer> {
  const resting = idle.get(thread.href) ?? [];
  idle.set(thread.href, resting);
  const worker = resting.pop() ?? new Worker(thread);
  worker.ref();
  await tell(worker, database).catch((cause: Error) => {
    throw new StorageError(cause.message, { cause });
  });
  return new ThreadWriter(worker, resting, ends);
}

/** Resolves when the thread has done it; rejects where it died of it. */
async function tell(worker: Worker, message: WriterMessage): Promise<void> {
  // Named one by one: removing all at once would take away those by which the thread itself is heard.
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.postMessage(message);
  });
  worker.removeAllListeners('error');
}

class ThreadWriter implements Writer {
  readonly #worker: Worker;
  readonly #resting: Worker[];
  readonly #ends: WriterEnds;
  #isFenced = false;
  /** Everything not answered yet, oldest first from `#head` on; answers come in the same order. */
  #waiting: Waiting[] = [];
  #head = 0;
  /** The last of them, which the thread does not have yet. */
  #gathered: Write[] = [];
  #commits = 0;
  #isScheduled = false;
  /** While somebody has the database to himself, nothing is handed over. */
  #isHeld = false;
  readonly #exclusive = new SerialQueue();
  #onAnswer = new Set<() => void>();
  readonly #watchers = new Set<() => void>();
  #dead: Error | undefined;

  constructor(worker: Worker, resting: Worker[], ends: WriterEnds) {
    this.#worker = worker;
    this.#resting = resting;
    this.#ends = ends;
    worker.on('message', (answer: BatchAnswer) => this.#answer(answer));
    worker.on('error', (error) => this.#die(error as Error));
    worker.on('exit', (code) => {
      if (code !== 0) this.#die(new Error(`its thread ended with code ${code}`));
    });
  }

  run<N extends MutationName>(name: N, args: MutationArgs<N>): Promise<MutationResult<N>> {
    return new Promise((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      if (this.#unanswered() >= MAX_WAITING) {
        return reject(new StorageError('storage cannot keep up; send more slowly'));
      }
      this.#waiting.push({ resolve: resolve as (value: never) => void, reject });
      this.#gathered.push([name, args]);
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#handOver();
      });
    });
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusive.run(async () => {
      this.#isHeld = true;
      try {
        await this.#until(() => this.#unanswered() === this.#gathered.length);
        if (this.#dead) throw this.#dead;
        return await work();
      } finally {
        this.#isHeld = false;
        this.#handOver();
      }
    });
  }

  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  commits(): number {
    return this.#commits;
  }

  async close(): Promise<void> {
    // Whoever was answered last may write once more before this goes on: that is waited for too.
    while (!this.#dead && this.#unanswered() > 0) await this.#until(() => this.#unanswered() === 0);
    if (this.#dead) return;
    this.#dead = new StorageError('storage is closed');
    const isClosed = await tell(this.#worker, CLOSE).then(
      () => true,
      () => false,
    );
    if (!isClosed) return;
    this.#worker.unref();
    this.#resting.push(this.#worker);
  }

  #unanswered(): number {
    return this.#waiting.length - this.#head;
  }

  #handOver(): void {
    if (this.#gathered.length === 0 || this.#dead || this.#isHeld) return;
    this.#worker.postMessage(JSON.stringify(this.#gathered));
    this.#gathered = [];
  }

  #answer([values, faults]: BatchAnswer): void {
    this.#commits++;
    for (const [index, fault] of faults) this.#reject(index, errorOf(fault));
    // Resolving what was rejected does nothing.
    for (const value of values) (this.#waiting[this.#head++] as Waiting).resolve(value as never);
    if (this.#head > TRIM_AFTER || this.#unanswered() === 0) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    for (const look of this.#onAnswer) look();
    for (const listener of this.#watchers) listener();
  }

  #reject(index: number, error: StorageError): void {
    this.#waiting[this.#head + index]?.reject(error);
    if (!(error instanceof FencedError) || this.#isFenced) return;
    this.#isFenced = true;
    this.#ends.onFenced?.(error);
  }

  /** What the thread has may be committed or not; what it never got is not. */
  #die(error: Error): void {
    if (this.#dead) return;
    const words = `the storage writer stopped: ${error.message}; restart Signalbox`;
    this.#dead = new StorageError(words, { cause: error });
    const unknown = new UnknownOutcomeError(words, { cause: error });
    const lost = this.#waiting.slice(this.#head);
    const given = lost.length - this.#gathered.length;
    for (const [index, { reject }] of lost.entries()) reject(index < given ? unknown : this.#dead);
    [this.#waiting, this.#head, this.#gathered] = [[], 0, []];
    for (const look of this.#onAnswer) look();
    this.#ends.onDeath(this.#dead);
  }

  /** Resolves when the condition holds, or the thread is dead. */
  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.#dead && !holds()) return;
        this.#onAnswer.delete(look);
        resolve();
      };
      this.#onAnswer.add(look);
      look();
    });
  }
}

// The thread's side of a writer, whichever engine it has: it owns the only writing connection to a database, one database
// after the other, so that waiting for the disk or the network never blocks the event loop.

import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { GroupCommit, Write, WriteResult } from './group-commit.ts';
import { type BatchAnswer, type BatchFault, CLOSE, DONE, type WriterMessage } from './thread-writer.ts';

/** Keeps one transaction, and so one wait, bounded. */
const MAX_BATCH = 1024;

export interface WritableDatabase {
  readonly commit: GroupCommit;
  close(): Promise<void>;
}

/** Call once, in a worker thread; `open` is given what the other side was told to open. */
export function serveWriter<D extends object>(open: (database: D) => Promise<WritableDatabase>): void {
  if (!parentPort) throw new Error('a writer runs as a worker thread only');
  const turns = new Turns(parentPort, open as (database: object) => Promise<WritableDatabase>);
  parentPort.on('message', (message: WriterMessage) => turns.take(message));
}

/** One message after the other, and all writes together that wait by then. */
class Turns {
  readonly #port: MessagePort;
  readonly #open: (database: object) => Promise<WritableDatabase>;
  readonly #waiting: WriterMessage[] = [];
  #isWorking = false;
  #database: WritableDatabase | undefined;

  constructor(port: MessagePort, open: (database: object) => Promise<WritableDatabase>) {
    this.#port = port;
    this.#open = open;
  }

  async take(message: WriterMessage): Promise<void> {
    this.#waiting.push(message);
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#work(next);
    this.#isWorking = false;
  }

  #next(): WriterMessage | undefined {
    return (
      this.#waiting.shift() ?? (receiveMessageOnPort(this.#port) as { message: WriterMessage } | undefined)?.message
    );
  }

  async #work(message: WriterMessage): Promise<void> {
    if (typeof message === 'object') this.#database = await this.#open(message);
    else if (message !== CLOSE) return this.#write(message);
    // It comes last, when everything before it is answered.
    else await this.#database?.close();
    this.#port.postMessage(DONE);
  }

  async #write(first: string): Promise<void> {
    const writes = parse(first);
    while (writes.length < MAX_BATCH) {
      // What opens or closes a database comes when nothing is unanswered.
      const next = this.#next() as string | undefined;
      if (next === undefined) break;
      writes.push(...parse(next));
    }
    const { commit } = this.#database as WritableDatabase;
    for (let from = 0; from < writes.length; from += MAX_BATCH)
      this.#port.postMessage(answerOf(await commit(writes.slice(from, from + MAX_BATCH))));
  }
}

const parse = (message: string): Write[] => JSON.parse(message) as Write[];

/** Values in a row, faults by their place: most answers have none, and a bare value crosses the thread cheaply. */
function answerOf(results: readonly WriteResult[]): BatchAnswer {
  const faults: BatchFault[] = [];
  const values = results.map((result, index) => {
    if ('ok' in result) return result.ok;
    faults.push([index, result]);
    return null;
  });
  return [values, faults];
}

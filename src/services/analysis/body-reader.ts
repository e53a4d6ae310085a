// Reads large bodies beside the event loop: in a thread of their own where they are plain, in short steps where they are not.

import { Worker } from 'node:worker_threads';
import { parseStrict } from '../../http/strict-body.ts';
import { BarRows } from './bar-rows.ts';
import type { BodyAnswer } from './body-messages.ts';
import { refusal } from './refusal.ts';
import { createSlicedReader, SMALL_BODY_BYTES } from './sliced-json.ts';

/** Sixteen of the largest bodies: who comes later is told so, instead of filling the memory. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** Reading them all takes a second or two. */
const RETRY_AFTER_S = '2';

/** The bytes are given away: they may be gone afterwards. */
export type ParsePieces = (body: Uint8Array | readonly Uint8Array[]) => Promise<unknown>;

/** The thread is started with the first large body, and never keeps the process alive. */
export function createBodyReader(maxWaitingBytes = MAX_WAITING_BYTES): ParsePieces {
  const inSlices = createSlicedReader();
  let thread: BodyThread | undefined;
  let waitingBytes = 0;
  return async (given) => {
    const pieces = given instanceof Uint8Array ? [given] : given;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length <= SMALL_BODY_BYTES) return parseStrict(Buffer.concat(pieces));
    if (waitingBytes + length > maxWaitingBytes)
      throw refusal('BUSY', 'too many large requests wait already; try again in a moment', {
        headers: { 'retry-after': RETRY_AFTER_S },
      });
    waitingBytes += length;
    try {
      if (thread === undefined || thread.isLost) thread = new BodyThread();
      const answer = await thread.read(pieces);
      return answer.kind === 'read' ? whole(answer) : await inSlices(answer.bytes);
    } finally {
      waitingBytes -= length;
    }
  };
}

function whole({ top, rows }: Extract<BodyAnswer, { kind: 'read' }>): unknown {
  for (const { path, columns } of rows) {
    let holder = top as Record<string, unknown>;
    for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
    const value = BarRows.of(columns);
    // Not by assignment: a key named __proto__ would change the object instead.
    Object.defineProperty(holder, path.at(-1) as string, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return top.root;
}

interface Waiting {
  resolve(answer: BodyAnswer): void;
  reject(error: Error): void;
}

class BodyThread {
  readonly #worker = new Worker(new URL('./body-thread.ts', import.meta.url));
  /** Answers come in the order of the questions. */
  readonly #waiting: Waiting[] = [];
  isLost = false;

  constructor() {
    this.#worker.on('message', (answer: BodyAnswer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread that reads bodies ended')));
    // After the listeners: each of them would make the process wait for the thread again.
    this.#worker.unref();
  }

  read(pieces: readonly Uint8Array[]): Promise<BodyAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      const own = pieces.map(inOwnMemory);
      this.#worker.postMessage(
        own,
        own.map(({ buffer }) => buffer),
      );
    });
  }

  /** What it was reading is a fault of ours; the next body gets a new thread. */
  #lose(error: Error): void {
    this.isLost = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** Handed over instead of copied, where nothing else lives in the same memory. */
function inOwnMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length;
  return isAlone ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

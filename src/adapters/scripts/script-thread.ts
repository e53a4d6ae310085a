// One thread of the pool, seen from outside: it takes one order at a time, and is ended when the order outgrows a limit.
//
//   starting → idle ⇄ working → ended
//
// | it ends when                                                      | the order under way ends as |
// |-------------------------------------------------------------------|-----------------------------|
// | the deadline passes: terminating stops loops and expressions alike | timeout                     |
// | it holds more memory than it may, heap and buffers together       | too-large                   |
// | the caller has no use for the answer any more, or the pool closes | canceled                    |
// | it dies of itself                                                 | died                        |

import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { heldBytes } from './held-bytes.ts';
import { type Order, READY, type Report, type ThreadDuty } from './messages.ts';

const MEBIBYTE = 1024 * 1024;
/** Loading the compiler takes a tenth of a second; a machine that needs this long has other worries. */
const START_LIMIT_MS = 30_000;
/** A script fills some 100 MB of memory between two looks at most. */
const LOOK_EVERY_MS = 50;
/**
 * When the heap reaches its own limit with one large object, V8 ends the whole process instead of the thread. So that
 * limit lies far above ours, which is watched from here and counts buffers outside the heap too.
 */
const HEAP_MARGIN_MB = 1024;
const YOUNG_GENERATION_MB = 48;

export type Ended =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'timeout' | 'too-large' | 'canceled' }
  | { readonly kind: 'died'; readonly reason: string };

export interface ThreadOptions {
  readonly file: URL;
  readonly memoryMb: number;
  readonly duty: ThreadDuty;
  /** Called once, when the thread is gone whatever the reason. */
  readonly onEnd: (thread: ScriptThread) => void;
}

/** Where the process keeps the source files it has read once: without it a thread starts four times slower. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  // That is the folder of this version of Node; the variable names the one around it.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

export class ScriptThread {
  readonly #worker: Worker;
  readonly #maxBytes: number;
  readonly #started: Promise<boolean>;
  #settle: ((ended: Ended) => void) | undefined;
  #reason = 'the thread ended by itself';
  #gone: Promise<void>;
  isAlive = true;
  hasStarted = false;

  constructor({ file, memoryMb, duty, onEnd }: ThreadOptions) {
    this.#maxBytes = memoryMb * MEBIBYTE;
    this.#worker = new Worker(file, {
      // Scripts of others run in there: nothing else of our environment does.
      env: compileCache(),
      argv: [],
      workerData: duty,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb + HEAP_MARGIN_MB,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.isAlive = false;
      this.#reason = error.message;
      this.#finish(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'too-large' } : { kind: 'died', reason: error.message },
      );
    });
    this.#worker.on('messageerror', (error) => this.#end({ kind: 'died', reason: error.message }));
    this.#gone = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.isAlive = false;
        this.#finish({ kind: 'died', reason: this.#reason });
        onEnd(this);
        resolve();
      });
    });
    this.#started = this.#waitForStart();
  }

  /** Whether it came up; when not, the reason is known by then. */
  #waitForStart(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#reason = `the thread did not start within ${START_LIMIT_MS} ms`;
        void this.#worker.terminate();
      }, START_LIMIT_MS);
      const settle = (): void => {
        clearTimeout(timer);
        resolve(this.hasStarted);
      };
      this.#worker.once('message', (message) => {
        this.hasStarted = message === READY;
        settle();
      });
      this.#worker.once('exit', settle);
    });
  }

  /** One order at a time; never throws. */
  async ask(order: Order, timeoutMs: number, signal: AbortSignal | undefined): Promise<Ended> {
    return new Promise((resolve) => {
      const stopWatching: (() => void)[] = [];
      this.#settle = (ended) => {
        for (const stop of stopWatching) stop();
        resolve(ended);
      };
      const cancel = (): void => this.#end({ kind: 'canceled' });
      signal?.addEventListener('abort', cancel, { once: true });
      stopWatching.push(() => signal?.removeEventListener('abort', cancel));
      if (signal?.aborted) return cancel();
      void this.#started.then((started) => {
        // Canceled meanwhile, or gone: then the end has been told already.
        if (!started || this.#settle === undefined) return;
        stopWatching.push(this.#watch(timeoutMs));
        this.#send(order);
      });
    });
  }

  #send(order: Order): void {
    const answered = (report: Report): void => this.#finish({ kind: 'report', report });
    this.#worker.once('message', answered);
    try {
      this.#worker.postMessage(order);
    } catch (error) {
      // What cannot be copied to another thread: functions and the like.
      this.#worker.off('message', answered);
      this.#finish({
        kind: 'died',
        reason: `the order cannot be sent (${error instanceof Error ? error.message : error})`,
      });
    }
  }

  /** The clock and the scales, until the returned function is called. */
  #watch(timeoutMs: number): () => void {
    const deadline = setTimeout(() => this.#end({ kind: 'timeout' }), timeoutMs);
    let isLooking = false;
    let isOver = false;
    const look = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      this.#worker.getHeapStatistics().then(
        (statistics) => {
          isLooking = false;
          // A look that comes back late says nothing about the next order.
          if (!isOver && heldBytes(statistics) > this.#maxBytes) this.#end({ kind: 'too-large' });
        },
        // It is gone; its end is told by the others.
        () => {},
      );
    }, LOOK_EVERY_MS);
    return () => {
      isOver = true;
      clearTimeout(deadline);
      clearInterval(look);
    };
  }

  #finish(ended: Ended): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(ended);
  }

  /** Tells the end of the order at once, however long the thread needs to die. */
  #end(ended: Ended): void {
    if (this.#settle === undefined) return;
    this.isAlive = false;
    void this.#worker.terminate();
    this.#finish(ended);
  }

  /** Ends it now; the order under way, if any, is canceled. */
  async end(): Promise<void> {
    this.#end({ kind: 'canceled' });
    this.isAlive = false;
    void this.#worker.terminate();
    await this.#gone;
  }
}

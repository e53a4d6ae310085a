// One thread of the pool, seen from outside: it takes one job at a time, and is ended when the job outgrows a limit.
//
//   starting → idle ⇄ working → ended
//
// | it ends when                                                      | the job under way ends as |
// |-------------------------------------------------------------------|-----------------------------|
// | the deadline passes: terminating stops loops and expressions alike | timeout                     |
// | it holds more memory than it may, heap and buffers together       | too-large                   |
// | the caller has no use for the answer any more, or the pool closes | canceled                    |
// | it dies of itself                                                 | died                        |

import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../errors/error-text.ts';
import type { RequestProgress } from '../../library/request-runner.ts';
import { type Job, type Note, READY, type Report, type RequestJob, type ThreadDuty } from './messages.ts';
import { heldBytes } from './thread-memory.ts';

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
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'too-large' | 'canceled' }
  | { readonly kind: 'died'; readonly reason: string };

export interface AskOptions {
  /** Until the job says otherwise: a request tells its own limit once it is read. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RequestProgress) => void) | undefined;
}

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

const buffersOf = ({ request }: RequestJob): ArrayBuffer[] => request.body.map(({ buffer }) => buffer as ArrayBuffer);

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

  /** One job at a time; never throws. */
  async ask(job: Job, options: AskOptions): Promise<Ended> {
    const { signal } = options;
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
        stopWatching.push(this.#weigh(), this.#listen(options));
        this.#send(job);
      });
    });
  }

  #send(job: Job): void {
    try {
      this.#worker.postMessage(job, job.kind === 'request' ? buffersOf(job) : []);
    } catch (error) {
      // What cannot be copied to another thread: functions and the like.
      this.#finish({
        kind: 'died',
        reason: `the job cannot be sent (${errorText(error)})`,
      });
    }
  }

  /** Hears what the thread tells, and holds it to its time, until the returned function is called. */
  #listen({ timeoutMs, onProgress }: AskOptions): () => void {
    const within = (limitMs: number) => setTimeout(() => this.#end({ kind: 'timeout', timeoutMs: limitMs }), limitMs);
    let deadline = within(timeoutMs);
    const heard = (message: Report | Note): void => {
      if (!('progress' in message)) {
        this.#finish({ kind: 'report', report: message });
        return;
      }
      const { timeoutMs: ownMs } = message.progress;
      if (ownMs !== undefined) {
        clearTimeout(deadline);
        deadline = within(ownMs);
      }
      onProgress?.(message.progress);
    };
    this.#worker.on('message', heard);
    return () => {
      clearTimeout(deadline);
      this.#worker.off('message', heard);
    };
  }

  /** The scales, until the returned function is called. */
  #weigh(): () => void {
    let isLooking = false;
    let isOver = false;
    const look = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      this.#worker.getHeapStatistics().then(
        (statistics) => {
          isLooking = false;
          // A look that comes back late says nothing about the next job.
          if (!isOver && heldBytes(statistics) > this.#maxBytes) this.#end({ kind: 'too-large' });
        },
        // It is gone; its end is told by the others.
        () => {},
      );
    }, LOOK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(look);
    };
  }

  #finish(ended: Ended): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(ended);
  }

  /** Tells the end of the job at once, however long the thread needs to die. */
  #end(ended: Ended): void {
    if (this.#settle === undefined) return;
    this.isAlive = false;
    void this.#worker.terminate();
    this.#finish(ended);
  }

  /** Ends it now; the job under way, if any, is canceled. */
  async end(): Promise<void> {
    this.#end({ kind: 'canceled' });
    this.isAlive = false;
    void this.#worker.terminate();
    await this.#gone;
  }
}

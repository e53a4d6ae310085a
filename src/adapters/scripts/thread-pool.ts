// Hands jobs to free threads when it is their turn; starts threads when they are needed and replaces lost ones.

import type { Caller, RequestProgress } from '../../library/request-runner.ts';
import type { Stopped } from '../../library/script-runner.ts';
import { foregroundTimers, LONGEST_DELAY_MS } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { Job, Outcome, ThreadDuty } from './messages.ts';
import { RunQueue } from './run-queue.ts';
import { type Ended, ScriptThread } from './script-thread.ts';

export interface ThreadPoolOptions {
  /** Threads for runs at most; each is started when it is first needed, and that of a command at once. */
  readonly size: number;
  /** Beside them, for the calls of editors alone. */
  readonly editorThreads: number;
  readonly duty: ThreadDuty;
  /** What one thread may hold, heap and buffers together. */
  readonly memoryMb: number;
  /** For a job that does not say; counts from the moment it gets a thread. */
  readonly timeoutMs: number;
  /** Places for jobs that wait for a thread, shared out by the queue, and how long they do. */
  readonly maxQueued: number;
  readonly maxWaitMs: number;
  /** The file that runs in the threads. */
  readonly thread: URL;
}

export interface JobLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The house itself when left out. */
  readonly caller?: Caller | undefined;
  readonly onProgress?: ((progress: RequestProgress) => void) | undefined;
}

const OWN: Caller = { class: 'own', id: '' };

/**
 * A thread that still holds this part of its memory after a job is replaced: most of it is garbage, but the next
 * job would be measured by it.
 */
const HELD_SHARE = 0.5;
const MEBIBYTE = 1024 * 1024;

const CANCELED: Stopped = { kind: 'canceled', reason: 'canceled before it was done; nothing of it was kept' };
const CLOSED: Stopped = { kind: 'canceled', reason: 'canceled, because Signalbox stops; run it again after the start' };

/** Called once: with the thread that is now the caller's, or why there is none. */
type Turn = (settled: ScriptThread | Stopped) => void;

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  /** Every thread there is, those included that are just ending: together they never are more than `size`. */
  readonly #threads = new Set<ScriptThread>();
  /** The last one used is used next: it knows the script best. */
  readonly #idle: ScriptThread[] = [];
  readonly #queue: RunQueue<Turn>;
  /** Who has which thread; one that is just ending is still his, so that nobody is given a thread that is not there yet. */
  readonly #holders = new Map<ScriptThread, Caller>();
  readonly #waiting = new Set<Turn>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    const { size, editorThreads, maxQueued } = options;
    this.#queue = new RunQueue({ runThreads: size, editorThreads, places: maxQueued }, () => performance.now());
    // It starts while the command still reads its files.
    if (options.duty === 'command') this.#idle.push(this.#startThread());
  }

  /** Why a job of this caller would not be taken now. */
  refusal(caller: Caller): Stopped | undefined {
    if (this.#isClosed) return CLOSED;
    const reason = this.#queue.refusal(caller);
    return reason === undefined ? undefined : { kind: 'busy', reason };
  }

  async ask(job: Job, limits: JobLimits): Promise<Outcome | Stopped> {
    if (this.#isClosed) return CLOSED;
    if (limits.signal?.aborted) return CANCELED;
    const refusal = this.refusal(limits.caller ?? OWN);
    if (refusal !== undefined) return refusal;
    const outcome = this.#inTurn(job, limits);
    this.#underWay.add(outcome);
    return outcome.finally(() => this.#underWay.delete(outcome));
  }

  async #inTurn(job: Job, { signal, caller = OWN, onProgress, ...limits }: JobLimits): Promise<Outcome | Stopped> {
    const thread = await this.#turnOf(caller, signal);
    if (!(thread instanceof ScriptThread)) return thread;
    const timeoutMs = Math.min(limits.timeoutMs ?? this.#options.timeoutMs, LONGEST_DELAY_MS);
    const ended = await thread.ask(job, { timeoutMs, signal, onProgress });
    this.#release(thread, ended);
    return this.#told(ended);
  }

  #turnOf(caller: Caller, signal: AbortSignal | undefined): Promise<ScriptThread | Stopped> {
    const { maxWaitMs } = this.#options;
    return new Promise((resolve) => {
      const turn: Turn = (settled) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.#waiting.delete(turn);
        if (settled instanceof ScriptThread) this.#holders.set(settled, caller);
        else this.#queue.remove(caller, turn);
        resolve(settled);
      };
      const cancel = (): void => turn(CANCELED);
      const reason = `waited ${maxWaitMs / 1000} s for other scripts; try again in a moment`;
      const timer = setTimeout(() => turn({ kind: 'busy', reason }), maxWaitMs);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.add(turn);
      this.#queue.add(caller, turn);
      this.#callNext();
    });
  }

  /** As many as there are threads and turns for. */
  #callNext(): void {
    for (;;) {
      const thread = this.#freeThread();
      if (thread === undefined) return;
      const turn = this.#queue.next();
      if (turn !== undefined) turn(thread === 'to be started' ? this.#startThread() : thread);
      else {
        if (thread instanceof ScriptThread) this.#idle.push(thread);
        return;
      }
    }
  }

  #freeThread(): ScriptThread | 'to be started' | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop())
      if (thread.isAlive) return thread;
    const { size, editorThreads } = this.#options;
    return this.#threads.size < size + editorThreads ? 'to be started' : undefined;
  }

  #startThread(): ScriptThread {
    const { thread: file, memoryMb, duty } = this.#options;
    const started = new ScriptThread({ file, memoryMb, duty, onEnd: (gone) => this.#replace(gone) });
    this.#threads.add(started);
    return started;
  }

  /** At once, so that the next job need not wait for the start; but one that never came up would fail for ever. */
  #replace(gone: ScriptThread): void {
    this.#threads.delete(gone);
    this.#giveBack(gone);
    if (!this.#isClosed && gone.hasStarted && this.#options.duty === 'service') this.#idle.push(this.#startThread());
    this.#callNext();
  }

  #giveBack(thread: ScriptThread): void {
    const holder = this.#holders.get(thread);
    if (this.#holders.delete(thread) && holder !== undefined) this.#queue.done(holder);
  }

  #release(thread: ScriptThread, ended: Ended): void {
    const isHeavy = ended.kind === 'report' && ended.report.heldBytes > this.#options.memoryMb * MEBIBYTE * HELD_SHARE;
    // A lost or ended thread calls the next one when it is gone.
    if (isHeavy) void thread.end();
    if (isHeavy || !thread.isAlive) return;
    this.#giveBack(thread);
    this.#idle.push(thread);
    this.#callNext();
  }

  #told(ended: Ended): Outcome | Stopped {
    switch (ended.kind) {
      case 'report':
        return ended.report.outcome;
      case 'canceled':
        return this.#isClosed ? CLOSED : CANCELED;
      case 'timeout':
        return {
          kind: 'timeout',
          reason: `stopped after ${ended.timeoutMs / 1000} s; shorten its loops, use fewer bars or raise the time limit`,
        };
      case 'too-large':
        return {
          kind: 'too-large',
          reason: `stopped at ${this.#options.memoryMb} MiB of memory; keep fewer values in its arrays, maps and strings, or use fewer bars`,
        };
      case 'died':
        if (this.#isClosed) return CLOSED;
        return {
          kind: 'failed',
          reason: `the script engine failed: ${ended.reason}; try again, and report it if it stays`,
        };
    }
  }

  /** Waits so long for what is under way, then cancels it; whatever waits is canceled at once. */
  async close(waitMs = 0): Promise<void> {
    this.#isClosed = true;
    for (const turn of [...this.#waiting]) turn(CLOSED);
    if (waitMs > 0) await withTimeout(Promise.all(this.#underWay), waitMs, () => {}, foregroundTimers);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }
}

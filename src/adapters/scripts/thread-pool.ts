// Hands orders to free threads in the order they came; starts threads when they are needed and replaces lost ones.

import type { Stopped } from '../../library/script-runner.ts';
import type { Order, Outcome, ThreadDuty } from './messages.ts';
import { type Ended, ScriptThread } from './script-thread.ts';

export interface ThreadPoolOptions {
  /** Threads at most; each is started when it is first needed, and that of a command at once. */
  readonly size: number;
  readonly duty: ThreadDuty;
  /** What one thread may hold, heap and buffers together. */
  readonly memoryMb: number;
  /** For an order that does not say; counts from the moment it gets a thread. */
  readonly timeoutMs: number;
  /** Orders that wait for a thread, and how long they do. */
  readonly maxQueued: number;
  readonly maxWaitMs: number;
  /** The file that runs in the threads. */
  readonly thread: URL;
}

export interface OrderLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * A thread that still holds this part of its memory after an order is replaced: most of it is garbage, but the next
 * order would be measured by it.
 */
const HELD_SHARE = 0.5;
const MEBIBYTE = 1024 * 1024;

const CANCELED: Stopped = { kind: 'canceled', reason: 'canceled before it was done; nothing of it was kept' };
const CLOSED: Stopped = { kind: 'canceled', reason: 'canceled, because Signalbox stops; run it again after the start' };

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  /** Every thread there is, those included that are just ending: together they never are more than `size`. */
  readonly #threads = new Set<ScriptThread>();
  /** The last one used is used next: it knows the script best. */
  readonly #idle: ScriptThread[] = [];
  /** Those who wait, each told when a place may be free or that there will be none. */
  readonly #queue = new Set<(none?: Stopped) => void>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    // It starts while the command still reads its files.
    if (options.duty === 'command') this.#idle.push(this.#startThread());
  }

  async ask(order: Order, limits: OrderLimits): Promise<Outcome | Stopped> {
    if (this.#isClosed) return CLOSED;
    if (limits.signal?.aborted) return CANCELED;
    const thread = this.#freeThread() ?? (await this.#wait(limits.signal));
    if (!(thread instanceof ScriptThread)) return thread;
    const timeoutMs = Math.min(limits.timeoutMs ?? this.#options.timeoutMs, MAX_TIMER_MS);
    const asked = thread.ask(order, timeoutMs, limits.signal);
    this.#underWay.add(asked);
    const ended = await asked;
    this.#underWay.delete(asked);
    this.#release(thread, ended);
    return this.#told(ended, timeoutMs);
  }

  #freeThread(): ScriptThread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop())
      if (thread.isAlive) return thread;
    return this.#threads.size < this.#options.size ? this.#startThread() : undefined;
  }

  #startThread(): ScriptThread {
    const { thread: file, memoryMb, duty } = this.#options;
    const started = new ScriptThread({ file, memoryMb, duty, onEnd: (gone) => this.#replace(gone) });
    this.#threads.add(started);
    return started;
  }

  /** At once, so that the next order need not wait for the start; but one that never came up would fail for ever. */
  #replace(gone: ScriptThread): void {
    this.#threads.delete(gone);
    if (!this.#isClosed && gone.hasStarted && this.#options.duty === 'service') this.#idle.push(this.#startThread());
    this.#callNext();
  }

  #wait(signal: AbortSignal | undefined): Promise<ScriptThread | Stopped> | Stopped {
    const { maxQueued, maxWaitMs } = this.#options;
    if (this.#queue.size >= maxQueued)
      return { kind: 'busy', reason: `${maxQueued} scripts wait already; try again in a moment` };
    return new Promise((resolve) => {
      const called = (none?: Stopped): void => {
        const settled = none ?? this.#freeThread();
        if (settled === undefined) return;
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.#queue.delete(called);
        resolve(settled);
      };
      const cancel = (): void => called(CANCELED);
      const reason = `waited ${maxWaitMs / 1000} s for other scripts; try again in a moment`;
      const timer = setTimeout(() => called({ kind: 'busy', reason }), maxWaitMs);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#queue.add(called);
    });
  }

  #callNext(): void {
    const [next] = this.#queue;
    next?.();
  }

  #release(thread: ScriptThread, ended: Ended): void {
    const isHeavy = ended.kind === 'report' && ended.report.heldBytes > this.#options.memoryMb * MEBIBYTE * HELD_SHARE;
    // A lost or ended thread calls the next one when it is gone.
    if (isHeavy) void thread.end();
    if (isHeavy || !thread.isAlive) return;
    this.#idle.push(thread);
    this.#callNext();
  }

  #told(ended: Ended, timeoutMs: number): Outcome | Stopped {
    switch (ended.kind) {
      case 'report':
        return ended.report.outcome;
      case 'canceled':
        return this.#isClosed ? CLOSED : CANCELED;
      case 'timeout':
        return {
          kind: 'timeout',
          reason: `stopped after ${timeoutMs / 1000} s; shorten its loops, use fewer bars or raise the time limit`,
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
    for (const called of [...this.#queue]) called(CLOSED);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, Math.min(waitMs, MAX_TIMER_MS));
    });
    if (waitMs > 0) await Promise.race([Promise.all(this.#underWay), patience]);
    clearTimeout(timer);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }
}

// Searches and batches that run beside the requests that asked for them: each belongs to one owner, who looks at it, cancels it, or comes
// back for its result.
//
//   start → running ─→ done       everything was tried
//                   ├→ canceled   its owner said so
//                   └→ stopped    at its time limit, because no further backtest is allowed, because Signalbox stops, or
//                                 through a fault of ours
//
// Nothing of it is on disk: a restart forgets them all, but for what shared-searches.ts has put where other processes look.

import { errorText } from '../../errors/error-text.ts';
import type { Timers } from '../../timing/timers.ts';
import type { SearchDeps, SearchProgress } from './search.ts';
import type { AnswerTrial } from './search-answer.ts';

export type SearchState = 'running' | 'done' | 'canceled' | 'stopped';

export interface SearchJob {
  readonly id: string;
  readonly state: SearchState;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly progress: SearchProgress;
  /** The best so far, while it runs. */
  readonly best: AnswerTrial | null;
  /** The whole answer as JSON, once it has ended. */
  readonly result: Uint8Array | null;
  /** Why one that has ended has no result. */
  readonly failure: string | null;
}

/** What a job does: a search, or a batch. */
export interface LongWork {
  readonly progress: SearchProgress;
  /** Why it ended before everything was tried. */
  stopped: string | undefined;
  /** Once. Never throws for what a script does. */
  run(deps: SearchDeps): Promise<void>;
  /** Null where nothing is better than anything else. */
  best(): AnswerTrial | null;
  /** What it came to, as plain JSON. */
  answer(): object;
}

export interface SearchJobsOptions {
  /** For the words of a refusal. */
  readonly noun: { readonly one: string; readonly many: string; readonly path: string };
  readonly newId: () => string;
  readonly nowMs: () => number;
  readonly timers: Timers;
  /** Told of a search that failed through a fault of ours. */
  readonly onFault: (error: unknown) => void;
}

/** Each holds bars of all its markets; the threads are shared out by turns, so more would only be slower. */
export const MAX_RUNNING = 4;
/** Threads are worth more to others than a search that has not found anything by then. */
export const MAX_SEARCH_MS = 30 * 60_000;
/** As long as somebody comes back for a result. */
export const KEPT_MS = 60 * 60_000;
/** Of all results that wait for their owners; the oldest goes first. */
const MAX_RESULT_BYTES = 64 * 1024 * 1024;
const MAX_ENDED = 256;
/** Going through thousands of trials takes milliseconds: nobody sees the difference of a second. */
const BEST_EVERY_MS = 1_000;

export const CANCELED = 'canceled by its owner';

type Run = Pick<SearchDeps, 'runner' | 'threads' | 'monotonicMs' | 'caller' | 'wait' | 'mayBegin'>;

class Job implements SearchJob {
  readonly id: string;
  readonly owner: string;
  readonly startedAtMs: number;
  readonly abort = new AbortController();
  state: SearchState = 'running';
  endedAtMs: number | null = null;
  result: Uint8Array | null = null;
  failure: string | null = null;
  progress: SearchProgress;
  best: AnswerTrial | null = null;
  /** Let go at the end: it holds bars and figures. */
  work: LongWork | undefined;
  bestAtMs: number;

  constructor(id: string, owner: string, work: LongWork, nowMs: number) {
    this.id = id;
    this.owner = owner;
    this.work = work;
    this.progress = work.progress;
    this.startedAtMs = nowMs;
    this.bestAtMs = nowMs;
  }
}

export class SearchJobs {
  readonly #options: SearchJobsOptions;
  /** Oldest first. */
  readonly #jobs = new Map<string, Job>();

  constructor(options: SearchJobsOptions) {
    this.#options = options;
  }

  /** Why this owner cannot start one now. */
  refusal(owner: string): string | undefined {
    const { one, many, path } = this.#options.noun;
    const running = [...this.#jobs.values()].filter(({ state }) => state === 'running');
    const own = running.find((job) => job.owner === owner);
    if (own !== undefined)
      return `a ${one} of this key runs already (${own.id}); wait for its end or cancel it with DELETE ${path}/${own.id}`;
    return running.length >= MAX_RUNNING ? `${MAX_RUNNING} ${many} run already; try again in a few minutes` : undefined;
  }

  /** Whoever was not refused. `depsOf` is handed the signal that ends it. */
  start(owner: string, work: LongWork, depsOf: (signal: AbortSignal) => Run): SearchJob {
    const { newId, nowMs, timers } = this.#options;
    const job = new Job(newId(), owner, work, nowMs());
    this.#jobs.set(job.id, job);
    const limit = `stopped at its time limit of ${MAX_SEARCH_MS / 60_000} minutes; try fewer backtests or bars`;
    const cancelTimer = timers.after(MAX_SEARCH_MS, () => job.abort.abort(limit));
    void this.#run(job, work, depsOf(job.abort.signal)).finally(cancelTimer);
    return job;
  }

  async #run(job: Job, work: LongWork, run: Run): Promise<void> {
    try {
      await work.run({
        ...run,
        signal: job.abort.signal,
        onProgress: () => {
          job.progress = work.progress;
        },
      });
    } catch (error) {
      this.#options.onFault(error);
      work.stopped = `it failed: ${errorText(error)}; try again, and report it if it stays`;
    }
    const isCanceled = job.abort.signal.reason === CANCELED;
    job.state = isCanceled ? 'canceled' : work.stopped === undefined ? 'done' : 'stopped';
    job.progress = work.progress;
    try {
      job.result = new TextEncoder().encode(JSON.stringify(work.answer()));
    } catch (error) {
      this.#options.onFault(error);
      job.state = 'stopped';
      job.failure = `its result cannot be written: ${errorText(error)}; ask for fewer backtests, and report it if it stays`;
    }
    job.endedAtMs = this.#options.nowMs();
    job.best = null;
    job.work = undefined;
    this.#forget();
  }

  /** Undefined for whoever does not own it. */
  find(owner: string, id: string): SearchJob | undefined {
    this.#forget();
    const job = this.#jobs.get(id);
    if (job === undefined || job.owner !== owner) return undefined;
    this.#lookForBest(job);
    return job;
  }

  #lookForBest(job: Job): void {
    const nowMs = this.#options.nowMs();
    if (job.work === undefined || (nowMs - job.bestAtMs < BEST_EVERY_MS && job.best !== null)) return;
    job.bestAtMs = nowMs;
    job.best = job.work.best();
  }

  /** Ends one that runs; forgets one that has ended. */
  remove(owner: string, id: string): SearchJob | undefined {
    const job = this.#jobs.get(id);
    if (job === undefined || job.owner !== owner) return undefined;
    if (job.state === 'running') job.abort.abort(CANCELED);
    else this.#jobs.delete(id);
    return job;
  }

  /** What nobody came back for. */
  #forget(): void {
    const ended = [...this.#jobs.values()].filter(({ state }) => state !== 'running');
    let bytes = ended.reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
    let count = ended.length;
    const oldestMs = this.#options.nowMs() - KEPT_MS;
    for (const { id, endedAtMs, result } of ended) {
      const isOld = (endedAtMs ?? 0) < oldestMs;
      // The newest is always kept, however large: its owner has just waited for it.
      if (!isOld && (count <= 1 || (bytes <= MAX_RESULT_BYTES && count <= MAX_ENDED))) continue;
      this.#jobs.delete(id);
      bytes -= result?.length ?? 0;
      count -= 1;
    }
  }
}

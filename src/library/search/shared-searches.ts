// Searches that can be looked at and ended from every process with the same store, not only from the one that runs them.
//
//   the process that runs it ──each second──→ the store ←── any other: looks, asks for its end, forgets its result
//                            ←── was its end asked for? ──┘
//
// The process itself answers from its memory, so that a store that is away takes nothing from whoever asks there.

import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { KEPT_MS, type SearchJob, type SearchJobs } from './search-jobs.ts';

/** The port. Every call rejects while the store cannot be reached. */
export interface SearchStore {
  /** Keeps what there is to see of a search for so long. Resolves to whether its end was asked for elsewhere. */
  put(owner: string, job: SearchJob, lifeMs: number): Promise<boolean>;
  /** Undefined for whoever does not own it, and where nothing is kept any more. */
  find(owner: string, id: string): Promise<SearchJob | undefined>;
  /** Asks the process that runs it to end it. */
  askForEnd(owner: string, id: string): Promise<void>;
  /** Removes it, and remembers for so long that it was. */
  forget(owner: string, id: string, lifeMs: number): Promise<void>;
  isForgotten(owner: string, id: string): Promise<boolean>;
}

export interface SharedSearchesParts {
  readonly jobs: Pick<SearchJobs, 'find' | 'remove'>;
  readonly store: SearchStore;
  readonly timers: Timers;
}

/** So late is what others see, and so late does an end that they ask for come. */
const PUT_EVERY_MS = 1_000;
/** A result may have megabytes, and a store that is full stays so for a while. */
const PUT_RESULT_AGAIN_MS = 10_000;
/** A search is not known any more so long after its process died. */
const RUNNING_LIFE_MS = 15_000;

export class SharedSearches {
  readonly #parts: SharedSearchesParts;

  constructor(parts: SharedSearchesParts) {
    this.#parts = parts;
  }

  /** Resolves when others can see it, or when the store cannot be reached: the search runs all the same. */
  async begin(owner: string, id: string): Promise<void> {
    const againMs = await this.#put(owner, id);
    void this.#follow(owner, id, againMs);
  }

  /** Until its end is in the store, or nobody needs it there any more. */
  async #follow(owner: string, id: string, firstMs: number | undefined): Promise<void> {
    for (let againMs = firstMs; againMs !== undefined; againMs = await this.#put(owner, id))
      await wait(againMs, { timers: this.#parts.timers });
  }

  /** Resolves to when it has to be put there again; undefined: never. */
  async #put(owner: string, id: string): Promise<number | undefined> {
    const { jobs, store } = this.#parts;
    const job = jobs.find(owner, id);
    if (job === undefined) return undefined;
    const isRunning = job.state === 'running';
    try {
      const isEndAskedFor = await store.put(owner, job, isRunning ? RUNNING_LIFE_MS : KEPT_MS);
      if (isRunning && isEndAskedFor && job.state === 'running') jobs.remove(owner, id);
      return isRunning ? PUT_EVERY_MS : undefined;
    } catch {
      // Whoever opened the connection is told of a store that is away.
      return isRunning ? PUT_EVERY_MS : PUT_RESULT_AGAIN_MS;
    }
  }

  async find(owner: string, id: string): Promise<SearchJob | undefined> {
    const { jobs, store } = this.#parts;
    const own = jobs.find(owner, id);
    if (own === undefined) return store.find(owner, id);
    if (own.state === 'running' || !(await store.isForgotten(owner, id).catch(() => false))) return own;
    jobs.remove(owner, id);
    return undefined;
  }

  /** Ends one that runs; forgets one that has ended. */
  async remove(owner: string, id: string): Promise<Pick<SearchJob, 'id' | 'state'> | undefined> {
    const { jobs, store } = this.#parts;
    const own = jobs.find(owner, id);
    const job = own ?? (await store.find(owner, id));
    if (job === undefined) return undefined;
    const { state } = job;
    if (state !== 'running') {
      // Where the store is away, it forgets by itself in its time.
      const isForgotten = store.forget(owner, id, KEPT_MS);
      await (own === undefined ? isForgotten : isForgotten.catch(() => undefined));
    } else if (own === undefined) await store.askForEnd(owner, id);
    if (own !== undefined) jobs.remove(owner, id);
    return { id, state };
  }
}

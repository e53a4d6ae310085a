// A parameter search under way: every combination of values is run by workers beside the page, and what is known so far can be
// looked at any time.
//
// | state   | how it gets there                          |
// |---------|--------------------------------------------|
// | running | it begins at once                          |
// | done    | every combination was run                  |
// | stopped | cancel(), or no worker can run the script  |
//
// A job takes a tenth of a second or so: short enough that the page shows something new all the time. One that does not come to an
// end is run again one combination at a time, so that the one at fault is known and the others are not lost.

import { type Candidate, candidateInputs, candidatesOf, type InputSpace } from '../../src/pine/light.ts';
import type { RunInputs, RunOutcome, SearchGround } from './search-messages.ts';
import { SearchThread, type SearchThreadOptions } from './search-thread.ts';

export interface SearchProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** How long what is left will take; undefined until something is known. */
  readonly remainingMs: number | undefined;
}

export interface SearchOptions extends SearchThreadOptions {
  /** Told a few times a second at most, and at the end. */
  readonly onChange: () => void;
  readonly threads?: number;
  readonly nowMs?: () => number;
}

const JOB_MS = 100;
const MOST_IN_A_JOB = 64;
const TELL_EVERY_MS = 200;
/** More workers than this are more copies of the engine than a page should hold. */
const MOST_THREADS = 8;

/** One core is left to the page. */
const usualThreads = (): number => Math.max(1, Math.min(MOST_THREADS, navigator.hardwareConcurrency - 1));

export class ParameterSearch {
  readonly ground: SearchGround;
  readonly space: InputSpace;
  readonly candidates: readonly Candidate[];
  status: 'running' | 'done' | 'stopped' = 'running';
  /** Why it could not be run at all. */
  fault: string | undefined;
  /** By their places among the candidates; undefined until they were run. */
  readonly outcomes: (RunOutcome | undefined)[];
  readonly #options: SearchOptions;
  readonly #nowMs: () => number;
  readonly #threadCount: number;
  readonly #threads = new Set<SearchThread>();
  readonly #startedMs: number;
  #endedMs: number | undefined;
  #next = 0;
  /** Combinations of jobs that did not come to an end. */
  readonly #alone: number[] = [];
  #jobSize = 1;
  #done = 0;
  #failed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ground: SearchGround, space: InputSpace, options: SearchOptions) {
    this.ground = ground;
    this.space = space;
    this.candidates = candidatesOf(space.axes, { kind: 'grid' });
    this.outcomes = new Array(this.candidates.length).fill(undefined);
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#threadCount = options.threads ?? usualThreads();
    this.#startedMs = this.#nowMs();
    void this.#runAll();
  }

  get progress(): SearchProgress {
    const [done, total] = [this.#done, this.candidates.length];
    const remainingMs = done === 0 ? undefined : (this.elapsedMs / done) * (total - done);
    return { done, total, failed: this.#failed, remainingMs };
  }

  get elapsedMs(): number {
    return (this.#endedMs ?? this.#nowMs()) - this.#startedMs;
  }

  /** Everything that a run of this candidate is given. */
  inputs(candidate: number): RunInputs {
    return { ...this.space.fixed, ...candidateInputs(this.space.axes, this.candidates[candidate]!) };
  }

  /** What was found until now stands. */
  cancel(): void {
    if (this.status === 'running') this.#end('stopped');
  }

  async #runAll(): Promise<void> {
    const workers = Math.min(this.#threadCount, this.candidates.length);
    await Promise.all(Array.from({ length: workers }, () => this.#work()));
    if (this.status === 'running') this.#end('done');
  }

  /** What one worker is kept busy with, until nothing is left. */
  async #work(): Promise<void> {
    let thread: SearchThread | undefined;
    for (let places = this.#take(); places.length > 0 && this.status === 'running'; places = this.#take()) {
      thread ??= await this.#opened();
      if (thread === undefined) return;
      const startedMs = this.#nowMs();
      const answer = await thread.ask({ kind: 'try', runs: places.map((place) => this.inputs(place)) });
      if (this.status !== 'running') return;
      if (answer.kind === 'tried') {
        for (const [index, place] of places.entries()) this.#keep(place, answer.outcomes[index]!);
        this.#learn((this.#nowMs() - startedMs) / places.length);
        continue;
      }
      this.#close(thread);
      thread = undefined;
      if (places.length > 1) this.#alone.push(...places);
      else this.#keep(places[0]!, { fault: answer.kind === 'fault' ? answer.message : 'It was not run.' });
    }
    if (thread !== undefined) this.#close(thread);
  }

  /** With the script and the bars; undefined where that cannot be. */
  async #opened(): Promise<SearchThread | undefined> {
    const thread = new SearchThread(this.#options);
    this.#threads.add(thread);
    const answer = await thread.ask({ kind: 'prepare', ...this.ground });
    if (answer.kind === 'prepared') return thread;
    if (this.status === 'running') {
      this.fault = answer.kind === 'fault' ? answer.message : undefined;
      this.#end('stopped');
    }
    return undefined;
  }

  /** Towards the end the jobs become small, so that all workers end at about the same time. */
  #take(): readonly number[] {
    const alone = this.#alone.pop();
    if (alone !== undefined) return [alone];
    const left = this.candidates.length - this.#next;
    const size = Math.min(this.#jobSize, Math.ceil(left / this.#threadCount));
    const from = this.#next;
    this.#next += size;
    return Array.from({ length: size }, (_, index) => from + index);
  }

  #keep(place: number, outcome: RunOutcome): void {
    this.outcomes[place] = outcome;
    this.#done += 1;
    if ('fault' in outcome) this.#failed += 1;
    this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY_MS);
  }

  #learn(msEach: number): void {
    const fitting = Math.floor(JOB_MS / Math.max(msEach, 0.001));
    this.#jobSize = Math.max(1, Math.min(MOST_IN_A_JOB, fitting, this.#jobSize * 4));
  }

  #close(thread: SearchThread): void {
    thread.end();
    this.#threads.delete(thread);
  }

  #end(status: 'done' | 'stopped'): void {
    this.status = status;
    this.#endedMs = this.#nowMs();
    for (const thread of this.#threads) this.#close(thread);
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.onChange();
  }
}

// Runs a long list of backtests on all threads, a few per job, and says of each what came of it, in the order of the list.
//
// A job takes a quarter of a second or so: long enough that handing it over costs nothing, short enough that whoever waits
// for a thread soon has one. A job that ends badly is run again one backtest at a time, so that the one at fault is known.

import type { Backtest, Backtested, BacktestOutcome, BacktestRunner, BacktestsRequest } from '../backtest-runner.ts';
import { runFaultOf } from '../run-fault.ts';
import type { Refused, Stopped } from '../script-runner.ts';

export interface BacktestList {
  readonly count: number;
  at(index: number): Backtest;
}

export interface BacktestsDeps {
  readonly runner: Pick<BacktestRunner, 'backtests'>;
  /** How many jobs at the same time. */
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly monotonicMs: () => number;
  /** Ends early when the signal is aborted. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Asked before so many backtests begin: the reason why they may not, or nothing. */
  readonly mayBegin?: (count: number) => Promise<string | undefined>;
  readonly onOutcome: (index: number, outcome: BacktestOutcome) => void;
}

const JOB_MS = 250;
const MAX_JOB_SIZE = 64;
/** The queue of threads is full: others are at work. */
const BUSY_PAUSE_MS = 500;

type Request = Omit<BacktestsRequest, 'backtests' | 'signal'>;

/** Resolves when every outcome is told, or with the reason why some are not. */
export async function runBacktests(
  list: BacktestList,
  request: Request,
  deps: BacktestsDeps,
): Promise<string | undefined> {
  const work = new BacktestWork(list, request, deps);
  await Promise.all(Array.from({ length: deps.threads }, () => work.go()));
  return work.stopped;
}

class BacktestWork {
  readonly #list: BacktestList;
  readonly #request: Request;
  readonly #deps: BacktestsDeps;
  #next = 0;
  #jobSize = 1;
  /** Why no further job begins. */
  stopped: string | undefined;

  constructor(list: BacktestList, request: Request, deps: BacktestsDeps) {
    this.#list = list;
    this.#request = request;
    this.#deps = deps;
  }

  /** What one thread is kept at work with, until nothing is left. */
  async go(): Promise<void> {
    for (;;) {
      const left = this.#list.count - this.#next;
      // Towards the end the jobs become small, so that all threads end at about the same time.
      const size = Math.min(this.#jobSize, Math.ceil(left / this.#deps.threads));
      if (left === 0 || this.#hasStopped()) return;
      const from = this.#next;
      this.#next += size;
      const refused = await this.#deps.mayBegin?.(size);
      this.stopped ??= refused;
      if (this.#hasStopped()) return;
      await this.#runJob(Array.from({ length: size }, (_, index) => from + index));
    }
  }

  #hasStopped(): boolean {
    if (this.#deps.signal.aborted) this.stopped ??= String(this.#deps.signal.reason);
    return this.stopped !== undefined;
  }

  async #runJob(places: readonly number[]): Promise<void> {
    const { monotonicMs, onOutcome } = this.#deps;
    const startedMs = monotonicMs();
    const done = await this.#ask(places);
    if (this.#hasStopped()) return;
    if (done.kind === 'backtested') {
      for (const [index, place] of places.entries()) onOutcome(place, done.outcomes[index]!);
      this.#learn((monotonicMs() - startedMs) / places.length);
    } else if (places.length > 1) {
      for (const place of places) if (!this.#hasStopped()) await this.#runJob([place]);
    } else {
      const fault = runFaultOf(done);
      onOutcome(places[0]!, { fault: fault.message });
    }
  }

  async #ask(places: readonly number[]): Promise<Backtested | Refused | Stopped> {
    const { runner, signal, wait } = this.#deps;
    const backtests = places.map((place) => this.#list.at(place));
    for (;;) {
      const done = await runner.backtests({ ...this.#request, backtests, signal });
      if (done.kind === 'canceled') this.stopped ??= signal.aborted ? String(signal.reason) : done.reason;
      if (done.kind !== 'busy' || this.#hasStopped()) return done;
      await wait(BUSY_PAUSE_MS);
    }
  }

  #learn(msEach: number): void {
    const fitting = Math.floor(JOB_MS / Math.max(msEach, 0.001));
    this.#jobSize = Math.max(1, Math.min(MAX_JOB_SIZE, fitting, this.#jobSize * 4));
  }
}

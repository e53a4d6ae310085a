// A search under way: its backtests run on all threads, and at any moment it can tell what is known so far.
//
//   in-sample (of every window, or of the whole range) → out-of-sample of each window's best → done
//
// It may stop after any job: on request, at its time limit, or when the calls of its key are used up. What was run until
// then stands. Results are kept by their place among the candidates, so that they are the same with any number of threads.

import {
  byRank,
  type Candidate,
  type CombinedReport,
  candidateInputs,
  candidatesOf,
  combineReports,
  type FigureList,
  isUsable,
  meets,
  objectiveValue,
  type StrategyReport,
  type Trial,
} from '../../pine/light.ts';
import type { Backtest, BacktestOutcome } from '../backtest-runner.ts';
import type { Caller } from '../caller.ts';
import { type BacktestsDeps, runBacktests } from './run-backtests.ts';
import { planWindows, type SearchPlan } from './search-plan.ts';
import type { Window } from './walk-forward.ts';

export interface SearchDeps extends Omit<BacktestsDeps, 'onOutcome'> {
  readonly caller?: Caller;
  readonly onProgress?: () => void;
}

export interface SearchProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

export interface FailedBacktest {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly market: string;
  readonly reason: string;
}

/** One window of a walk-forward. */
export interface WindowOutcome {
  readonly window: Window;
  /** Null where nothing met the constraints, or not all of it was tried. */
  readonly best: Trial | null;
  /** By market; null until it was run, and where the script failed. */
  readonly outOfSample: readonly (FigureList | null)[];
}

/** A few are enough to see what they have in common. */
const MAX_FAILED_SHOWN = 20;

export class Search {
  readonly plan: SearchPlan;
  readonly candidates: readonly Candidate[];
  readonly failed: FailedBacktest[] = [];
  /** Why it ended before everything was tried. */
  stopped: string | undefined;
  /** Of each market, what the out-of-sample backtests of a walk-forward come to together. */
  combined: readonly (CombinedReport | null)[] = [];
  readonly #windows: readonly Window[] | undefined;
  readonly #inSample: (BacktestOutcome | undefined)[];
  readonly #outOfSample: (BacktestOutcome | undefined)[];
  #done = 0;
  #failedCount = 0;
  /** Out-of-sample backtests of windows in which nothing was worth trying. */
  #skipped = 0;

  constructor(plan: SearchPlan) {
    this.plan = plan;
    this.candidates = candidatesOf(plan.axes, plan.method);
    this.#windows = planWindows(plan);
    const markets = plan.markets.length;
    this.#inSample = new Array(this.candidates.length * markets * (this.#windows?.length ?? 1)).fill(undefined);
    this.#outOfSample = new Array((this.#windows?.length ?? 0) * markets).fill(undefined);
  }

  get progress(): SearchProgress {
    const total = this.#inSample.length + this.#outOfSample.length - this.#skipped;
    return { done: this.#done, total, failed: this.#failedCount };
  }

  /** Once. Never throws for what a script does. */
  async run(deps: SearchDeps): Promise<void> {
    const { caller, ...rest } = deps;
    const { source, libraries, markets, initialCapital, runTimeoutMs } = this.plan;
    const request = {
      source,
      markets: markets.map(({ name: _, priceSource: _source, ...market }) => market),
      timeoutMs: runTimeoutMs,
      ...(libraries === undefined ? {} : { libraries }),
      ...(initialCapital === undefined ? {} : { initialCapital }),
      ...(caller === undefined ? {} : { caller }),
    };
    const into = (list: (BacktestOutcome | undefined)[], at: (index: number) => Backtest) => ({
      ...rest,
      onOutcome: (index: number, outcome: BacktestOutcome) => {
        list[index] = outcome;
        this.#count(outcome, at(index));
        deps.onProgress?.();
      },
    });
    const inSample = { count: this.#inSample.length, at: (index: number) => this.#inSampleAt(index) };
    this.stopped = await runBacktests(inSample, request, into(this.#inSample, inSample.at));
    if (this.stopped !== undefined || this.#windows === undefined) return;
    const chosen = this.#windows.map((_, window) => this.#bestOf(window));
    const at = (index: number): Backtest => this.#outOfSampleAt(index, chosen);
    const places = this.#outOfSample.flatMap((_, index) => (chosen[this.#windowOf(index)] === null ? [] : [index]));
    this.#skipped = this.#outOfSample.length - places.length;
    const outOfSample = { count: places.length, at: (index: number) => at(places[index]!) };
    const told = into(this.#outOfSample, at);
    this.stopped = await runBacktests(
      outOfSample,
      { ...request, wantsReports: true },
      { ...told, onOutcome: (index, outcome) => told.onOutcome(places[index]!, outcome) },
    );
    this.#combine();
  }

  #count(outcome: BacktestOutcome, { inputs, market }: Backtest): void {
    this.#done += 1;
    if (!('fault' in outcome)) return;
    this.#failedCount += 1;
    const name = this.plan.markets[market]!.name;
    if (this.failed.length < MAX_FAILED_SHOWN) this.failed.push({ inputs, market: name, reason: outcome.fault });
  }

  #inSampleAt(index: number): Backtest {
    const { markets, tradeFromMs, tradeToMs } = this.plan;
    const candidate = Math.floor(index / markets.length) % this.candidates.length;
    const window = this.#windows?.[Math.floor(index / (markets.length * this.candidates.length))];
    const run = { market: index % markets.length, inputs: this.inputs(candidate) };
    if (window === undefined) return { ...run, tradeFromMs, tradeToMs };
    const { fromMs, toMs } = window.inSample;
    return { ...run, tradeFromMs: fromMs, barsToMs: toMs };
  }

  #windowOf(outOfSampleIndex: number): number {
    return Math.floor(outOfSampleIndex / this.plan.markets.length);
  }

  #outOfSampleAt(index: number, chosen: readonly (Trial | null)[]): Backtest {
    const window = this.#windowOf(index);
    const { fromMs, toMs } = this.#windows![window]!.outOfSample;
    const inputs = this.inputs(chosen[window]!.candidate);
    return { market: index % this.plan.markets.length, inputs, tradeFromMs: fromMs, barsToMs: toMs };
  }

  /** Everything a run of this candidate is given. */
  inputs(candidate: number): Record<string, unknown> {
    return { ...this.plan.fixed, ...this.searched(candidate) };
  }

  /** What is searched for alone. */
  searched(candidate: number): Record<string, unknown> {
    return candidateInputs(this.plan.axes, this.candidates[candidate]!);
  }

  get #newest(): number {
    return (this.#windows?.length ?? 1) - 1;
  }

  /** Of the whole range, or of the newest window: candidates of which every market ran, the best first. */
  ranking(): Trial[] {
    return this.#trialsOf(this.#newest).sort(byRank(this.plan.objective));
  }

  /** The first of the ranking. */
  best(window = this.#newest): Trial | undefined {
    const isBefore = byRank(this.plan.objective);
    let best: Trial | undefined;
    for (const trial of this.#trialsOf(window)) if (best === undefined || isBefore(trial, best) < 0) best = trial;
    return best;
  }

  #trialsOf(window: number): Trial[] {
    const { markets, objective, constraints } = this.plan;
    const found: Trial[] = [];
    for (let candidate = 0; candidate < this.candidates.length; candidate += 1) {
      const from = (window * this.candidates.length + candidate) * markets.length;
      const outcomes = this.#inSample.slice(from, from + markets.length);
      const figures = outcomes.flatMap((outcome) => (outcome && 'figures' in outcome ? [outcome.figures] : []));
      if (figures.length < markets.length) continue;
      const value = objectiveValue(objective, figures);
      found.push({ candidate, markets: figures, value, meets: meets(constraints, figures) });
    }
    return found;
  }

  #bestOf(window: number): Trial | null {
    const best = this.best(window);
    return best !== undefined && isUsable(best) ? best : null;
  }

  /** Undefined of a search without walk-forward. */
  windows(): readonly WindowOutcome[] | undefined {
    const { length } = this.plan.markets;
    return this.#windows?.map((window, index) => ({
      window,
      best: this.#isWhole(index) ? this.#bestOf(index) : null,
      outOfSample: this.#outOfSample.slice(index * length, (index + 1) * length).map(figuresIn),
    }));
  }

  #isWhole(window: number): boolean {
    const size = this.candidates.length * this.plan.markets.length;
    return this.#inSample.slice(window * size, (window + 1) * size).every((outcome) => outcome !== undefined);
  }

  /** Once the reports are one, they are let go: together they may take more memory than everything else. */
  #combine(): void {
    const { length } = this.plan.markets;
    this.combined = this.plan.markets.map((_, market) => {
      const reports = this.#outOfSample.flatMap((outcome, index): StrategyReport[] =>
        index % length === market && outcome && 'report' in outcome && outcome.report ? [outcome.report] : [],
      );
      return reports.length === 0 ? null : combineReports(reports);
    });
    for (const [index, outcome] of this.#outOfSample.entries())
      if (outcome && 'figures' in outcome) this.#outOfSample[index] = { figures: outcome.figures };
  }
}

const figuresIn = (outcome: BacktestOutcome | undefined): FigureList | null =>
  outcome && 'figures' in outcome ? outcome.figures : null;

// A batch of backtests: every one of some scripts over every one of some markets, each answered by itself, on all threads.

import type { LibrarySource } from '../../pine/index.ts';
import type { BacktestOutcome } from '../backtest-runner.ts';
import { runBacktests } from './run-backtests.ts';
import type { SearchDeps, SearchProgress } from './search.ts';
import { type AnswerFigures, figuresOf } from './search-answer.ts';
import type { DraftMarket } from './search-draft.ts';
import type { LongWork } from './search-jobs.ts';
import type { SearchMarket } from './search-plan.ts';

export interface BatchScript {
  /** For people: its own name, or its place in the list. */
  readonly name: string;
  readonly source: string;
  readonly libraries?: readonly LibrarySource[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface BatchPlan {
  readonly scripts: readonly BatchScript[];
  readonly markets: readonly SearchMarket[];
  /** When the strategies may trade. */
  readonly tradeFromMs?: number | undefined;
  readonly tradeToMs?: number | undefined;
  readonly initialCapital?: number | undefined;
  /** Of one backtest. */
  readonly runTimeoutMs: number;
}

/** Before the bars of its markets are there: some of them a request only names. */
export interface BatchDraft extends Omit<BatchPlan, 'markets'> {
  readonly markets: readonly DraftMarket[];
}

/** Beyond, whoever compares scripts has a program of his own that can ask twice. */
export const MAX_BATCH_SCRIPTS = 1_000;
/** Together they have no more bars than those of a search. */
export const MAX_BATCH_MARKETS = 100;
/** A row has all figures, a kilobyte or so: more would be too large a result to be shared between processes. */
export const MAX_BATCH_BACKTESTS = 10_000;

export interface BatchRow {
  readonly script: string;
  readonly market: string;
  /** Null where it was not run, or failed. */
  readonly figures: AnswerFigures | null;
  /** Why it failed: the script does not compile, is no strategy, took too long, or threw. */
  readonly fault: string | null;
}

export interface BatchAnswer {
  readonly markets: readonly { readonly market: string; readonly bars: number; readonly price_source?: string }[];
  readonly backtests: SearchProgress;
  /** Why it ended early; null of a batch that ran whole. */
  readonly stopped: string | null;
  /** All markets of the first script, then of the second, and so on. */
  readonly results: readonly BatchRow[];
}

export class Batch implements LongWork {
  readonly #plan: BatchPlan;
  readonly #outcomes: (BacktestOutcome | undefined)[];
  #next = 0;
  #done = 0;
  #failed = 0;
  stopped: string | undefined;

  constructor(plan: BatchPlan) {
    this.#plan = plan;
    this.#outcomes = new Array(plan.scripts.length * plan.markets.length).fill(undefined);
  }

  get progress(): SearchProgress {
    return { done: this.#done, total: this.#outcomes.length, failed: this.#failed };
  }

  async run(deps: SearchDeps): Promise<void> {
    const { markets } = this.#plan;
    // One list for all jobs: where they are spread over processes, its bars are sent once.
    const shared = markets.map(({ name: _, priceSource: _source, ...market }) => market);
    await Promise.all(
      Array.from({ length: deps.threads }, async () => {
        while (this.#next < this.#outcomes.length && this.stopped === undefined) {
          const place = this.#next;
          this.#next += 1;
          const reason = await this.#runOne(place, shared, deps);
          this.stopped ??= reason;
        }
      }),
    );
  }

  #runOne(
    place: number,
    markets: readonly Omit<SearchMarket, 'name'>[],
    deps: SearchDeps,
  ): Promise<string | undefined> {
    const { scripts, tradeFromMs, tradeToMs, initialCapital, runTimeoutMs } = this.#plan;
    const { source, libraries, inputs } = scripts[Math.floor(place / markets.length)]!;
    const { caller, ...rest } = deps;
    const request = {
      ...{ source, markets, timeoutMs: runTimeoutMs },
      ...(libraries === undefined ? {} : { libraries }),
      ...(initialCapital === undefined ? {} : { initialCapital }),
      ...(caller === undefined ? {} : { caller }),
    };
    const at = () => ({ market: place % markets.length, inputs, tradeFromMs, tradeToMs });
    const onOutcome = (_: number, outcome: BacktestOutcome): void => {
      this.#outcomes[place] = outcome;
      this.#done += 1;
      if ('fault' in outcome) this.#failed += 1;
      deps.onProgress?.();
    };
    return runBacktests({ count: 1, at }, request, { ...rest, threads: 1, onOutcome });
  }

  /** Rows are not compared: they may be of different scripts. */
  best(): null {
    return null;
  }

  answer(): BatchAnswer {
    const { scripts, markets } = this.#plan;
    return {
      markets: markets.map(({ name, bars, priceSource }) => ({
        ...{ market: name, bars: bars.count },
        ...(priceSource === undefined ? {} : { price_source: priceSource }),
      })),
      backtests: this.progress,
      stopped: this.stopped ?? null,
      results: this.#outcomes.map((outcome, place) => ({
        script: scripts[Math.floor(place / markets.length)]!.name,
        market: markets[place % markets.length]!.name,
        figures: outcome !== undefined && 'figures' in outcome ? figuresOf(outcome.figures) : null,
        fault: outcome !== undefined && 'fault' in outcome ? outcome.fault : null,
      })),
    };
  }
}

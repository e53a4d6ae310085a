// The runs that a user of the script worker keeps: a script of the library over bars of a market, run here, kept, compared,
// made again.

import { importsOf } from '../../pine/light.ts';
import type { LibraryImports, MarketBars, MarketInfo, ScriptSource } from '../deployments/ports.ts';
import { RequestedBars } from '../deployments/requested-bars.ts';
import type { CallerRunner } from '../request-runner.ts';
import type { Script } from '../script.ts';
import type { Refused, RunRequest, Stopped } from '../script-runner.ts';
import { compareRuns, type RunComparison } from './compare-runs.ts';
import { keepRun } from './keep-run.ts';
import { marketStretch, type NoBars } from './market-stretch.ts';
import type { AskedRun, RunStore, RunSummary, StoredRun } from './run-store.ts';

export interface WantedBacktest extends AskedRun {
  readonly scriptId: string;
  /** The current one when left out. */
  readonly revision?: number | undefined;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly note: string;
}

export interface MissingRun {
  readonly kind: 'missing';
  readonly what: 'run' | 'script';
}
export interface RunFailed {
  readonly kind: 'run-failed';
  readonly outcome: Refused | Stopped;
}
/** It declares itself to be something else. */
export interface NoStrategy {
  readonly kind: 'no-strategy';
}
export type Unmade = MissingRun | RunFailed | NoStrategy | NoBars;

export interface Runs {
  create(userId: string, wanted: WantedBacktest): Promise<{ kind: 'kept'; run: StoredRun } | { kind: 'full' } | Unmade>;
  list(userId: string): Promise<readonly RunSummary[]>;
  read(userId: string, id: string): Promise<StoredRun | undefined>;
  compare(userId: string, a: string, b: string): Promise<RunComparison | undefined>;
  /** Makes it again from the same revision and the same bars. */
  check(userId: string, id: string): Promise<{ kind: 'checked'; comparison: RunComparison; engine: string } | Unmade>;
  note(userId: string, id: string, note: string): Promise<StoredRun | undefined>;
  remove(userId: string, id: string): Promise<boolean>;
}

export interface RunsOptions {
  readonly store: RunStore;
  readonly scripts: ScriptSource;
  /** What its scripts may import. */
  readonly libraries?: LibraryImports | undefined;
  readonly runner: CallerRunner;
  readonly market: Pick<MarketBars, 'bars'>;
  readonly infoOf: MarketInfo;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** Version of Signalbox. */
  readonly engine: string;
  readonly timeoutMs: number;
}

const NO_SCRIPT: MissingRun = { kind: 'missing', what: 'script' };
const NO_RUN: MissingRun = { kind: 'missing', what: 'run' };

export const createRuns = (options: RunsOptions): Runs => new KeptRuns(options);

class KeptRuns implements Runs {
  readonly #options: RunsOptions;
  readonly #store: RunStore;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  async create(userId: string, wanted: WantedBacktest): ReturnType<Runs['create']> {
    const { scripts } = this.#options;
    const { scriptId, revision } = wanted;
    const script = await (revision === undefined
      ? scripts.read(userId, scriptId)
      : scripts.version(userId, scriptId, revision));
    if (script === undefined) return NO_SCRIPT;
    const { inputs, note, scriptId: _, revision: __, ...asked } = wanted;
    const made = await this.#make(userId, script, { inputs, note, asked });
    if (made.kind !== 'made') return made;
    const run = { id: this.#options.newId(), ...made.run };
    return (await this.#store.add(userId, run)) === 'full' ? { kind: 'full' } : { kind: 'kept', run };
  }

  list(userId: string): ReturnType<Runs['list']> {
    return this.#store.list(userId);
  }

  read(userId: string, id: string): ReturnType<Runs['read']> {
    return this.#store.read(userId, id);
  }

  async compare(userId: string, a: string, b: string): ReturnType<Runs['compare']> {
    const [one, other] = [await this.#store.read(userId, a), await this.#store.read(userId, b)];
    return one && other && compareRuns(one, other);
  }

  async check(userId: string, id: string): ReturnType<Runs['check']> {
    const run = await this.#store.read(userId, id);
    if (run === undefined) return NO_RUN;
    const { name, revision } = run.script;
    const script = await this.#options.scripts.version(userId, name, revision ?? 0);
    if (script === undefined) return NO_SCRIPT;
    const made = await this.#make(userId, script, run);
    if (made.kind !== 'made') return made;
    const comparison = compareRuns(run, { id, ...made.run });
    return { kind: 'checked', comparison, engine: this.#options.engine };
  }

  async note(userId: string, id: string, note: string): ReturnType<Runs['note']> {
    return (await this.#store.note(userId, id, note)) ? this.#store.read(userId, id) : undefined;
  }

  remove(userId: string, id: string): ReturnType<Runs['remove']> {
    return this.#store.remove(userId, id);
  }

  async #make(
    userId: string,
    script: Script,
    { inputs, asked, note }: Pick<StoredRun, 'inputs' | 'asked' | 'note'>,
  ): Promise<{ readonly kind: 'made'; readonly run: Omit<StoredRun, 'id'> } | Unmade> {
    const { market, nowMs, engine, libraries: published } = this.#options;
    const bars = await marketStretch(market, asked, nowMs());
    if ('kind' in bars) return bars;
    const { content: source } = script;
    const libraries = (await published?.sourcesOf(userId, importsOf(source))) ?? [];
    const { request, outcome } = await this.#run(userId, { source, libraries, inputs, bars }, asked);
    if (outcome.kind !== 'result') return { kind: 'run-failed', outcome };
    const { report, repaint } = outcome;
    if (report === null) return { kind: 'no-strategy' };
    const { id: name, revision } = script;
    const run = keepRun({ request, report, repaint, name, revision, engine, atMs: nowMs(), note });
    // Bars that close later are none of this run's.
    const toMs = run.market.toMs + asked.timeframeMs;
    return { kind: 'made', run: { ...run, asked: { ...asked, fromMs: run.market.fromMs, toMs } } };
  }

  /** Bars of other markets that it requests are read as a deployment's are. */
  async #run(userId: string, sources: Pick<RunRequest, 'source' | 'libraries' | 'inputs' | 'bars'>, asked: AskedRun) {
    const { market, infoOf, runner, timeoutMs } = this.#options;
    const { symbol, interval, timeframeMs, checksRepaint, tradeFromMs, tradeToMs, initialCapital } = asked;
    const lastClose = sources.bars.close[sources.bars.count - 1];
    const request: RunRequest = {
      ...{ ...sources, symbol: infoOf(symbol, undefined, lastClose), timeframe: interval, checksRepaint, timeoutMs },
      ...(tradeFromMs === undefined ? {} : { tradeFromMs }),
      ...(tradeToMs === undefined ? {} : { tradeToMs }),
      ...(initialCapital === undefined ? {} : { initialCapital }),
      wantsOnlyReport: true,
    };
    const { bars } = sources;
    const stretch = { fromMs: bars.time[0] as number, toMs: (bars.time[bars.count - 1] as number) + timeframeMs };
    let given: RunRequest = request;
    const outcome = await new RequestedBars(market).runWith('run', stretch, (symbolBars) => {
      given = { ...request, symbolBars };
      return runner.runFor({ class: 'keyed', id: userId }, given);
    });
    return { request: given, outcome };
  }
}

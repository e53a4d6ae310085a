// A script of a page: its worker, what it last said, and the end of its patience. A script that does not come to an end takes
// nothing but its own worker with it; one that has ended the page itself, by using up the memory, waits for somebody to change it.
//
// | state   | how it gets there                          | what leads on                                    |
// |---------|--------------------------------------------|--------------------------------------------------|
// | running | start()                                    | the worker's answer, or the time limit           |
// | ready   | the script ran over all bars               | push() changes its newest bar                    |
// | refused | the compiler found errors                  | start() with another source                      |
// | failed  | an error of the script, too much time, or  | start(), with a new worker                       |
// |         | held because it has ended the page         | start() that asks for something else             |

import type {
  BarColumns,
  InputSpec,
  LibrarySource,
  MissingBars,
  RunResult,
  StrategyAnswer,
  SymbolBars,
} from '../../src/pine/index.ts';
import { importsOf } from '../../src/pine/light.ts';
import { withTail } from './grown-result.ts';
import type { BarMessage, Failed, Finding, FromWorker, Progress, Ran, StartMessage, ToWorker } from './messages.ts';
import { spawnEngine } from './spawn-engine.ts';
import { HELD, type UnfinishedRuns } from './unfinished-runs.ts';

/** Longer than 20,000 bars of an honest script take on a slow machine; whoever does not want to wait stops it. */
const LIMIT_MS = 60_000;
/** A script may ask for a few other symbols, and is run again with each. */
const MOST_REQUESTED = 12;

export type ScriptState =
  | {
      readonly status: 'running';
      /** Of all bars, so much is done, from 0 to 1; undefined while that is not known. */
      readonly share?: number;
    }
  | {
      readonly status: 'ready';
      readonly result: RunResult;
      readonly strategy: StrategyAnswer | null;
      readonly inputs: readonly InputSpec[];
      readonly findings: readonly Finding[];
      /** Counts the runs over all bars; ticks in between leave it as it is. */
      readonly run: number;
    }
  | { readonly status: 'refused'; readonly findings: readonly Finding[] }
  | { readonly status: 'failed'; readonly message: string; readonly line?: number; readonly column?: number };

export type ScriptStart = Omit<StartMessage, 'kind' | 'symbolBars'>;

export interface ScriptRunOptions {
  /** Told after every change. */
  readonly onChange: (state: ScriptState) => void;
  /** Bars of another symbol or timeframe that the script asks for. */
  readonly barsOf?: (missing: MissingBars) => Promise<BarColumns>;
  /** The published libraries that a script imports. */
  readonly librariesOf?: (source: string) => Promise<readonly LibrarySource[]>;
  readonly spawn?: () => Worker;
  readonly limitMs?: number;
  /** Left out, a script runs as often as it is asked for, whatever became of the page before. */
  readonly unfinished?: UnfinishedRuns;
}

export class ScriptRun {
  readonly #options: ScriptRunOptions;
  readonly #limitMs: number;
  #state: ScriptState = { status: 'running' };
  #worker: Worker | undefined;
  #asked: ScriptStart | undefined;
  #symbolBars: SymbolBars[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;
  readonly #wantsCsv: ((csv: string | undefined) => void)[] = [];
  /** Messages that the worker has not answered. */
  #unanswered = 0;

  constructor(options: ScriptRunOptions) {
    this.#options = options;
    this.#limitMs = options.limitMs ?? LIMIT_MS;
  }

  get state(): ScriptState {
    return this.#state;
  }

  /** What it runs over, with the bars that it asked for; undefined before its first run. */
  get ground(): (ScriptStart & Pick<StartMessage, 'symbolBars'>) | undefined {
    return this.#asked && { ...this.#asked, symbolBars: this.#symbolBars };
  }

  /** Runs it anew over these bars. */
  start(asked: ScriptStart): void {
    this.#asked = asked;
    this.#symbolBars = [];
    if (this.#options.librariesOf === undefined || importsOf(asked.source).length === 0) this.#send();
    else void this.#startWithLibraries(asked, this.#options.librariesOf);
  }

  /** Without those that cannot be had the compiler says which one is missing. */
  async #startWithLibraries(
    asked: ScriptStart,
    librariesOf: NonNullable<ScriptRunOptions['librariesOf']>,
  ): Promise<void> {
    this.#set({ status: 'running' });
    const libraries = await librariesOf(asked.source).catch(() => []);
    if (this.#asked !== asked) return;
    this.#asked = { ...asked, libraries };
    this.#send();
  }

  /** The newest bar as it stands now, or at its end. */
  push(bar: BarMessage['bar'], isClosed: boolean): void {
    if (this.#worker === undefined || this.#asked === undefined) return;
    this.#post({ kind: 'bar', bar, isClosed });
  }

  /** The trades of the last run as a file for a spreadsheet; undefined where it is no strategy, or was started anew meanwhile. */
  tradesCsv(): Promise<string | undefined> {
    if (this.#worker === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wantsCsv.push(resolve);
      this.#post({ kind: 'trades-csv' });
    });
  }

  /** By whoever looks at it; a change of it runs it again. */
  cancel(): void {
    this.#asked = undefined;
    this.#end();
    this.#set({
      status: 'failed',
      message: 'You stopped it. It runs again once its text, its inputs or the market change.',
    });
  }

  stop(): void {
    this.#asked = undefined;
    this.#end();
  }

  #send(): void {
    if (this.#asked === undefined) return;
    const { unfinished } = this.#options;
    const isHeld = unfinished?.isHeld(this.#asked) === true;
    // Whatever the worker is still at is of no use any more.
    if (this.#unanswered > 0 || isHeld) this.#end();
    this.#set(isHeld ? { status: 'failed', message: HELD } : { status: 'running' });
    if (isHeld) return;
    unfinished?.begin(this, this.#asked.source);
    this.#post({ kind: 'start', ...this.#asked, symbolBars: this.#symbolBars });
  }

  #post(message: ToWorker): void {
    this.#worker ??= this.#opened();
    this.#worker.postMessage(message);
    this.#unanswered += 1;
    this.#timer ??= setTimeout(() => this.#giveUp(), this.#limitMs);
  }

  #opened(): Worker {
    const worker = (this.#options.spawn ?? spawnEngine)();
    worker.onmessage = ({ data }: MessageEvent<readonly FromWorker[] | Progress>) => {
      if ('kind' in data) this.#hearProgress(data);
      else this.#hearAll(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail({
        kind: 'failed',
        message: `The script engine could not start: ${event.message || 'unknown reason'}.`,
      });
    };
    return worker;
  }

  #hearProgress({ done, total }: Progress): void {
    if (this.#state.status === 'running') this.#set({ status: 'running', share: done / total });
  }

  #hearAll(answers: readonly FromWorker[]): void {
    clearTimeout(this.#timer);
    this.#options.unfinished?.answer(this);
    this.#unanswered -= 1;
    this.#timer = this.#unanswered > 0 ? setTimeout(() => this.#giveUp(), this.#limitMs) : undefined;
    for (const said of answers) this.#hear(said);
  }

  #hear(said: FromWorker): void {
    if (said.kind === 'ran') this.#set(this.#readyOf(said));
    else if (said.kind === 'refused') this.#set({ status: 'refused', findings: said.findings });
    else if (said.kind === 'failed') this.#fail(said);
    else if (said.kind === 'trades-csv') this.#wantsCsv.shift()?.(said.text);
    else if (this.#state.status === 'ready') this.#set({ ...this.#state, result: withTail(this.#state.result, said) });
  }

  #readyOf({ result, strategy, inputs, findings }: Ran): ScriptState {
    this.#runs += 1;
    return { status: 'ready', result, strategy, inputs, findings, run: this.#runs };
  }

  #fail(said: Failed): void {
    const { missing, message, line, column } = said;
    const { barsOf } = this.#options;
    if (missing !== undefined && barsOf !== undefined && this.#symbolBars.length < MOST_REQUESTED) {
      void this.#fetch(missing, barsOf, said);
      return;
    }
    this.#end();
    this.#set({
      status: 'failed',
      message,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    });
  }

  async #fetch(missing: MissingBars, barsOf: NonNullable<ScriptRunOptions['barsOf']>, said: Failed): Promise<void> {
    const asked = this.#asked;
    const bars = await barsOf(missing).catch(() => undefined);
    if (this.#asked !== asked) return;
    const { missing: _, ...fault } = said;
    if (bars === undefined) return this.#fail(fault);
    this.#symbolBars.push({ symbol: missing.symbol, timeframe: missing.timeframe, bars });
    this.#send();
  }

  #giveUp(): void {
    this.#end();
    const seconds = Math.round(this.#limitMs / 1000);
    this.#set({
      status: 'failed',
      message: `The script was stopped after ${seconds} seconds. Look for a loop that does not end, or load fewer bars.`,
    });
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unanswered = 0;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#options.unfinished?.leave(this);
    for (const resolve of this.#wantsCsv.splice(0)) resolve(undefined);
  }

  #set(state: ScriptState): void {
    this.#state = state;
    this.#options.onChange(state);
  }
}

// The scripts of a chart while it is open: each with its run, the state of that, and what it said last.

import type { MissingBars, SymbolInfo } from '../../../src/pine/index.ts';
import type { BarColumns } from '../../../src/pine/light.ts';
import type { ShownScript } from '../../chart/placed-scripts.ts';
import { ScriptRun, type ScriptState } from '../../engine/script-run.ts';
import { unfinishedRuns } from '../../engine/unfinished-runs.ts';
import { importedLibraries } from '../../server/imported-libraries.ts';
import { scriptKey } from '../../server/script-key.ts';
import type { ChosenScript } from './chart-choice.ts';

export interface RunningScript {
  /** As it is now, with its present text and inputs. */
  script: ChosenScript;
  readonly run: ScriptRun;
  state: ScriptState;
  /** What it said last, shown until it says something new. */
  shown: ShownScript | undefined;
}

type Bar = Parameters<ScriptRun['push']>[0];

/** What they run over. */
export interface RunGround {
  readonly bars: BarColumns;
  /** The bar that forms after these. */
  readonly forming: Bar | undefined;
  readonly symbol: SymbolInfo;
  readonly timeframe: string;
}

export interface RunningScriptsOptions {
  /** Undefined while nothing can run. */
  readonly ground: () => RunGround | undefined;
  readonly barsOf: (missing: MissingBars) => Promise<BarColumns>;
  /** They came or went, or one has something else to say. */
  readonly onChange: () => void;
}

export class RunningScripts {
  readonly #options: RunningScriptsOptions;
  readonly #scripts = new Map<string, RunningScript>();

  constructor(options: RunningScriptsOptions) {
    this.#options = options;
  }

  list(): readonly RunningScript[] {
    return [...this.#scripts.values()];
  }

  of(id: string): RunningScript | undefined {
    return this.#scripts.get(id);
  }

  get shown(): readonly ShownScript[] {
    return this.list().flatMap(({ shown }) => shown ?? []);
  }

  /** These, and no others. */
  set(chosen: readonly ChosenScript[]): void {
    const ids = new Set(chosen.map(({ id }) => id));
    for (const [id, { run }] of this.#scripts) {
      if (ids.has(id)) continue;
      run.stop();
      this.#scripts.delete(id);
    }
    for (const script of chosen) {
      const known = this.#scripts.get(script.id);
      if (known === undefined) this.#add(script);
      else this.#change(known, script);
    }
    this.#options.onChange();
  }

  startAll(): void {
    for (const running of this.#scripts.values()) this.#start(running);
  }

  /** What they said was of other bars. */
  forgetShown(): void {
    for (const running of this.#scripts.values()) running.shown = undefined;
  }

  /** What a strategy traded is known after a run over all bars, so it runs again when a bar has ended. */
  push(bar: Bar, isClosed: boolean): void {
    for (const running of this.#scripts.values()) {
      const { state, run } = running;
      const isStrategy = state.status === 'ready' && state.strategy !== null;
      if (isStrategy && isClosed) this.#start(running);
      else run.push(bar, isClosed);
    }
  }

  stop(): void {
    for (const { run } of this.#scripts.values()) run.stop();
  }

  #add(script: ChosenScript): void {
    const running: RunningScript = {
      ...{ script, state: { status: 'running' }, shown: undefined },
      run: new ScriptRun({
        onChange: (state) => this.#hear(running, state),
        barsOf: this.#options.barsOf,
        librariesOf: (source) => importedLibraries(source, scriptKey()),
        unfinished: unfinishedRuns(),
      }),
    };
    this.#scripts.set(script.id, running);
    this.#start(running);
  }

  #change(running: RunningScript, script: ChosenScript): void {
    const { source, inputs } = running.script;
    running.script = script;
    if (script.source !== source || script.inputs !== inputs) this.#start(running);
  }

  #hear(running: RunningScript, state: ScriptState): void {
    running.state = state;
    if (state.status === 'ready') {
      const { result, strategy, run } = state;
      running.shown = { id: running.script.id, result, strategy, run };
    }
    // A text with errors is most often one that is being written: what it said before stays until it says something new.
    if (state.status === 'failed') running.shown = undefined;
    this.#options.onChange();
  }

  #start({ run, script }: RunningScript): void {
    const ground = this.#options.ground();
    if (ground === undefined) return;
    const { forming, ...over } = ground;
    run.start({ ...over, source: script.source, inputs: script.inputs ?? {} });
    if (forming !== undefined) run.push(forming, false);
  }
}

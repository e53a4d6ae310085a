// A script inside its worker: compiles it, runs it over the bars there are, and goes on bar by bar.

import {
  type Bar,
  compile,
  type Diagnostic,
  InputFault,
  type InputSpec,
  LineTable,
  type LiveRun,
  type RunResult,
  ScriptRuntimeError,
  type StrategyReport,
  SymbolInfoFault,
  strategyAnswer,
  strategyReport,
} from '../../src/pine/index.ts';
import { tradesCsv } from '../../src/pine/light.ts';
import type {
  BarMessage,
  Failed,
  Finding,
  FromWorker,
  LiveTail,
  Progress,
  Ran,
  StartMessage,
  ToWorker,
} from './messages.ts';

export class ScriptHost {
  #run: LiveRun | undefined;
  /** The bar that forms, as it was last seen. */
  #open: Bar | undefined;
  /** Of the last run over all bars; null where it is no strategy. */
  #report: StrategyReport | null = null;
  readonly #tell: (progress: Progress) => void;

  /** `tell` hears every now and then how far a run is. */
  constructor(tell: (progress: Progress) => void = () => {}) {
    this.#tell = tell;
  }

  /** Everything there is to say about a message, in order; nothing about a bar that is too old. */
  answer(message: ToWorker): readonly FromWorker[] {
    try {
      if (message.kind === 'start') return [this.#start(message)];
      return message.kind === 'bar' ? this.#goOn(message) : [this.#csv()];
    } catch (error) {
      this.#run = undefined;
      return [failureOf(error)];
    }
  }

  #start({ source, bars, symbol, timeframe, inputs, symbolBars, libraries = [] }: StartMessage): FromWorker {
    this.#run = undefined;
    this.#open = undefined;
    this.#report = null;
    const { program, diagnostics } = compile(source, { libraries });
    const findings = placed(diagnostics, source);
    if (program === null) return { kind: 'refused', findings };
    const known = knownInputs(inputs, program.inputs);
    const run = program.open(bars, {
      ...{ symbol, timeframe, inputs: known, symbolBars, recordsOrders: true },
      onProgress: (done) => this.#tell({ kind: 'progress', done, total: bars.count }),
    });
    this.#run = run;
    const result = run.result();
    this.#report = strategyReport(result, bars);
    const answer: Ran = {
      kind: 'ran',
      result: owned(result),
      strategy: this.#report && strategyAnswer(this.#report),
      inputs: program.inputs,
      findings: [...findings, ...result.warnings],
    };
    run.forgetHistory();
    return answer;
  }

  #csv(): FromWorker {
    return { kind: 'trades-csv', text: this.#report === null ? undefined : [...tradesCsv(this.#report)].join('') };
  }

  /** A bar that ended unseen ends as it was last seen, and is told too: what it came to is known only now. */
  #goOn({ bar, isClosed }: BarMessage): readonly FromWorker[] {
    const run = this.#run;
    if (run === undefined || bar.time <= run.lastTimeMs || bar.time < (this.#open?.time ?? 0)) return [];
    const told: LiveTail[] = [];
    if (this.#open !== undefined && bar.time > this.#open.time) told.push(tailOf(run, run.close(this.#open)));
    told.push(tailOf(run, isClosed ? run.close(bar) : run.update(bar)));
    this.#open = isClosed ? undefined : bar;
    return told;
  }
}

/** A text that is being written may lose an input for a moment: its value waits until it is back. */
const knownInputs = (inputs: StartMessage['inputs'], specs: readonly InputSpec[]): StartMessage['inputs'] =>
  Object.fromEntries(Object.entries(inputs).filter(([title]) => specs.some((spec) => spec.title === title)));

const tailOf = (run: LiveRun, { barIndex, values, isClosed }: ReturnType<LiveRun['close']>): LiveTail => ({
  kind: 'tail',
  ...{ barIndex, values, isClosed, looks: run.looks(), drawings: run.drawings() as RunResult['drawings'] },
});

/** With columns of its own, because those of the run go on being written; without the books of the strategy. */
function owned(result: RunResult): RunResult {
  const copies = new Map<Float64Array, Float64Array>();
  const copy = (column: Float64Array): Float64Array => {
    const found = copies.get(column) ?? column.slice();
    copies.set(column, found);
    return found;
  };
  const columnsOf = (columns: Readonly<Record<string, Float64Array>>) =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, copy(column)]));
  return {
    ...result,
    broker: null,
    series: new Map([...result.series].map(([name, column]) => [name, copy(column)])),
    plots: new Float64Array(0),
    plotMeta: new Map(
      [...result.plotMeta].map(([title, meta]) => [title, { ...meta, columns: columnsOf(meta.columns) }]),
    ),
  };
}

/** The memory that answers hand over instead of copying it. */
export function handedOver(answers: readonly FromWorker[]): ArrayBuffer[] {
  const [ran] = answers;
  if (ran?.kind !== 'ran') return [];
  const { series, plotMeta } = ran.result;
  const columns = [...series.values(), ...[...plotMeta.values()].flatMap((meta) => Object.values(meta.columns))];
  return [...new Set(columns.map(({ buffer }) => buffer as ArrayBuffer))];
}

function placed(diagnostics: readonly Diagnostic[], source: string): Finding[] {
  const lines = new LineTable(source);
  return diagnostics.map(({ span, severity, message, remedy }) => {
    const [{ line, column }, end] = [lines.positionAt(span.start), lines.positionAt(span.end)];
    const finding = { line, column, endLine: end.line, endColumn: end.column, severity, message };
    return remedy === undefined ? finding : { ...finding, remedy };
  });
}

export function failureOf(error: unknown): Failed {
  if (error instanceof ScriptRuntimeError) {
    const { message, line, column, barIndex, missingBars } = error;
    const fault = { kind: 'failed', message, line, column, barIndex } as const;
    return missingBars === undefined ? fault : { ...fault, missing: missingBars };
  }
  if (error instanceof InputFault || error instanceof SymbolInfoFault)
    return { kind: 'failed', message: error.message };
  if (error instanceof RangeError && /call stack/.test(error.message))
    return { kind: 'failed', message: 'It is nested too deeply; split long expressions and nested blocks.' };
  return {
    kind: 'failed',
    message: `The script engine failed: ${String(error)}. This is a fault of ours, report it please.`,
  };
}

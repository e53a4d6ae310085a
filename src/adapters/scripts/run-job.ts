// Answers the jobs of the pool inside a thread: compiles, runs, and turns whatever goes wrong into an outcome.

import type { chartFault, looksLikePrices, renderChart } from '../../chart/index.ts';
import { asError } from '../../errors/error-text.ts';
import type { Drawn, DrawnPlot, NotDrawn } from '../../library/chart-drawing.ts';
import type {
  NotOld,
  Refused,
  ScriptConverted,
  ScriptDiagnostic,
  StrategyAccount,
} from '../../library/script-runner.ts';
import { timeframeOfBars } from '../../market-data/bar-timeframe.ts';
import {
  type Compiled,
  compile,
  complete,
  convert,
  hover,
  InputFault,
  LineTable,
  type RunResult,
  ScriptRuntimeError,
  SymbolInfoFault,
  strategyReport,
} from '../../pine/index.ts';
import { answerJson } from './answer-json.ts';
import { backtested, spaceOf } from './backtest-jobs.ts';
import { barFills } from './bar-fills.ts';
import { sha256 } from './digest.ts';
import { LiveRuns } from './live-runs.ts';
import { lookForRepaint } from './look-for-repaint.ts';
import type { ScriptJob, ScriptOutcome, ThreadDuty } from './messages.ts';
import { placed } from './placed-diagnostic.ts';
import { ProgramCache, type Sources } from './program-cache.ts';

type RunJob = Extract<ScriptJob, { kind: 'run' | 'evaluate' }>;
type DrawJob = Extract<ScriptJob, { kind: 'draw' }>;
type Told = Extract<ScriptOutcome, { kind: 'result' }>;
/** A run inside the thread, where its result still has the books of a strategy. */
type Ran = Omit<Told, 'report'>;

/** What a thread keeps of a source: the program, or why there is none. */
interface Kept {
  readonly compiled: Compiled;
  readonly diagnostics: readonly ScriptDiagnostic[];
}

/** Digits of the digest that name a script in an answer. */
const SCRIPT_ID_CHARS = 16;

/** The part that draws; threads that never do so start sooner without. */
export interface Drawing {
  readonly chartFault: typeof chartFault;
  readonly looksLikePrices: typeof looksLikePrices;
  readonly renderChart: typeof renderChart;
}

/** What a thread has to answer with. */
interface Tools {
  /** The program of a source: compiled anew, or kept from before. */
  readonly programOf: (sources: Sources) => Kept;
  /** The same of a source that is asked about again and again, in a command too. */
  readonly keptProgramOf: (sources: Sources) => Kept;
  readonly liveRuns: LiveRuns;
  readonly drawing: Drawing | undefined;
}
type ProgramOf = Tools['programOf'];

export function createJobRunner(
  duty: ThreadDuty,
  drawing?: Drawing,
  liveRuns = new LiveRuns(),
): (job: ScriptJob) => ScriptOutcome {
  const cache = new ProgramCache(compiledWithPlaces);
  // A command asks once about each source: there a digest of it is of no use.
  const programOf: ProgramOf = duty === 'service' ? (sources) => cache.programOf(sources) : compiledWithPlaces;
  const tools: Tools = { programOf, keptProgramOf: (sources) => cache.programOf(sources), liveRuns, drawing };
  return (job) => {
    try {
      return answered(job, tools);
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

function answered(job: ScriptJob, { programOf, keptProgramOf, liveRuns, drawing }: Tools): ScriptOutcome {
  switch (job.kind) {
    case 'live': {
      const { compiled, diagnostics } = programOf(job);
      if (compiled.program === null) return { kind: 'compile-failed', diagnostics };
      return liveRuns.advance(job, compiled.program);
    }
    case 'check': {
      const { compiled, diagnostics } = programOf(job);
      const { program } = compiled;
      if (program === null) return { kind: 'checked', ok: false, diagnostics, inputs: [] };
      const { inputs, checked } = program;
      const { scriptType, title } = checked;
      return { kind: 'checked', ok: true, diagnostics, inputs, scriptType, title };
    }
    case 'complete':
      return { kind: 'completed', items: complete(job.source, job.offset, job.libraries) };
    case 'hover':
      return { kind: 'hovered', hover: hover(job.source, job.offset, job.libraries) };
    case 'convert':
      return converted(job.source);
    case 'run': {
      const ran = run(job, programOf);
      return ran.kind === 'result' ? told(job, ran) : ran;
    }
    case 'evaluate': {
      const ran = run({ ...job, recordsOrders: true }, programOf);
      return ran.kind === 'result' ? evaluated(job, ran) : ran;
    }
    case 'backtests':
    case 'space': {
      const { compiled, diagnostics } = keptProgramOf(job);
      if (compiled.program === null) return { kind: 'compile-failed', diagnostics };
      return job.kind === 'space' ? spaceOf(job, compiled.program) : backtested(job, compiled.program);
    }
    case 'draw':
      if (drawing === undefined) throw new Error('this thread does not draw');
      return draw(job, programOf, drawing);
  }
}

function converted(source: string): ScriptConverted | NotOld | Refused {
  const outcome = convert(source);
  if (outcome.kind === 'not-old') return { kind: 'not-old', reason: outcome.message };
  if (outcome.kind === 'converted') {
    const { kind, version, text, changes } = outcome;
    return { kind, version, text, changes };
  }
  const lines = new LineTable(source);
  return { kind: 'compile-failed', diagnostics: outcome.diagnostics.map((found) => placed(found, lines)) };
}

function compiledWithPlaces({ source, libraries = [] }: Sources): Kept {
  const compiled = compile(source, { libraries });
  const lines = new LineTable(source);
  return { compiled, diagnostics: compiled.diagnostics.map((found) => placed(found, lines)) };
}

function run(job: RunJob & { readonly recordsOrders?: boolean }, programOf: ProgramOf): Ran | Refused {
  const { compiled, diagnostics } = programOf(job);
  if (compiled.program === null) return { kind: 'compile-failed', diagnostics };
  const { bars, isTimeframeMeasured = false, ...given } = job;
  const options = isTimeframeMeasured ? { ...given, ...timeframeOf(job) } : given;
  const startedMs = performance.now();
  const result = compiled.program.run(bars, options);
  const runMs = performance.now() - startedMs;
  const { fillsSinceMs } = job;
  const fills = fillsSinceMs === undefined ? {} : { fills: barFills(compiled.program, bars, options, fillsSinceMs) };
  const warnings = [...diagnostics, ...result.warnings];
  if (!job.checksRepaint) return { kind: 'result', result, warnings, runMs, ...fills };
  const { repaint, found } = lookForRepaint(compiled.program, bars, options, result);
  return { kind: 'result', result, warnings: [...warnings, ...found], runMs, repaint, ...fills };
}

/** A run as it leaves the thread: what the books of a strategy come to, instead of the books. */
function told({ bars, alertsSinceMs, wantsOnlyReport = false }: RunJob, ran: Ran): Told {
  const result = { ...ran.result, broker: null };
  if (alertsSinceMs !== undefined)
    return { ...ran, ...accountOf(ran.result), result: onlyAlerts(result, alertsSinceMs), report: null };
  const kept = wantsOnlyReport ? onlyAlerts(result, Number.POSITIVE_INFINITY) : result;
  return { ...ran, result: kept, report: strategyReport(ran.result, bars) };
}

function accountOf({ broker }: RunResult): { readonly account?: StrategyAccount } {
  if (broker === null) return {};
  const { initialCapital, quantityType, quantityValue } = broker.settings;
  return { account: { initialCapital, quantityType, quantityValue, currency: broker.market.currency } };
}

function timeframeOf({ timeframe, symbol, bars }: RunJob): { readonly timeframe?: string } {
  if (timeframe || symbol?.period) return {};
  const measured = timeframeOfBars(bars.time.subarray(0, bars.count));
  return measured === undefined ? {} : { timeframe: measured };
}

/** Whatever leaves a thread is copied on the event loop: thousands of old alerts would hold it up at every bar. */
const onlyAlerts = (result: RunResult, sinceMs: number): RunResult => ({
  ...result,
  series: new Map(),
  plots: new Float64Array(),
  plotMeta: new Map(),
  drawings: [],
  logs: [],
  broker: null,
  alerts: result.alerts.filter(({ timeMs }) => timeMs >= sinceMs),
});

function evaluated(
  { source, runId, bars, wantsReport = false }: Extract<ScriptJob, { kind: 'evaluate' }>,
  { result, warnings, repaint }: Ran,
): ScriptOutcome {
  const scriptId = sha256().update(source).digest('hex').slice(0, SCRIPT_ID_CHARS);
  const ids = { script_id: scriptId, run_id: runId };
  const json = answerJson(result, bars, warnings.length > 0 ? { ...ids, warnings } : ids);
  const checked = repaint === undefined ? {} : { repaint };
  return {
    kind: 'answer',
    json,
    warnings,
    ...checked,
    ...(wantsReport ? { report: strategyReport(result, bars) } : {}),
  };
}

function draw(
  { kind: _kind, source, ...job }: DrawJob,
  programOf: ProgramOf,
  drawing: Drawing,
): Drawn | NotDrawn | Refused {
  const reason = drawing.chartFault();
  if (reason !== undefined) return { kind: 'not-drawn', reason };
  if (source === undefined) return { kind: 'drawn', png: drawing.renderChart(job), script: null, warnings: [] };
  const ran = run({ kind: 'run', source, ...job }, programOf);
  if (ran.kind !== 'result') return ran;
  const { result, warnings } = ran;
  const overlay = job.pane === 'by-values' ? drawing.looksLikePrices(result, job.bars) : paneOf(job.pane);
  const png = drawing.renderChart({ ...job, result, overlay });
  return { kind: 'drawn', png, script: { meta: result.meta, plots: plotsOf(result) }, warnings };
}

const paneOf = (pane: 'bars' | 'own' | undefined): boolean | undefined => (pane === undefined ? pane : pane === 'bars');

const plotsOf = ({ plotMeta, series }: RunResult): DrawnPlot[] =>
  [...plotMeta.values()].map(({ title, kind, series: [name = ''] }) => {
    const last = series.get(name)?.at(-1) ?? Number.NaN;
    return { title, kind, last: Number.isFinite(last) ? last : null };
  });

/** Faults of the script and of its inputs are the caller's; everything else is ours. */
export function outcomeOf(error: unknown): ScriptOutcome {
  if (error instanceof ScriptRuntimeError) {
    const { message, barIndex, line, column, missingBars } = error;
    const fault = { kind: 'runtime-error', message, barIndex, line, column } as const;
    return missingBars === undefined ? fault : { ...fault, missingBars };
  }
  if (error instanceof InputFault || error instanceof SymbolInfoFault)
    return { kind: 'input-fault', reason: error.message };
  if (error instanceof RangeError && /call stack/.test(error.message))
    return { kind: 'too-large', reason: 'it is nested too deeply; split long expressions and nested blocks' };
  if (error instanceof RangeError && /Invalid .*length|allocation failed/.test(error.message))
    return { kind: 'too-large', reason: 'its values do not fit into memory; use fewer bars or fewer plots' };
  const { message, stack = message } = asError(error);
  const reason = `the script engine failed: ${message}; this is a fault of ours, report it please`;
  return { kind: 'failed', reason, detail: stack };
}

// A run that a command line asks for: its files are read, the script runs in its thread, and the outcome is told.

import type { RepaintCheck } from '../library/repaint-check.ts';
import { runFaultOf } from '../library/run-fault.ts';
import type { EvaluateRequest, Refused, RunDone, ScriptDiagnostic, Stopped } from '../library/script-runner.ts';
import type { StrategyReport, SymbolBars } from '../pine/index.ts';
import { nearestName, SYMBOL_FIELDS, timeframeOfSeconds } from '../pine/light.ts';
import { backtestAnswer, backtestText, reportText } from './backtest-text.ts';
import { codeFrames } from './code-frame.ts';
import type { LocalIo } from './command.ts';
import type { CommandScripts } from './host.ts';
import { librariesOf } from './library-folder.ts';
import { fetchMarketBars } from './market-bars.ts';
import { namedMarket } from './named-market.ts';
import { SIMULATED } from './price-source-words.ts';
import { startProgress } from './progress.ts';
import { readBars } from './read-bars.ts';
import { chartsOf, type RunBars, summaryOf } from './run-report.ts';
import { CommandFiles, fileFault, fileName } from './script-files.ts';
import { seriesCsv } from './series-csv.ts';
import { printable, printableLines, time } from './table.ts';
import type { WantedRun } from './wanted-run.ts';
import { writeReport } from './write-report.ts';

const LINE_FEED = 10;

/** How the outcome is told; the last two are those of a backtest. */
export type RunMode = 'json' | 'csv' | 'chart' | 'summary' | 'backtest' | 'backtest-json';

interface Script {
  readonly file: string;
  readonly source: string;
}

/** A run that came to its end. */
export interface Finished {
  readonly request: EvaluateRequest;
  readonly priceSource: string | undefined;
  readonly report: StrategyReport | null;
  readonly repaint: RepaintCheck;
}

/** Gives the exit code of one that did not. */
export async function runScript(
  wanted: WantedRun,
  mode: RunMode,
  scripts: CommandScripts,
  io: LocalIo,
): Promise<Finished | number> {
  const { request: asked, priceSource } = await requestOf(wanted, io);
  const request = { ...asked, runId: io.newRunId() };
  const progress = startProgress(io.screen, request.bars.count);
  const watched = { ...request, progress: progress.counter };
  const wantsReport = needsStrategy(wanted, mode);
  const running = mode === 'json' ? scripts.evaluate({ ...watched, wantsReport }) : scripts.run(watched);
  const outcome = await running.finally(() => progress.stop());
  const script = { file: wanted.file, source: request.source };
  if (outcome.kind !== 'result' && outcome.kind !== 'answer')
    return tellFault(outcome, { ...script, times: request.bars.time }, mode, io);
  const { report = null } = outcome;
  const { repaint = notChecked(wanted) } = outcome;
  if (report === null && wantsReport) throw fileFault(wanted.file, NO_STRATEGY);
  tellWarnings(outcome.warnings, script, io);
  // These forms have no place for it, and a chart of made-up prices looks like any other.
  if (priceSource === 'simulated' && WITHOUT_HEAD.has(mode)) io.err(`These are ${SIMULATED}.`);
  const { bars } = request;
  if (outcome.kind === 'answer') await io.pour([outcome.json, Uint8Array.of(LINE_FEED)]);
  else await tellResult({ ...outcome, repaint }, { bars, priceSource }, mode, io);
  const { warnings } = outcome;
  if (report !== null) await writeReport(report, { bars, priceSource, repaint, warnings, files: wanted.files, io });
  return { request, priceSource, report, repaint };
}

/** What they print is read by programs, or is nothing but lines. */
const WITHOUT_HEAD: ReadonlySet<RunMode> = new Set(['json', 'csv', 'chart']);

const notChecked = ({ maxRepaintBars }: WantedRun): RepaintCheck => ({
  kind: 'not-checked',
  reason: maxRepaintBars === 0 ? 'ask for it with --repaint' : 'there are many bars; --repaint checks any number',
});

/** Whether the command line asks for what only a strategy has. */
const needsStrategy = ({ files }: WantedRun, mode: RunMode): boolean =>
  mode === 'backtest' || mode === 'backtest-json' || files.trades !== undefined || files.report !== undefined;

export const NO_STRATEGY = 'it is no strategy and makes no trades; declare it with strategy(...)';

/** What is run, and where its prices come from. */
export interface PreparedRun {
  readonly request: Omit<EvaluateRequest, 'runId'>;
  /** Undefined for bars of a file. */
  readonly priceSource: string | undefined;
}

export async function requestOf(wanted: WantedRun, io: LocalIo): Promise<PreparedRun> {
  const { file, bars: choice, symbolFile, timeframe, inputs, account, maxRepaintBars } = wanted;
  const files = new CommandFiles(io);
  const libraryFiles = await files.libraries(wanted.libraries);
  const source = await files.script(file);
  const libraries = await librariesOf(source, libraryFiles, wanted.libraryFolder, files);
  const info = symbolFile === undefined ? {} : await files.symbolInfo(symbolFile);
  if (symbolFile !== undefined) tellUnknownFields(symbolFile, info, io);
  const symbolBars: SymbolBars[] = [];
  for (const { path, ...other } of wanted.symbolBars)
    symbolBars.push({ ...other, bars: readBars(path, await files.bars(path)) });
  if ('symbol' in choice) {
    const { symbol: ticker, columns, priceSource } = await fetchMarketBars(choice, io);
    const market = { type: 'crypto', ...namedMarket(wanted.symbol, info, io), ticker: info.ticker ?? ticker };
    const length = timeframeOfSeconds(choice.timeframeMs / 1000);
    const checksRepaint = columns.count <= maxRepaintBars;
    const run = { source, libraries, inputs, symbol: market, symbolBars, bars: columns, timeframe: length };
    return { request: { ...run, ...account, checksRepaint }, priceSource };
  }
  const bars = readBars(choice.file, await files.bars(choice.file));
  const symbol = namedMarket(wanted.symbol, info, io);
  const named = timeframe === undefined ? {} : { timeframe };
  const checksRepaint = bars.count <= maxRepaintBars;
  const run = { source, libraries, inputs, symbol, symbolBars, bars, isTimeframeMeasured: true };
  return { request: { ...run, ...named, ...account, checksRepaint }, priceSource: undefined };
}

/** A misspelt field would be a market that is not the one meant. */
export function tellUnknownFields(path: string, symbol: object, io: LocalIo): void {
  const unknown = Object.keys(symbol).filter((name) => !SYMBOL_FIELDS.includes(name));
  if (unknown.length === 0) return;
  const words = unknown.map((name) => {
    const meant = nearestName(name, SYMBOL_FIELDS);
    return printable(meant === null ? name : `${name} (did you mean ${meant}?)`);
  });
  io.err(`${fileName(path)}: these fields of a market are not known and left out: ${words.join(', ')}.`);
}

async function tellResult(done: RunDone, over: RunBars, mode: RunMode, io: LocalIo): Promise<void> {
  const { result, report } = done;
  const { bars } = over;
  if (mode === 'csv') await io.pour(seriesCsv(bars.time, result));
  else if (mode === 'chart') io.out(chartsOf(result, bars, io.columns, io.paint));
  else if (mode === 'backtest-json') io.out(JSON.stringify(backtestAnswer(done, over)));
  else if (mode === 'backtest') io.out(backtestText(done, over, io));
  else io.out([summaryOf(done, over, io.paint), ...(report === null ? [] : [reportText(report, io)])].join('\n\n'));
}

function tellWarnings(warnings: readonly ScriptDiagnostic[], { file, source }: Script, io: LocalIo): void {
  if (warnings.length > 0) io.err(`${codeFrames(fileName(file), source, warnings, io.errPaint)}\n`);
}

/** On standard error for people; with --json the answer of the evaluate contract besides, for programs. */
export function tellFault(
  fault: Refused | Stopped,
  { file, source, times }: Script & { readonly times: Float64Array },
  mode: RunMode,
  io: LocalIo,
): number {
  if (mode === 'json' || mode === 'backtest-json') io.out(JSON.stringify(errorAnswer(fault)));
  if (fault.kind === 'compile-failed') {
    io.err(codeFrames(fileName(file), source, fault.diagnostics, io.errPaint));
  } else if (fault.kind === 'runtime-error') {
    const remedy = `It happened on bar ${fault.barIndex}, ${time(times[fault.barIndex])}.`;
    io.err(codeFrames(fileName(file), source, [{ ...fault, remedy }], io.errPaint));
  } else {
    io.err(`${fileName(file)}: ${printableLines(fault.reason)}`);
  }
  return 1;
}

function errorAnswer(outcome: Refused | Stopped): object {
  const fault = runFaultOf(outcome);
  // It is the user's own machine: what went wrong inside is theirs to read.
  if (fault instanceof Error) return { status: 'error', code: 'INTERNAL', message: fault.message };
  const { code, message, extra } = fault;
  return { status: 'error', code, message, ...extra };
}

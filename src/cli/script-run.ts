// A run that a command line asks for: its files are read, the script runs in its thread, and the outcome is told.

import { runFaultOf } from '../library/run-fault.ts';
import type { EvaluateRequest, Refused, RunDone, ScriptDiagnostic, Stopped } from '../library/script-runner.ts';
import type { BarColumns, SymbolBars } from '../pine/index.ts';
import { nearestName, SYMBOL_FIELDS, timeframeOfSeconds } from '../pine/light.ts';
import { CsvFault, parseBarsCsv } from './bars-csv.ts';
import { codeFrames } from './code-frame.ts';
import type { LocalIo } from './command.ts';
import type { CommandScripts } from './host.ts';
import { fetchMarketBars, type MarketChoice } from './market-bars.ts';
import { startProgress } from './progress.ts';
import { chartsOf, summaryOf } from './run-report.ts';
import { CommandFiles, fileName, type LibraryFile, type SymbolBarsFile } from './script-files.ts';
import { seriesCsv } from './series-csv.ts';
import { printable, printableLines, time } from './table.ts';

const LINE_FEED = 10;

/** How the outcome is told. */
export type RunMode = 'json' | 'csv' | 'chart' | 'summary';

/** What the command line asks for; `-` is standard input in place of a file. */
export interface WantedRun {
  readonly file: string;
  readonly bars: MarketChoice | { readonly file: string };
  /** Of other symbols and timeframes. */
  readonly symbolBars: readonly SymbolBarsFile[];
  readonly symbolFile: string | undefined;
  readonly timeframe: string | undefined;
  readonly libraries: readonly LibraryFile[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly mode: RunMode;
}

interface Script {
  readonly file: string;
  readonly source: string;
}

export async function runScript(wanted: WantedRun, scripts: CommandScripts, io: LocalIo): Promise<number> {
  const request = { ...(await requestOf(wanted, io)), runId: io.newRunId() };
  const progress = startProgress(io.screen, request.bars.count);
  const watched = { ...request, progress: progress.counter };
  const asked = wanted.mode === 'json' ? scripts.evaluate(watched) : scripts.run(watched);
  const outcome = await asked.finally(() => progress.stop());
  const script = { file: wanted.file, source: request.source };
  if (outcome.kind !== 'result' && outcome.kind !== 'answer')
    return tellFault(outcome, { ...script, times: request.bars.time }, wanted.mode, io);
  tellWarnings(outcome.warnings, script, io);
  if (outcome.kind === 'answer') await io.pour([outcome.json, Uint8Array.of(LINE_FEED)]);
  else await tellResult(outcome, request.bars, wanted.mode, io);
  return 0;
}

async function requestOf(wanted: WantedRun, io: LocalIo): Promise<Omit<EvaluateRequest, 'runId'>> {
  const { file, bars: choice, symbolFile, timeframe, inputs } = wanted;
  const files = new CommandFiles(io);
  const libraries = await files.libraries(wanted.libraries);
  const source = await files.script(file);
  const symbol = symbolFile === undefined ? {} : await files.symbolInfo(symbolFile);
  if (symbolFile !== undefined) tellUnknownFields(symbolFile, symbol, io);
  const symbolBars: SymbolBars[] = [];
  for (const { path, ...other } of wanted.symbolBars)
    symbolBars.push({ ...other, bars: readBars(path, await files.bars(path)) });
  if ('symbol' in choice) {
    const { symbol: ticker, columns } = await fetchMarketBars(choice, io);
    const market = { type: 'crypto', ticker, ...symbol };
    const length = timeframeOfSeconds(choice.timeframeMs / 1000);
    return { source, libraries, inputs, symbol: market, symbolBars, bars: columns, timeframe: length };
  }
  const bars = readBars(choice.file, await files.bars(choice.file));
  const named = timeframe === undefined ? {} : { timeframe };
  return { source, libraries, inputs, symbol, symbolBars, bars, isTimeframeMeasured: true, ...named };
}

/** A misspelt field would be a market that is not the one meant. */
function tellUnknownFields(path: string, symbol: object, io: LocalIo): void {
  const unknown = Object.keys(symbol).filter((name) => !SYMBOL_FIELDS.includes(name));
  if (unknown.length === 0) return;
  const words = unknown.map((name) => {
    const meant = nearestName(name, SYMBOL_FIELDS);
    return printable(meant === null ? name : `${name} (did you mean ${meant}?)`);
  });
  io.err(`${fileName(path)}: these fields of a market are not known and left out: ${words.join(', ')}.`);
}

function readBars(path: string, bytes: Uint8Array): BarColumns {
  try {
    return parseBarsCsv(bytes);
  } catch (error) {
    if (error instanceof CsvFault) throw new Error(`${fileName(path)}:${error.line}: ${error.message}`);
    throw error;
  }
}

async function tellResult(done: RunDone, bars: BarColumns, mode: RunMode, io: LocalIo): Promise<void> {
  if (mode === 'csv') await io.pour(seriesCsv(bars.time, done.result));
  else if (mode === 'chart') io.out(chartsOf(done.result, bars, io.columns, io.paint));
  else io.out(summaryOf(done, bars, io.paint));
}

function tellWarnings(warnings: readonly ScriptDiagnostic[], { file, source }: Script, io: LocalIo): void {
  if (warnings.length > 0) io.err(`${codeFrames(fileName(file), source, warnings, io.errPaint)}\n`);
}

/** On standard error for people; with --json the answer of the evaluate contract besides, for programs. */
function tellFault(
  fault: Refused | Stopped,
  { file, source, times }: Script & { readonly times: Float64Array },
  mode: RunMode,
  io: LocalIo,
): number {
  if (mode === 'json') io.out(JSON.stringify(errorAnswer(fault)));
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

// `signalbox run`: runs a script over the bars of a CSV file and shows what came out of it.

import type { EvaluateRequest, Refused, RunDone, ScriptDiagnostic, Stopped } from '../../library/script-runner.ts';
import type { BarColumns } from '../../pine/index.ts';
import { codeFrames } from '../code-frame.ts';
import { type Args, type LocalCommand, type LocalIo, onlyWord, plainNumber, UsageFault } from '../command.ts';
import { startProgress } from '../progress.ts';
import { chartsOf, summaryOf } from '../run-report.ts';
import { fileFault, readBarsFile, readLibrary, readScript, readSymbolInfo } from '../script-files.ts';
import { seriesCsv } from '../series-csv.ts';
import { printable, printableLines } from '../table.ts';
import { LIBRARY_FLAG } from './check.ts';

/** It is the user's own machine and own script; these only end what has gone wrong. */
const MEMORY_MB = 4096;
const DEFAULT_TIMEOUT_S = 600;
const MAX_TIMEOUT_S = 86_400;
const MODES = ['json', 'csv', 'chart'] as const;
type Mode = (typeof MODES)[number] | 'summary';

export const run: LocalCommand = {
  name: 'run',
  summary: 'run a .pine script over bars from a CSV file',
  usage: [
    'script.pine --bars bars.csv [--symbol-info market.json] [--timeframe 60]',
    'script.pine --bars bars.csv [--input "Length=20"]… [--library ns/Name/1=file.pine]… [--json | --csv | --chart]',
  ],
  flags: {
    bars: 'CSV file with time,open,high,low,close[,volume]; time in ms, in s or like 2024-03-01T14:30:00Z',
    'symbol-info': 'JSON file that describes the market: ticker, mintick, timezone, session…',
    timeframe: 'timeframe of the bars as Pine writes it: 5, 60, 1D',
    timeout: `seconds after which it is stopped; ${DEFAULT_TIMEOUT_S} if left out`,
  },
  lists: { input: 'an input by its title, like "Length=20"; once for each', ...LIBRARY_FLAG },
  switches: {
    json: 'print the answer as JSON and nothing else',
    csv: 'print the series as CSV and nothing else',
    chart: 'draw the series',
  },
  async local(args, io) {
    const file = onlyWord(args.words, 'the script');
    const mode = modeOf(args);
    const request = { ...(await requestOf(args, file)), runId: io.newRunId() };
    const progress = startProgress(io.screen, request.bars.count);
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
    const watched = { ...request, progress: progress.counter };
    const asked = mode === 'json' ? scripts.evaluate(watched) : scripts.run(watched);
    const outcome = await asked.finally(() => {
      progress.stop();
      return scripts.close();
    });
    const script = { file, source: request.source };
    if (outcome.kind !== 'result' && outcome.kind !== 'answer') return tellFault(outcome, script, mode, io);
    tellWarnings(outcome.warnings, script, io);
    if (outcome.kind === 'answer') io.out(new TextDecoder().decode(outcome.json));
    else tellResult(outcome, request.bars, mode, io);
    return 0;
  },
};

interface Script {
  readonly file: string;
  readonly source: string;
}

function modeOf({ switches }: Args): Mode {
  const given = MODES.filter((mode) => switches.has(mode));
  if (given.length > 1) throw new UsageFault(`Give one of --${given.join(', --')}, not ${given.length}.`);
  return given[0] ?? 'summary';
}

function timeoutMsOf({ flags: { timeout } }: Args): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_S * 1000;
  const seconds = plainNumber(timeout, 'timeout');
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return seconds * 1000;
  throw new UsageFault(`--timeout ${timeout} is out of range; give seconds above 0, up to ${MAX_TIMEOUT_S}.`);
}

/** The command line is read to its end before the first file is: what is wrong with it is told first. */
async function requestOf({ flags, lists }: Args, file: string): Promise<Omit<EvaluateRequest, 'runId'>> {
  if (flags.bars === undefined) throw new UsageFault('--bars is missing; name the CSV file with the bars.');
  const inputs = Object.fromEntries((lists.input ?? []).map(inputOf));
  const libraries = (lists.library ?? []).map(readLibrary);
  const source = readScript(file);
  const symbolFile = flags['symbol-info'];
  const symbol = symbolFile === undefined ? {} : readSymbolInfo(symbolFile);
  const bars = await readBars(flags.bars);
  const { timeframeOfBars } = await import('../../market-data/bar-timeframe.ts');
  const timeframe = flags.timeframe ?? symbol.period ?? timeframeOfBars(bars.time.subarray(0, bars.count));
  return { source, libraries, inputs, symbol, bars, ...(timeframe === undefined ? {} : { timeframe }) };
}

function inputOf(text: string): [title: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageFault(`--input ${text} has no value; write it like --input "Length=20".`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The engine is loaded only where bars are read: the other commands and the gateway start without it. */
async function readBars(path: string): Promise<BarColumns> {
  const { CsvFault, parseBarsCsv } = await import('../bars-csv.ts');
  try {
    return parseBarsCsv(readBarsFile(path));
  } catch (error) {
    if (error instanceof CsvFault) throw fileFault(`${path}:${error.line}`, error.message);
    throw error;
  }
}

function tellResult(done: RunDone, bars: BarColumns, mode: Mode, io: LocalIo): void {
  if (mode === 'csv') for (const piece of seriesCsv(bars.time, done.result)) io.out(piece);
  else if (mode === 'chart') io.out(chartsOf(done.result, bars, io.columns, io.paint));
  else io.out(summaryOf(done, bars, io.paint));
}

function tellWarnings(warnings: readonly ScriptDiagnostic[], { file, source }: Script, io: LocalIo): void {
  if (warnings.length > 0) io.err(`${codeFrames(file, source, warnings, io.errPaint)}\n`);
}

/** On standard error for people; with --json the answer of the evaluate contract besides, for programs. */
function tellFault(fault: Refused | Stopped, { file, source }: Script, mode: Mode, io: LocalIo): number {
  if (mode === 'json') io.out(JSON.stringify(errorAnswer(fault)));
  if (fault.kind === 'compile-failed') {
    io.err(codeFrames(file, source, fault.diagnostics, io.errPaint));
  } else if (fault.kind === 'runtime-error') {
    const remedy = `It happened on bar ${fault.barIndex}.`;
    io.err(codeFrames(file, source, [{ ...fault, remedy }], io.errPaint));
  } else {
    io.err(`${printable(file)}: ${printableLines(fault.reason)}`);
  }
  return 1;
}

const CODES = {
  'compile-failed': 'SCRIPT_ERROR',
  'input-fault': 'INVALID_INPUT',
  'runtime-error': 'RUNTIME_ERROR',
  timeout: 'TIMEOUT',
  'too-large': 'TOO_LARGE',
  canceled: 'CANCELED',
  busy: 'BUSY',
  failed: 'INTERNAL_ERROR',
} as const satisfies Record<(Refused | Stopped)['kind'], string>;

function errorAnswer(fault: Refused | Stopped): object {
  const status = { status: 'error', code: CODES[fault.kind] };
  if (fault.kind === 'compile-failed')
    return { ...status, message: 'The script has errors.', diagnostics: fault.diagnostics };
  if (fault.kind === 'runtime-error') {
    const { message, barIndex, line, column } = fault;
    return { ...status, message, bar_index: barIndex, line, column };
  }
  return { ...status, message: fault.reason };
}

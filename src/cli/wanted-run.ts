// What a command line says of a run: the script, its bars and market, when a strategy may trade, and what is written to files.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Args, onlyWord, plainNumber, UsageFault } from './command.ts';
import { CONNECTION_FLAGS } from './help.ts';
import type { MarketChoice } from './market-bars.ts';
import { INPUT, type LibraryFile, libraryFiles, type SymbolBarsFile, symbolBarsFiles } from './script-files.ts';
import { momentOf, timeframeMsOf } from './wanted-bars.ts';

/** It is the user's own machine and own script; these only end what has gone wrong. */
export const MEMORY_MB = 4096;
const DEFAULT_TIMEOUT_S = 600;
const MAX_TIMEOUT_S = 86_400;
/** A hundred pages of the route that gives them. */
const MAX_BARS = 500_000;

/** What the command line asks for; `-` is standard input in place of a file. */
export interface WantedRun {
  readonly file: string;
  readonly bars: MarketChoice | { readonly file: string };
  /** The market that is named, whether its bars come from it or from a file. */
  readonly symbol: string | undefined;
  /** Of other symbols and timeframes. */
  readonly symbolBars: readonly SymbolBarsFile[];
  readonly symbolFile: string | undefined;
  readonly timeframe: string | undefined;
  readonly libraries: readonly LibraryFile[];
  /** Where other libraries are looked for. */
  readonly libraryFolder: string | undefined;
  readonly inputs: Readonly<Record<string, string>>;
  /** On how many bars at most it is looked for outputs whose past changes; 0 for never. */
  readonly maxRepaintBars: number;
  readonly account: WantedAccount;
  readonly files: ReportFiles;
}

/** What of a strategy's account is said from outside. */
export interface WantedAccount {
  readonly tradeFromMs?: number;
  readonly tradeToMs?: number;
  readonly initialCapital?: number;
}

/** Where what a strategy made is written to. */
export interface ReportFiles {
  readonly trades: string | undefined;
  readonly report: string | undefined;
}

export const LIBRARIES_FLAG = {
  libraries: 'folder with libraries the script imports, each as publisher/Name/1.pine in it',
} as const;

export const RUN_FLAGS = {
  symbol:
    'market that the bars of a file are of, like BINANCE:BTCUSDT: it is described by its exchange; or whose newest final bars Signalbox gives, with --timeframe and, as --bars, how many',
  'symbol-info': 'JSON file that describes the market: ticker, mintick, timezone, session…',
  timeframe: 'timeframe of the bars as Pine writes it: 5, 60, 1D',
  ...LIBRARIES_FLAG,
  ...CONNECTION_FLAGS,
  timeout: `seconds after which it is stopped; ${DEFAULT_TIMEOUT_S} if left out`,
  capital: 'what a strategy begins with, instead of what it declares',
  'trade-from':
    'a strategy trades from here on: 2024-03-01, 2024-03-01T14:30:00Z, or ms or s since 1970; before, it only warms up',
  'trade-to': 'and until here, not included',
  trades: 'writes the list of trades into this CSV file',
  report: 'writes everything a strategy made into this HTML file, a page on its own',
} as const;

export const REPAINT_SWITCH = {
  repaint: 'run it bar by bar besides, and warn of what it shows of the past and did not show then',
} as const;

export const RUN_BARS = {
  bars: 'CSV file with time,open,high,low,close[,volume], or - for standard input; time in ms, in s or like 2024-03-01T14:30:00Z; with --symbol how many; once more for each other symbol or timeframe that the script requests, like ETHUSDT:60=file.csv, and for those of the bar magnifier and of another currency',
} as const;

/** It is read to its end before the first file is: what is wrong with the command line is told first. */
export function wantedIn(
  { words, flags: given, lists, switches }: Args,
  example: string,
  maxRepaintBars = 0,
): WantedRun {
  const { chart, others } = symbolBarsFiles(lists.bars ?? []);
  if (chart.length > 1)
    throw new UsageFault('--bars is given twice; other symbols are written like ETHUSDT:60=file.csv.');
  const flags: Args['flags'] = chart[0] === undefined ? given : { ...given, bars: chart[0] };
  if (!words[0]) throw new UsageFault(`The script is missing; ${example}`);
  if (words.length === 2 && flags.bars === undefined)
    throw new UsageFault(`"${words[1]}" is one word too many; if these are the bars, ${example}`);
  const file = onlyWord(words, 'the script');
  if (!flags.bars)
    throw new UsageFault(
      flags.symbol === undefined
        ? '--bars is missing; name the CSV file with the bars.'
        : '--bars is missing; say how many, like --bars 500, or name the CSV file with the bars.',
    );
  const bars = marketIn(flags) ?? fileIn(flags);
  const barFiles = ['file' in bars ? bars.file : '', ...others.map(({ path }) => path)];
  const files = { trades: flags.trades, report: flags.report };
  checkWritten(files, [file, ...barFiles, flags['symbol-info'] ?? '']);
  return {
    file,
    bars,
    symbol: flags.symbol,
    symbolBars: others,
    symbolFile: flags['symbol-info'],
    timeframe: flags.timeframe,
    libraries: libraryFiles(lists.library ?? []),
    libraryFolder: flags.libraries,
    inputs: inputsOf(lists.input ?? []),
    maxRepaintBars: switches.has('repaint') ? Number.POSITIVE_INFINITY : maxRepaintBars,
    account: accountIn(flags),
    files,
  };
}

function fileIn({ bars = '', ...flags }: Args['flags']): { readonly file: string } {
  const reaching = Object.keys(CONNECTION_FLAGS).find((name) => flags[name] !== undefined);
  if (reaching === undefined) return { file: bars };
  throw new UsageFault(
    `--${reaching} is for bars that Signalbox gives; name their market with --symbol and say how many, or leave it out.`,
  );
}

/** Undefined where the bars are in a file; whoever names a market says how many, or the file that they are in. */
function marketIn({ symbol, timeframe, bars = '' }: Args['flags']): MarketChoice | undefined {
  if (symbol === undefined || !/^-?\d+$/.test(bars)) return undefined;
  if (Number(bars) < 1 || Number(bars) > MAX_BARS)
    throw new UsageFault(
      `--bars ${bars} is out of range; with --symbol say how many, 1 to ${MAX_BARS}, or name a file.`,
    );
  if (!timeframe) throw new UsageFault('--timeframe is missing; with --symbol give the length of a bar, like 1h.');
  return { symbol, timeframeMs: timeframeMsOf(timeframe), count: Number(bars) };
}

function accountIn({ capital, 'trade-from': from, 'trade-to': to }: Args['flags']): WantedAccount {
  const tradeFromMs = from === undefined ? undefined : momentOf(from, 'trade-from');
  const tradeToMs = to === undefined ? undefined : momentOf(to, 'trade-to');
  if (tradeFromMs !== undefined && tradeToMs !== undefined && tradeFromMs >= tradeToMs)
    throw new UsageFault('--trade-from lies after --trade-to; give the earlier moment first.');
  const initialCapital = capital === undefined ? undefined : plainNumber(capital, 'capital');
  if (initialCapital === 0) throw new UsageFault('--capital 0 is nothing to begin with; give more.');
  return {
    ...(tradeFromMs === undefined ? {} : { tradeFromMs }),
    ...(tradeToMs === undefined ? {} : { tradeToMs }),
    ...(initialCapital === undefined ? {} : { initialCapital }),
  };
}

/** A file that is read is never written: a slip must not cost anybody his bars. */
export function checkWritten(files: Readonly<Record<string, string | undefined>>, read: readonly string[]): void {
  const taken = new Set(read.filter((path) => path !== '' && path !== INPUT).map(placeOf));
  for (const [flag, path] of Object.entries(files)) {
    if (path === undefined) continue;
    if (path === '' || path === INPUT) throw new UsageFault(`--${flag} needs the name of a file.`);
    if (taken.has(placeOf(path)))
      throw new UsageFault(`--${flag} ${path} is a file of this command already; write into another one.`);
    taken.add(placeOf(path));
  }
}

/** Where a file really is, however it is named; a new one is where its name says. */
function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

export function timeoutMsOf({ flags: { timeout } }: Args): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_S * 1000;
  const seconds = plainNumber(timeout, 'timeout');
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return seconds * 1000;
  throw new UsageFault(`--timeout ${timeout} is out of range; give seconds above 0, up to ${MAX_TIMEOUT_S}.`);
}

export function inputsOf(texts: readonly string[]): Record<string, string> {
  const inputs = texts.map((text): [title: string, value: string] => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageFault(`--input ${text} has no value; write it like --input "Length=20".`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  const twice = inputs.find(([title], i) => inputs.findIndex(([other]) => other === title) < i);
  if (twice !== undefined) throw new UsageFault(`--input "${twice[0]}" is given twice; give it once.`);
  return Object.fromEntries(inputs);
}

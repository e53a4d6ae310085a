// `signalbox run`: runs a script over the bars of a CSV file, or of a market that Signalbox knows, and shows what came out of it.

import { type Args, type LocalCommand, onlyWord, plainNumber, UsageFault } from '../command.ts';
import { CONNECTION_FLAGS } from '../help.ts';
import type { MarketChoice } from '../market-bars.ts';
import { libraryFiles, symbolBarsFiles } from '../script-files.ts';
import type { RunMode, WantedRun } from '../script-run.ts';
import { timeframeMsOf } from '../wanted-bars.ts';
import { LIBRARY_FLAG } from './check.ts';

/** It is the user's own machine and own script; these only end what has gone wrong. */
const MEMORY_MB = 4096;
const DEFAULT_TIMEOUT_S = 600;
const MAX_TIMEOUT_S = 86_400;
/** A hundred pages of the route that gives them. */
const MAX_BARS = 500_000;
const MODES = ['json', 'csv', 'chart'] as const satisfies readonly RunMode[];
const EXAMPLE = 'write it like: signalbox run script.pine --bars bars.csv.';

export const run: LocalCommand = {
  name: 'run',
  summary: 'run a .pine script over bars from a CSV file or of a market',
  usage: [
    'script.pine --bars bars.csv [--symbol-info market.json] [--timeframe 60]',
    'script.pine --symbol BTCUSDT --timeframe 1h --bars 500 [--url …] [--token …] [--data-dir …]',
    'script.pine --bars bars.csv [--bars ETHUSDT:60=other.csv]… [--input "Length=20"]… [--library ns/Name/1=file.pine]… [--json | --csv | --chart]',
  ],
  flags: {
    symbol: 'market whose newest final bars Signalbox gives; it needs --timeframe and, as --bars, how many',
    'symbol-info': 'JSON file that describes the market: ticker, mintick, timezone, session…',
    timeframe: 'timeframe of the bars as Pine writes it: 5, 60, 1D',
    ...CONNECTION_FLAGS,
    timeout: `seconds after which it is stopped; ${DEFAULT_TIMEOUT_S} if left out`,
  },
  lists: {
    bars: 'CSV file with time,open,high,low,close[,volume], or - for standard input; time in ms, in s or like 2024-03-01T14:30:00Z; with --symbol how many; once more for each other symbol or timeframe that the script requests, like ETHUSDT:60=file.csv',
    input: 'an input by its title, like "Length=20"; once for each',
    ...LIBRARY_FLAG,
  },
  switches: {
    json: 'print the answer as JSON and nothing else',
    csv: 'print the series as CSV and nothing else',
    chart: 'draw the series',
  },
  async local(args, io) {
    const wanted = wantedIn(args);
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
    try {
      // Loaded while the thread starts, and by no other command.
      const { runScript } = await import('../script-run.ts');
      return await runScript(wanted, scripts, io);
    } finally {
      await scripts.close();
    }
  },
};

/** It is read to its end before the first file is: what is wrong with the command line is told first. */
function wantedIn(args: Args): WantedRun {
  const { words, lists } = args;
  const { chart, others } = symbolBarsFiles(lists.bars ?? []);
  if (chart.length > 1)
    throw new UsageFault(`--bars is given twice; other symbols are written like ETHUSDT:60=file.csv.`);
  const flags: Args['flags'] = chart[0] === undefined ? args.flags : { ...args.flags, bars: chart[0] };
  if (!words[0]) throw new UsageFault(`The script is missing; ${EXAMPLE}`);
  if (words.length === 2 && flags.bars === undefined)
    throw new UsageFault(`"${words[1]}" is one word too many; if these are the bars, ${EXAMPLE}`);
  const file = onlyWord(words, 'the script');
  const mode = modeOf(args);
  if (!flags.bars)
    throw new UsageFault(
      flags.symbol === undefined
        ? '--bars is missing; name the CSV file with the bars.'
        : '--bars is missing; say how many, like --bars 500.',
    );
  return {
    file,
    mode,
    bars: marketIn(flags) ?? fileIn(flags),
    symbolBars: others,
    symbolFile: flags['symbol-info'],
    timeframe: flags.timeframe,
    libraries: libraryFiles(lists.library ?? []),
    inputs: inputsOf(lists.input ?? []),
  };
}

function fileIn({ bars = '', ...flags }: Args['flags']): { readonly file: string } {
  const reaching = Object.keys(CONNECTION_FLAGS).find((name) => flags[name] !== undefined);
  if (reaching === undefined) return { file: bars };
  throw new UsageFault(
    `--${reaching} is for bars that Signalbox gives; name their market with --symbol, or leave it out.`,
  );
}

/** Undefined where the bars are in a file. */
function marketIn({ symbol, timeframe, bars = '' }: Args['flags']): MarketChoice | undefined {
  if (symbol === undefined) return undefined;
  if (!/^\d{1,9}$/.test(bars) || Number(bars) < 1 || Number(bars) > MAX_BARS)
    throw new UsageFault(
      `--bars ${bars} is no number of bars; with --symbol say how many, 1 to ${MAX_BARS}. For bars of a file leave --symbol out.`,
    );
  if (!timeframe) throw new UsageFault('--timeframe is missing; with --symbol give the length of a bar, like 1h.');
  return { symbol, timeframeMs: timeframeMsOf(timeframe), count: Number(bars) };
}

function modeOf({ switches }: Args): RunMode {
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

function inputsOf(texts: readonly string[]): Record<string, string> {
  const inputs = texts.map((text): [title: string, value: string] => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageFault(`--input ${text} has no value; write it like --input "Length=20".`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  const twice = inputs.find(([title], i) => inputs.findIndex(([other]) => other === title) < i);
  if (twice !== undefined) throw new UsageFault(`--input "${twice[0]}" is given twice; give it once.`);
  return Object.fromEntries(inputs);
}

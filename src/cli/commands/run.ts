// `signalbox run`: runs a script over the bars of a CSV file, or of a market that Signalbox knows, and shows what came out of it.

import { type Args, type LocalCommand, UsageFault } from '../command.ts';
import type { RunMode } from '../script-run.ts';
import { MEMORY_MB, REPAINT_SWITCH, RUN_BARS, RUN_FLAGS, timeoutMsOf, wantedIn } from '../wanted-run.ts';
import { LIBRARY_FLAG } from './check.ts';

const MODES = ['json', 'csv', 'chart'] as const satisfies readonly RunMode[];
const EXAMPLE = 'write it like: signalbox run script.pine --bars bars.csv.';

/** Of every command that runs a script. */
export const RUN_LISTS = {
  ...RUN_BARS,
  input: 'an input by its title, like "Length=20"; once for each',
  ...LIBRARY_FLAG,
};

export const run: LocalCommand = {
  name: 'run',
  summary: 'run a .pine script over bars from a CSV file or of a market',
  usage: [
    'script.pine --bars bars.csv [--symbol-info market.json] [--timeframe 60]',
    'script.pine --symbol BTCUSDT --timeframe 1h --bars 500 [--url …] [--token …] [--data-dir …]',
    'script.pine --bars bars.csv [--bars ETHUSDT:60=other.csv]… [--input "Length=20"]… [--library ns/Name/1=file.pine]… [--libraries folder] [--json | --csv | --chart] [--repaint]',
    'strategy.pine --bars bars.csv [--trade-from 2024-01-01] [--trade-to 2025-01-01] [--trades trades.csv] [--report report.html]',
  ],
  flags: RUN_FLAGS,
  lists: RUN_LISTS,
  switches: {
    ...REPAINT_SWITCH,
    json: 'print the answer as JSON and nothing else',
    csv: 'print the series as CSV and nothing else',
    chart: 'draw the series',
  },
  async local(args, io) {
    const mode = modeOf(args);
    const wanted = wantedIn(args, EXAMPLE);
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
    try {
      // Loaded while the thread starts, and by no other command.
      const { runScript } = await import('../script-run.ts');
      const ended = await runScript(wanted, mode, scripts, io);
      return typeof ended === 'number' ? ended : 0;
    } finally {
      await scripts.close();
    }
  },
};

function modeOf({ switches }: Args): RunMode {
  const given = MODES.filter((mode) => switches.has(mode));
  if (given.length > 1) throw new UsageFault(`Give one of --${given.join(', --')}, not ${given.length}.`);
  return given[0] ?? 'summary';
}

// `signalbox backtest`: tests a strategy over the bars of a CSV file or of a market, and shows what its orders made.

import { type Args, type LocalCommand, type LocalIo, UsageFault } from '../command.ts';
import type { Finished } from '../script-run.ts';
import { MEMORY_MB, RUN_FLAGS, timeoutMsOf, wantedIn } from '../wanted-run.ts';
import { RUN_LISTS } from './run.ts';
import { folderOf, noteOf, RUN_FOLDER_FLAG } from './runs.ts';

/** Bar by bar costs as much as three to six runs: below half a second here, and not worth the wait on long charts. */
const MAX_REPAINT_BARS = 50_000;
const EXAMPLE = 'write it like: signalbox backtest strategy.pine --bars bars.csv.';

export const backtest: LocalCommand = {
  name: 'backtest',
  summary: 'test a strategy over bars: its trades, its equity and the figures of them',
  usage: [
    'strategy.pine --bars bars.csv [--symbol-info market.json] [--timeframe 60] [--capital 10000]',
    'strategy.pine --symbol BTCUSDT --timeframe 1h --bars 5000 [--url …] [--token …] [--data-dir …]',
    'strategy.pine --bars bars.csv [--trade-from 2024-01-01] [--trade-to 2025-01-01] [--trades trades.csv] [--report report.html] [--json] [--repaint]',
    'strategy.pine --bars bars.csv --save [--note "words"] [--runs FOLDER]',
    'strategy.pine --bars bars.csv [--input "Length=20"]… [--library ns/Name/1=file.pine]… [--libraries folder]',
  ],
  flags: { ...RUN_FLAGS, note: 'words to find it again by; with --save', ...RUN_FOLDER_FLAG },
  lists: RUN_LISTS,
  switches: {
    save: 'keep what decided this run and what came of it; see "signalbox runs"',
    json: 'print the summary, the equity curve and the trades as JSON and nothing else',
    repaint: `look for repainting on more than ${MAX_REPAINT_BARS.toLocaleString('en-US')} bars too`,
  },
  async local(args, io) {
    const wanted = wantedIn(args, EXAMPLE, MAX_REPAINT_BARS);
    const note = savedNote(args);
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
    try {
      // Loaded while the thread starts, and by no other command.
      const { runScript } = await import('../script-run.ts');
      const ended = await runScript(wanted, args.switches.has('json') ? 'backtest-json' : 'backtest', scripts, io);
      if (typeof ended === 'number') return ended;
      if (note !== undefined) await save(ended, args, note, io);
      return 0;
    } finally {
      await scripts.close();
    }
  },
};

/** Undefined where it is not to be kept. */
function savedNote({ switches, flags: { note, runs } }: Args): string | undefined {
  if (switches.has('save')) return noteOf(note ?? '');
  const given = note === undefined ? runs : note;
  if (given !== undefined) throw new UsageFault('--note and --runs are for --save; give that too, or leave them out.');
  return undefined;
}

/** Flags that say where bars come from and where answers go, and not what the run is. */
const OF_NO_RUN = new Set(['url', 'token', 'data-dir', 'timeout', 'trades', 'report', 'note', 'runs']);

async function save(ended: Finished, args: Args, note: string, io: LocalIo): Promise<void> {
  const { request, priceSource, report, repaint } = ended;
  if (report === null) return;
  const { keepRun } = await import('../../library/runs/keep-run.ts');
  const { RunFolder } = await import('../run-folder.ts');
  const { words, flags, lists } = args;
  const deciding = Object.fromEntries(Object.entries(flags).filter(([name]) => !OF_NO_RUN.has(name)));
  const about = { name: words[0] ?? '', revision: null, engine: io.version, atMs: io.nowMs(), note };
  const run = keepRun({ request, priceSource, report, repaint, ...about });
  const folder = folderOf(args);
  const id = new RunFolder(folder).add({ ...run, command: { words, flags: deciding, lists } });
  io.err(`Kept as run ${id} in ${folder}.`);
}

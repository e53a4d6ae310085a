// `signalbox backtest`: tests a strategy over the bars of a CSV file or of a market, and shows what its orders made.

import type { LocalCommand } from '../command.ts';
import { MEMORY_MB, RUN_FLAGS, timeoutMsOf, wantedIn } from '../wanted-run.ts';
import { RUN_LISTS } from './run.ts';

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
    'strategy.pine --bars bars.csv [--input "Length=20"]… [--library ns/Name/1=file.pine]…',
  ],
  flags: RUN_FLAGS,
  lists: RUN_LISTS,
  switches: {
    json: 'print the summary, the equity curve and the trades as JSON and nothing else',
    repaint: `look for repainting on more than ${MAX_REPAINT_BARS.toLocaleString('en-US')} bars too`,
  },
  async local(args, io) {
    const wanted = wantedIn(args, EXAMPLE, MAX_REPAINT_BARS);
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
    try {
      // Loaded while the thread starts, and by no other command.
      const { runScript } = await import('../script-run.ts');
      return await runScript(wanted, args.switches.has('json') ? 'backtest-json' : 'backtest', scripts, io);
    } finally {
      await scripts.close();
    }
  },
};

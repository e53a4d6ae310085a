// `signalbox optimize`: tries a strategy with many values of its inputs, on all cores, and shows which did best and how much that says.

import type { LocalCommand } from '../command.ts';
import { MEMORY_MB, RUN_FLAGS, timeoutMsOf } from '../wanted-run.ts';
import { wantedSearchIn } from '../wanted-search.ts';
import { RUN_LISTS } from './run.ts';

const { trades: _trades, ...flags } = RUN_FLAGS;

export const optimize: LocalCommand = {
  name: 'optimize',
  summary: 'search the best inputs of a strategy: grid or random, walk-forward, several markets',
  usage: [
    'strategy.pine --bars bars.csv --vary "Length=5..50/5" [--vary "Mode=a,b"]… [--objective sharpe_ratio] [--goal maximize] [--min-trades 30] [--require "max_drawdown_percent<=20"]…',
    'strategy.pine --bars bars.csv --vary "Length=5..50" [--samples 200] [--seed 7] [--top 20] [--trials trials.csv] [--report search.html] [--json] [--threads 4]',
    'strategy.pine --bars bars.csv --vary "Length=5..50" --in-sample 180 --out-of-sample 30 [--anchored] [--trade-from 2024-01-01] [--trade-to 2025-01-01]',
    'strategy.pine --market BTCUSDT:60=btc.csv [--market ETHUSDT:60=eth.csv]… --vary "Length=5..50" [--combine worst] [--symbol-info market.json] [--capital 10000]',
    'strategy.pine --symbol BTCUSDT --timeframe 1h --bars 5000 --vary "Length=5..50" [--input "Mode=a"]… [--library ns/Name/1=file.pine]… [--timeout 60] [--url …] [--token …] [--data-dir …]',
  ],
  flags: {
    ...flags,
    timeout: 'seconds after which one backtest is stopped; 600 if left out',
    report: 'writes what was found into this HTML file, a page on its own',
    trials: 'writes every combination that was tried into this CSV file',
    objective: 'the figure that decides, by its name in the summary of a backtest; net_profit if left out',
    goal: 'maximize or minimize; as usual for the figure if left out',
    combine: 'how figures of several markets become one: mean, worst or sum',
    'min-trades': 'combinations with fewer closed trades on a market rank last',
    samples: 'tries so many combinations at random instead of all',
    seed: 'the same seed draws the same combinations; 1 if left out',
    'in-sample': 'days of each window of a walk-forward that the best is searched in',
    'out-of-sample': 'days behind each window that its best is tried on',
    top: 'how many of the best are shown; 20 if left out',
    threads: 'how many backtests run at once; as many as there are cores if left out',
  },
  lists: {
    ...RUN_LISTS,
    vary: 'an input by title or variable with what to try: "Length=5..50/5", "Mode=a,b", "Use=all"; once for each',
    require: 'a bound that every market has to keep, like "profit_factor>=1.2"; once for each',
    market: 'one of several markets: BTCUSDT:60=bars.csv, or BTCUSDT:1h with --bars 5000; once for each',
  },
  switches: {
    json: 'print the result as JSON and nothing else',
    anchored: 'every window of a walk-forward begins with the first bar',
  },
  async local(args, io) {
    const wanted = wantedSearchIn(args, io.cores);
    const { threads } = wanted;
    const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args), threads });
    try {
      // Loaded while the threads start, and by no other command.
      const { runSearch } = await import('../search-run.ts');
      return await runSearch(wanted, { timeoutMs: timeoutMsOf(args), isJson: args.switches.has('json') }, scripts, io);
    } finally {
      await scripts.close();
    }
  },
};

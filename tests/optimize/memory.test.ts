// What a large search holds: figures of every backtest, never its trades, curves or reports.

import { expect, it } from 'vitest';
import { createScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import { Search } from '../../src/library/search/search.ts';
import { searchAnswer } from '../../src/library/search/search-answer.ts';
import { sharedBars } from '../../src/library/search/shared-bars.ts';
import { barColumns } from '../../src/pine/index.ts';

const MEBIBYTE = 1024 * 1024;
/** A trade on every other bar: reports of so many backtests would take half a gigabyte. */
const SOURCE = `//@version=6
strategy("Busy")
n = input.int(0, "N")
if bar_index % 2 == 0
    strategy.entry("L", strategy.long, 1 + n % 3)
else
    strategy.close("L")`;

it('ten thousand backtests with their trades fit into a hundred megabytes', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => {
    const open = 100 + (i % 13);
    return { time: i * 60_000, open, high: open + 3, low: open - 3, close: open + (i % 3) - 1, volume: 1 };
  });
  const pool = createScriptPool({ size: 2, duty: 'command', timeoutMs: 60_000 });
  const search = new Search({
    source: SOURCE,
    scriptName: 'Busy',
    axes: [{ title: 'N', values: Array.from({ length: 1_000 }, (_, i) => i) }],
    fixed: {},
    method: { kind: 'grid' },
    markets: Array.from({ length: 10 }, (_, i) => ({ name: `m${i}`, bars: sharedBars(barColumns(rows)) })),
    objective: { metric: 'net_profit', goal: 'maximize', combine: 'mean' },
    constraints: [],
    top: 20,
    runTimeoutMs: 60_000,
  });
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  await search.run({
    runner: pool,
    threads: 2,
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
    wait: async () => {},
    onProgress: () => {
      if (search.progress.done % 1_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
    },
  });
  await pool.close();
  const answer = searchAnswer(search);
  expect(answer.backtests).toEqual({ done: 10_000, total: 10_000, failed: 0 });
  expect(answer.top[0]?.markets[0]?.figures.total_trades).toBeGreaterThan(140);
  expect(most / MEBIBYTE).toBeLessThan(100);
  expect(JSON.stringify(answer).length).toBeLessThan(MEBIBYTE);
});

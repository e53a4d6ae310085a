// A parameter search through the same pool and the same search as POST /optimize: `npm run bench optimize -- [--quick]`.
//
// A thousand backtests of 20,000 bars: a strategy of crossing averages with stop and limit exits, over a grid of two inputs.
// Time on the clock is that of a machine with other work; processor seconds are what the search itself took.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScriptPool } from '../src/adapters/scripts/script-pool.ts';
import { Search } from '../src/library/search/search.ts';
import { searchAnswer } from '../src/library/search/search-answer.ts';
import { checkedBacktests, type SearchPlan } from '../src/library/search/search-plan.ts';
import { sharedBars } from '../src/library/search/shared-bars.ts';
import { pineChart } from './support/pine-chart.ts';

const quick = process.argv.includes('--quick');
const BARS = 20_000;
const CORES = Math.min(2, availableParallelism());
const [FAST, SLOW] = quick ? [5, 4] : [40, 25];
const TARGET_S = 60;
const TARGET_MB = 200;
const MEBIBYTE = 1024 * 1024;

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

const plan: SearchPlan = {
  source: readFileSync(new URL('./pine-scripts/f.pine', import.meta.url), 'utf8'),
  scriptName: 'f',
  axes: [
    { title: 'Fast', values: range(3, FAST) },
    { title: 'Slow', values: range(50, SLOW) },
  ],
  fixed: {},
  method: { kind: 'grid' },
  markets: [{ name: 'chart', bars: sharedBars(pineChart(BARS)), timeframe: '1' }],
  objective: { metric: 'net_profit', goal: 'maximize', combine: 'mean' },
  constraints: [],
  top: 5,
  runTimeoutMs: 60_000,
};

const pool = createScriptPool({ size: CORES, duty: 'command' });
const total = checkedBacktests(plan, 1_000_000);
const search = new Search(plan);
let peakBytes = 0;
const look = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 50);
const startedMs = performance.now();
const usedBefore = process.cpuUsage();
await search.run({
  runner: pool,
  threads: CORES,
  signal: new AbortController().signal,
  monotonicMs: () => performance.now(),
  wait: async (ms) => void (await sleep(ms)),
});
const seconds = (performance.now() - startedMs) / 1000;
const { user, system } = process.cpuUsage(usedBefore);
clearInterval(look);
await pool.close();

const { backtests, top } = searchAnswer(search);
if (backtests.done !== total || backtests.failed > 0) throw new Error(`only ${backtests.done} of ${total} were run`);
const processorS = (user + system) / 1e6;
console.log(
  `${total} backtests of ${BARS} bars on ${CORES} cores: ${seconds.toFixed(1)} s, ${processorS.toFixed(1)} s of processor time`,
);
console.log(
  `${((total * BARS) / seconds / 1e6).toFixed(1)}M bars/s, ${((processorS * 1000) / total).toFixed(1)} ms of processor each`,
);
console.log(
  `process with threads: ${(peakBytes / MEBIBYTE).toFixed(0)} MB at most; best ${JSON.stringify(top[0]?.inputs)}`,
);
const isReached = quick || seconds < TARGET_S;
console.log(
  `${isReached ? 'ok  ' : 'MISS'} ${seconds.toFixed(1)} s, target ${TARGET_S} s; memory target ${TARGET_MB} MB`,
);
process.exitCode = isReached ? 0 : 1;

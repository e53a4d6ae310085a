// Long scripts and live ones in a fresh process: compile time (the middle of many, and the very first), what a line costs on a bar, time of an update, growth. Answers with JSON.

import { readFileSync } from 'node:fs';
import { compile } from '../../src/pine/index.ts';
import { pineChart } from './pine-chart.ts';

const updates = Number(process.argv[2] ?? '1000000');
const HISTORY = 1000;
const TICKS_PER_BAR = 4;

/** Two hundred and more indicators of one script, as the longest published ones have them. */
function longScript(lines: number): string {
  const text = ['//@version=6', 'indicator("long")', 'length = input.int(14, "Length", minval = 1)'];
  for (let i = 0; text.length < lines - 2; i++) {
    text.push(`average${i} = ta.sma(close, length + ${i % 7})`);
    text.push(`strength${i} = ta.rsi(close, ${(i % 9) + 2})`);
    text.push(`signal${i} = close > average${i} and strength${i} < 70 ? high - low : na`);
    text.push(`if ta.crossover(close, average${i})`, `    label.new(bar_index, high, str.tostring(signal${i}))`);
  }
  text.push('plot(average0, "average")', 'plot(signal0, "signal")');
  return text.join('\n');
}

const long = longScript(300);
const firstBegun = performance.now();
const { diagnostics } = compile(long);
const firstCompileMs = performance.now() - firstBegun;
if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]));

function timed(): number {
  const begun = performance.now();
  compile(long);
  return performance.now() - begun;
}

/** A short look at updates goes with a short look at long scripts. */
const isShort = updates < 1_000_000;
const COMPILES = isShort ? 5 : 41;
const compileMs = Array.from({ length: COMPILES }, timed).sort((x, y) => x - y)[COMPILES >> 1]!;

const BARS_OF_LONG = isShort ? 500 : 10_000;
const RUNS_OF_LONG = isShort ? 1 : 4;

/** Nanoseconds per line and bar, the fastest of some runs. */
function lineNs(lines: number): number {
  const { program } = compile(longScript(lines));
  if (program === null) throw new Error('the long script does not compile');
  const bars = pineChart(BARS_OF_LONG);
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS_OF_LONG; run++) {
    const begun = performance.now();
    program.run(bars);
    fastestMs = Math.min(fastestMs, performance.now() - begun);
  }
  return (fastestMs * 1e6) / BARS_OF_LONG / lines;
}

const longLines = [lineNs(300), lineNs(2400)];

const source = readFileSync(new URL('../pine-scripts/b.pine', import.meta.url), 'utf8');
const { program } = compile(source);
if (program === null) throw new Error('script b does not compile');
const chart = pineChart(HISTORY);
const live = program.open(chart);
let time = chart.time[HISTORY - 1]!;
let done = 0;

function tick(count: number): number {
  const start = performance.now();
  for (let i = 0; i < count; i += TICKS_PER_BAR) {
    time += 60_000;
    const price = 100 + (done % 100) / 10;
    const bar = { time, open: price, high: price + 1, low: price - 1, close: price, volume: 10 };
    for (let k = 1; k < TICKS_PER_BAR; k++) live.update({ ...bar, close: price + k / 10 });
    live.close(bar);
    done += TICKS_PER_BAR;
  }
  return ((performance.now() - start) * 1000) / count;
}

const heapMb = (): number => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
};

tick(20_000);
const before = heapMb();
const updateUs = tick(updates);
console.log(JSON.stringify({ firstCompileMs, compileMs, longLines, updateUs, growthMb: heapMb() - before }));

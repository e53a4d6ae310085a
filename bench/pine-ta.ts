// How long one bar takes in each `ta.*` kernel, at a usual length and at a long one: the second shows what grows with it.
// `npm run bench pine-ta -- [--quick]`; each kernel runs several times over the same chart and the fastest run counts.

import { TA_KERNELS } from '../src/pine/ta/index.ts';
import { longChart, timeKernel } from '../src/pine/ta/testing/long-chart.ts';

const quick = process.argv.includes('--quick');
const BARS = quick ? 20_000 : 500_000;
const RUNS = quick ? 2 : 4;
const LENGTHS = [20, 1000];

const chart = longChart(BARS);
const fastestMs = (name: string, length: number): number =>
  Math.min(...Array.from({ length: RUNS }, () => timeKernel(name, chart, length, () => performance.now())));

console.log(`${BARS} bars, nanoseconds per bar`);
console.log(`${'kernel'.padEnd(38)}${LENGTHS.map((length) => `length ${length}`.padStart(14)).join('')}`);
for (const name of Object.keys(TA_KERNELS)) {
  const figures = LENGTHS.map((length) => ((fastestMs(name, length) * 1e6) / BARS).toFixed(1).padStart(14));
  console.log(`${name.padEnd(38)}${figures.join('')}`);
}

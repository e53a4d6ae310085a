// How long a picture of a preview takes, beside the mere compression of as many pixels; `npm run bench chart`.
//
// With `--against FOLDER`, another checkout of this project, its pictures are drawn in turns with ours and compared too.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deflateSync } from 'node:zlib';
import { drawChart } from '../src/chart/chart.ts';
import { type ChartModel, DEFAULT_CHART, renderChart } from '../src/chart/index.ts';
import { barColumns, compile } from '../src/pine/index.ts';

const { values: args } = parseArgs({ options: { quick: { type: 'boolean' }, against: { type: 'string' } } });
const ROUNDS = args.quick ? 1 : 25;
const HOUR_MS = 3_600_000;
/** Where the room of the charts has been. */
const ROOMS = ['src/chart/index.ts', 'src/library/chart/index.ts'];

const STUDY = `//@version=6
indicator("Bands", overlay = true)
base = ta.sma(close, 20)
width = 2 * ta.stdev(close, 20)
upper = plot(base + width, "Upper")
lower = plot(base - width, "Lower")
fill(upper, lower, color.new(color.blue, 80))
plotshape(close > base + width, text = "S")
if barstate.islast
    label.new(bar_index, high, "Last bar")`;

const CHARTS = [
  { width: 800, height: 400, bars: 300 },
  { width: 1200, height: 600, bars: 1000 },
  { width: 1200, height: 600, bars: 20_000 },
];

type Render = (model: ChartModel) => Uint8Array;

async function renderOf(folder: string): Promise<Render> {
  const room = ROOMS.map((path) => resolve(folder, path)).find(existsSync);
  if (room === undefined) throw new Error(`${folder} is no checkout of Signalbox: it has none of ${ROOMS.join(', ')}`);
  return (await import(pathToFileURL(room).href)).renderChart;
}

/** Prices that wander, the same in every run. */
function modelOf({ width, height, bars: count }: (typeof CHARTS)[number]): ChartModel {
  const bars = barColumns(
    Array.from({ length: count }, (_, i) => {
      const at = (index: number) =>
        100 + 20 * Math.sin(index / 90) + 6 * Math.sin(index / 7) + 2 * Math.sin(index * 1.7);
      const [open, close] = [at(i - 1), at(i)];
      const [high, low] = [Math.max(open, close) + 1, Math.min(open, close) - 1];
      return { time: i * HOUR_MS, open, high, low, close, volume: 50 + (i % 40) };
    }),
  );
  const { program } = compile(STUDY);
  if (program === null) throw new Error('the script of the benchmark has mistakes');
  return { bars, result: program.run(bars), options: { ...DEFAULT_CHART, width, height } };
}

function msOf(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  const startedMs = performance.now();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  // That clock stands still while others have the core, but moves in steps on some machines.
  return (user + system) / 1000 || performance.now() - startedMs;
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

const other = args.against === undefined ? undefined : await renderOf(args.against);
for (const chart of CHARTS) {
  const model = modelOf(chart);
  const pixels = drawChart(model).pixels();
  const times = { ours: [] as number[], bare: [] as number[], other: [] as number[] };
  other?.(model);
  for (let round = 0; round < ROUNDS; round += 1) {
    times.ours.push(msOf(() => renderChart(model)));
    times.bare.push(msOf(() => deflateSync(pixels)));
    if (other !== undefined) times.other.push(msOf(() => other(model)));
  }
  const oursMs = median(times.ours);
  const name = `${chart.width} × ${chart.height}, ${chart.bars} bars`;
  console.log(`${name}: ${oursMs.toFixed(1)} ms, ${(oursMs / median(times.bare)).toFixed(2)} of bare compression`);
  if (other !== undefined)
    console.log(`  share of the time of ${args.against}: ${(oursMs / median(times.other)).toFixed(2)}`);
}

// One measurement of the Pine benchmark in a process of its own: `engine script bars`, answers with one line of JSON.

import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openBuiltEngine } from '../../src/adapters/scripts/built-engine.ts';
import { BY_HAND, type Columns } from './pine-by-hand.ts';
import { pineChart } from './pine-chart.ts';

export interface Measured {
  /** Until the engine is loaded. */
  readonly loadMs: number;
  readonly coldMs: number;
  /** The fastest of several runs in the same process. */
  readonly warmMs: number;
  readonly peakMb: number;
  /** Last values by series, to show that all count the same. */
  readonly last: Readonly<Record<string, number | null>>;
}

const [engine = '', name = '', bars = '0'] = process.argv.slice(2);
const source = readFileSync(new URL(`../pine-scripts/${name}.pine`, import.meta.url), 'utf8');
const chart = pineChart(Number(bars));
const SETTLE_MS = 100;
const WARM_RUNS = engine === 'pinets' ? 2 : 6;

type Run = () => Columns | Promise<Columns>;

async function ours(): Promise<{ cold: Run; warm: Run }> {
  const { compile } = openBuiltEngine() ?? (await import('../../src/pine/index.ts'));
  const compiled = () => {
    const { program, diagnostics } = compile(source);
    if (program === null) throw new Error(JSON.stringify(diagnostics));
    return program;
  };
  let program: ReturnType<typeof compiled>;
  // The chart has bars of a minute; scripts that request longer ones must know.
  const run = () => Object.fromEntries(program.run(chart, { timeframe: '1' }).series);
  return {
    cold: () => {
      program = compiled();
      return run();
    },
    warm: run,
  };
}

async function peers(): Promise<{ cold: Run; warm: Run }> {
  const path = new URL('../.cache/pinets/node_modules/pinets/dist/pinets.min.es.js', import.meta.url).href;
  const { PineTS } = (await import(path)) as { PineTS: new (candles: object[]) => Peer };
  const candles = Array.from({ length: chart.count }, (_, i) => ({
    openTime: chart.time[i]!,
    closeTime: chart.time[i]! + 59_999,
    open: chart.open[i]!,
    high: chart.high[i]!,
    low: chart.low[i]!,
    close: chart.close[i]!,
    volume: chart.volume[i]!,
  }));
  const run = async (): Promise<Columns> => {
    const { plots } = await new PineTS(candles).run(source);
    return Object.fromEntries(
      Object.entries(plots).map(([title, { data }]) => [
        title,
        Float64Array.from(data, ({ value }) => value ?? Number.NaN),
      ]),
    );
  };
  return { cold: run, warm: run };
}

interface Peer {
  run(script: string): Promise<{ plots: Record<string, { data: { value: number | null }[] }> }>;
}

const begunMs = performance.now();
const { cold, warm } =
  engine === 'signalbox' ? await ours() : engine === 'pinets' ? await peers() : { cold: byHand, warm: byHand };
const loadMs = performance.now() - begunMs;

function byHand(): Columns {
  return BY_HAND[name]!(chart);
}

async function timed(run: Run): Promise<{ ms: number; columns: Columns }> {
  const begun = performance.now();
  const columns = await run();
  return { ms: performance.now() - begun, columns };
}

// V8 still works on what the preparation has called often; no engine should share the processor with that.
await wait(SETTLE_MS);
const { ms: coldMs, columns } = await timed(cold);
const peakMb = process.resourceUsage().maxRSS / 1024;
let warmMs = Number.POSITIVE_INFINITY;
for (let i = 0; i < WARM_RUNS; i++) warmMs = Math.min(warmMs, (await timed(warm)).ms);
const last = Object.fromEntries(Object.entries(columns).map(([title, values]) => [title, values.at(-1) ?? null]));
const measured: Measured = { loadMs, coldMs, warmMs, peakMb, last };
console.log(JSON.stringify(measured));

// Webhooks at a steady rate without and beside heavy runs, ours and those of a bare server in turns: the bare one shows
// what the machine's own scheduler does to any server beside the same load, ours what we add to it.

import { startBareWebhook } from './bare-webhook.ts';
import type { LoadReport } from './load.ts';
import { runLoadInChild } from './load-child.ts';
import { startRunClient } from './run-client.ts';
import type { BenchMarket } from './webhook-bodies.ts';

export interface BesideOptions {
  readonly port: number;
  readonly apiKey: string;
  readonly markets: readonly BenchMarket[];
  readonly runBody: string;
  readonly concurrentRuns: number;
  readonly ratePerSecond: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly warmupMs: number;
}

/** Medians of the rounds, in milliseconds at p99. */
export interface BesideReport {
  readonly alone: number;
  readonly loaded: number;
  readonly bareAlone: number;
  readonly bareLoaded: number;
  readonly isWhole: boolean;
}

type Name = 'alone' | 'bareAlone' | 'loaded' | 'bareLoaded';
const WORDS: Readonly<Record<Name, string>> = {
  alone: 'webhooks without runs',
  bareAlone: 'bare server without runs',
  loaded: 'webhooks beside runs',
  bareLoaded: 'bare server beside runs',
};

export async function measureBesideRuns(options: BesideOptions): Promise<BesideReport> {
  const bare = await startBareWebhook();
  const all: Record<Name, LoadReport[]> = { alone: [], loaded: [], bareAlone: [], bareLoaded: [] };
  const measure = async (name: Name, port: number): Promise<void> => {
    const report = await sendSignals(options, port);
    show(WORDS[name], report);
    all[name].push(report);
  };
  for (let round = 0; round < options.rounds; round += 1) {
    await measure('alone', options.port);
    await measure('bareAlone', bare.port);
    const { port, runBody: body, concurrentRuns: connections } = options;
    const runs = startRunClient({ port, body, connections, warmup: 0 });
    await measure('loaded', options.port);
    await measure('bareLoaded', bare.port);
    runs.end();
    const { statuses, times } = await runs.report;
    console.log(`runs beside them: ${JSON.stringify(statuses)}, p50 ${median(times).toFixed(0)} ms`);
    if (Object.keys(statuses).join() !== '200') throw new Error(`a run failed: ${JSON.stringify(statuses)}`);
  }
  await bare.stop();
  const p99 = (name: Name): number => median(all[name].map(({ p99Ms }) => p99Ms));
  const isWhole = Object.values(all).every((reports) => reports.every(isAnswered));
  return {
    alone: p99('alone'),
    loaded: p99('loaded'),
    bareAlone: p99('bareAlone'),
    bareLoaded: p99('bareLoaded'),
    isWhole,
  };
}

const isAnswered = ({ unsent, lostConnections, statuses }: LoadReport): boolean =>
  unsent === 0 && lostConnections === 0 && Object.keys(statuses).join() === '200';

const sendSignals = (options: BesideOptions, port: number): Promise<LoadReport> => {
  const { apiKey, markets, ratePerSecond, durationMs, warmupMs } = options;
  return runLoadInChild({
    load: { host: '127.0.0.1', port, path: '/webhook', connections: 16, durationMs, warmupMs, ratePerSecond },
    bodiesModule: new URL('./webhook-bodies.ts', import.meta.url),
    bodiesSettings: { apiKey, markets },
  });
};

function show(name: string, { p50Ms, p99Ms, maxMs, ownDelayP99Ms, statuses }: LoadReport): void {
  const figures = `p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  max ${maxMs.toFixed(1)} ms`;
  const own = `(the generator itself p99 ${ownDelayP99Ms.toFixed(1)} ms late)`;
  console.log(`${name.padEnd(25)} ${figures}  ${JSON.stringify(statuses)} ${own}`);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

// One running Signalbox or bare server that benchmarks send webhooks to, and how a round on it is measured and told.

import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshDataDir, type RunningProcess, startGatewayProcess, startProcess } from '../../tests/support/process.ts';
import type { LoadReport } from './load.ts';
import { runLoadInChild } from './load-child.ts';
import { benchMarkets, signalBody } from './webhook-bodies.ts';

export const isQuick = process.argv.includes('--quick');
export const ROUNDS = isQuick ? 1 : 3;
export const LOAD = {
  host: '127.0.0.1',
  path: '/webhook',
  connections: 64,
  durationMs: isQuick ? 800 : 4000,
  warmupMs: isQuick ? 100 : 5000,
};
/** Bought before the load, so that a close never finds an empty position. */
const CUSHION = 100;

export const markets = await benchMarkets();

export interface Target {
  readonly port: number;
  readonly apiKey: string;
  readonly dataDir?: string;
  /** Of the process that answers. */
  readonly pid?: number | undefined;
  commits(): Promise<number>;
  end(): Promise<void>;
}

export interface BoxOptions {
  readonly mode: 'async' | 'direct';
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** That of another checkout. */
  readonly program?: string;
  /** Prepares what runs and gives the key that the load uses; the one of the environment when left out. */
  readonly prepare?: (running: RunningProcess) => Promise<string>;
}

export const statusOf = ({ mode }: Pick<BoxOptions, 'mode'>): number => (mode === 'async' ? 202 : 200);

/** Also of whoever stands by for it. */
export const settingsOf = (mode: BoxOptions['mode']) => ({
  QUEUE_MODE: mode,
  MARKET_SEED: '1',
  PAPER_BALANCE: '1000000000',
  // Every gate is on; these only must not close during the run.
  WEBHOOK_RATE_PER_MINUTE: '1000000',
  IP_ALLOWLIST: '127.0.0.0/8,tradingview',
  WEBHOOK_API_KEYS: `whk_${'b'.repeat(43)}`,
});

export async function startSignalbox(options: BoxOptions): Promise<Target> {
  const { mode, dataDir, program, prepare } = options;
  const env = { ...settingsOf(mode), ...options.env };
  const logFile = join(freshDataDir(), 'signalbox.log');
  // A short run shows that the benchmark works: one process of the two is enough for that.
  const start = isQuick ? startGatewayProcess : startProcess;
  const given = { ...(dataDir === undefined ? {} : { dataDir }), ...(program === undefined ? {} : { program }) };
  const running: RunningProcess = await start({ ...given, env, logFile });
  const apiKey = (await prepare?.(running)) ?? env.WEBHOOK_API_KEYS;
  for (const market of markets) {
    const response = await fetch(`${running.url}/webhook`, {
      method: 'POST',
      body: signalBody(apiKey, 'LONG', market, CUSHION),
    });
    if (response.status === statusOf(options)) continue;
    await running.kill();
    throw new Error(`${market.symbol}: ${await response.text()}`);
  }
  return {
    port: Number(new URL(running.url).port),
    apiKey,
    dataDir: running.dataDir,
    pid: running.child.pid,
    async commits() {
      const text = await (await fetch(`${running.url}/metrics`)).text();
      return Number(/^journal_commits (\d+)/m.exec(text)?.[1]);
    },
    async end() {
      await running.kill();
      rmSync(dirname(logFile), { recursive: true, force: true });
      if (dataDir === undefined) rmSync(running.dataDir, { recursive: true, force: true });
    },
  };
}

export interface Round {
  /** The status that every answer must have. */
  readonly status: number;
  readonly ratePerSecond?: number;
  /** Fewer, where several loads run beside each other. */
  readonly connections?: number;
  /** What a body has besides. */
  readonly sized?: boolean;
}

export async function measure(
  target: Target,
  { status, ratePerSecond, connections = LOAD.connections, sized = false }: Round,
): Promise<LoadReport & { readonly commitsPerSignal: number }> {
  const before = await target.commits();
  const load = { ...LOAD, connections, port: target.port, ...(ratePerSecond === undefined ? {} : { ratePerSecond }) };
  const bodiesModule = new URL('./webhook-bodies.ts', import.meta.url);
  const bodiesSettings = { apiKey: target.apiKey, markets, sized };
  const report = await runLoadInChild({ load, bodiesModule, bodiesSettings });
  const commits = (await target.commits()) - before;
  const wrong = Object.keys(report.statuses).filter((other) => Number(other) !== status);
  if (report.lostConnections > 0 || wrong.length > 0) throw new Error(`failed under load: ${JSON.stringify(report)}`);
  const signals = report.requestsPerSecond * ((LOAD.durationMs + LOAD.warmupMs) / 1000);
  return { ...report, commitsPerSignal: commits / signals };
}

export function show(name: string, report: LoadReport): void {
  const figures = `p50 ${report.p50Ms.toFixed(2)} ms  p99 ${report.p99Ms.toFixed(2)} ms  max ${report.maxMs.toFixed(1)} ms`;
  console.log(`${name.padEnd(26)} ${String(Math.round(report.requestsPerSecond)).padStart(6)}/s  ${figures}`);
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

export function verdict(what: string, ratio: number, target: number): void {
  console.log(`${ratio >= target ? 'ok  ' : 'MISS'} ${what}: ${ratio.toFixed(3)}, target ≥ ${target}`);
  if (ratio < target) process.exitCode = 1;
}
